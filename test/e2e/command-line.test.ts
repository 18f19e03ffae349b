import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { openTestApp, type TestApp } from './test-app';
import { ROOT } from './run-demo';

const run = promisify(execFile);
let theatre: TestApp | undefined;
afterEach(async () => {
  await theatre?.close();
  theatre = undefined;
});

test('[CLI18] the command line works on a vault that Obsidian and OpenCode have open', async () => {
  theatre = await openTestApp();
  const { plugin, model, wire, page, vault, faults } = theatre;
  const world = await theatre.startOpencode();
  await wire.welcomed();
  await plugin.command('open-sidebar');
  const session = await plugin.startSession('Shared');
  const cli = async (...args: string[]): Promise<string> => {
    const file = join(ROOT, 'dist', 'cli.js');
    const { stdout } = await run(process.execPath, [file, ...args, '--session', session], {
      cwd: vault,
    });
    return stdout;
  };
  const row = (title: string | RegExp) => page.getByRole('treeitem', { name: title }).first();
  const operations = [{ type: 'add', title: 'Paint the fence' }];
  model.play(session, [{ tools: [{ name: 'tasks', args: { operations } }] }]);
  const ended = [wire.nextTurnEnd(session), world.turns.next(session)];
  await plugin.send(session, 'Plan');
  await Promise.all(ended);
  await row('Paint the fence').waitFor();

  await cli('add', 'Buy the paint', '--agent', 'build');
  await row('Buy the paint').waitFor();
  await Promise.all([
    cli('depend', '1', '--depends-on', '2', '--agent', 'build'),
    cli('update', '2', '--title', 'Buy green paint', '--agent', 'build'),
    cli('add', 'Find a brush', '--agent', 'build'),
  ]);
  await row('Find a brush').waitFor();
  await row('Buy green paint').waitFor();
  await cli('complete', '2', '--agent', 'build', '--as-person');
  await row(/Buy green paint.*done/i).waitFor();

  const { boards } = JSON.parse(await cli('list', '--json')) as {
    boards: { tasks: { title: string; status: string; dependsOn: string[] }[] }[];
  };
  expect(boards[0]?.tasks.map(({ title, status }) => `${title}: ${status}`)).toEqual([
    'Paint the fence: pending',
    'Buy green paint: completed',
    'Find a brush: pending',
  ]);
  expect(boards[0]?.tasks[0]?.dependsOn).toHaveLength(1);
  expect(faults.all).toEqual([]);
});

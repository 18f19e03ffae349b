import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inProcessCli } from './in-process-cli';
import { agentOptions, ops, PROGRAM } from './cli-run';

const cli = inProcessCli();

interface Line {
  readonly type: string;
  readonly agent?: string;
  readonly by?: readonly object[];
  readonly changes?: readonly { field: string; after: string | null }[];
}

test('[CLI16] watch prints each change as a line, who made it too, and ends with 0 on Ctrl C', async () => {
  const child = spawn(process.execPath, [PROGRAM, 'watch', '--session', 's1', '--json'], {
    cwd: cli.vault,
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<Line> => {
    const { value } = (await lines.next()) as { value: string };
    return JSON.parse(value) as Line;
  };
  expect(await next()).toMatchObject({ type: 'watching', boards: 0 });
  await cli.run(['ops', ...agentOptions('build')], ops({ type: 'add', title: 'A' }));
  expect(await next()).toMatchObject({
    ...{ type: 'change', session: 's1', agent: 'build', by: [{ kind: 'agent', name: 'build' }] },
    changes: [{ field: 'added', after: 'A' }],
    board: { tasks: [{ n: 1, title: 'A' }] },
  });
  await cli.run(['ops', '--session', 'other', '--agent', 'x'], ops({ type: 'add', title: 'no' }));
  const note = await readFile(join(cli.vault, cli.board()), 'utf8');
  await writeFile(join(cli.vault, cli.board()), note.replace('- [ ] A', '- [x] A'));
  expect(await next()).toMatchObject({
    by: [{ kind: 'person' }],
    changes: [{ field: 'status', before: 'pending', after: 'completed' }],
  });
  child.kill('SIGINT');
  expect(await ended).toBe(0);
});

test('[CLI5] it says at its start which settings it can’t follow', async () => {
  await cli.write('.opencode/agent-task-boards.json', '{');
  const child = spawn(process.execPath, [PROGRAM, 'watch'], { cwd: cli.vault });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [first] = (await once(child.stderr, 'data')) as [Buffer];
  expect(first.toString()).toContain('agent-task-boards.json is not JSON. Repair it or remove it.');
  let rest = '';
  child.stderr.on('data', (more: Buffer) => (rest += more.toString()));
  await once(child.stdout, 'data');
  child.kill('SIGINT');
  expect(await ended).toBe(0);
  expect(rest).toBe('');
});

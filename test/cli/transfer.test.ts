import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PERSON } from '../../src/core/board/history/actor';
import { TodoManager } from '../../src/core/board/todo-manager';
import { DiskStore } from '../../src/node/disk-store';
import { nodeClock, nodeIds } from '../../src/node/node-ports';
import { inProcessCli } from './in-process-cli';

const cli = inProcessCli();
const FROM = '.opencode/todos/ses_1/build-tasks.md';
const TO = '.opencode/todos/ses_2/build-tasks.md';
const JOURNAL = '.opencode/agent-task-boards/transfers.json';
const of = (session: string) => ['--session', session, '--agent', 'build'];

const text = (path: string) => readFile(join(cli.vault, path), 'utf8');

async function moved(): Promise<readonly string[]> {
  await cli.run(['add', 'Read', ...of('ses_1')]);
  await cli.run(['add', 'Write', ...of('ses_1')]);
  await cli.run(['add', 'Plan', ...of('ses_2')]);
  const notes = [await text(FROM), await text(TO)];
  const store = new DiskStore(cli.vault);
  const manager = new TodoManager({ store, clock: nodeClock, ids: nodeIds });
  const tasks = (await manager.load(FROM))?.tasks.filter(({ title }) => title === 'Write') ?? [];
  expect(await manager.transfer(FROM, tasks, TO)).toMatchObject({ ok: true });
  expect((await manager.history(TO))[0]).toMatchObject({ by: PERSON });
  return notes;
}

const plain = (note: string) => note.replace(/^(rev|next): \d+\n/gmu, '');

test('[TASKS85] undo --as-person of either board brings back both', async () => {
  const before = (await moved()).map(plain);
  const done = await cli.run(['undo', '--as-person', ...of('ses_2')]);
  expect(done).toMatchObject({ code: 0 });
  expect([plain(await text(FROM)), plain(await text(TO))]).toEqual(before);
});

test('[TASKS84] doctor names a move that was broken off, and finishes it with --fix', async () => {
  const [old = ''] = await moved();
  const gone = await text(FROM);
  // The state after a crash between the writes of the two notes.
  await writeFile(join(cli.vault, FROM), old);
  const history = '.opencode/agent-task-boards/history/ses_2/build.jsonl';
  const last = (await text(history)).trim().split('\n').at(-1) ?? '';
  const came = JSON.parse(last) as { change: string; with: { change: string; ids: string[][] } };
  const [[now = '', was = ''] = []] = came.with.ids;
  const line = old.split('\n').find((one) => one.includes('] Write')) ?? '';
  const move = {
    ...{ from: FROM, to: TO, left: came.with.change, came: came.change, text: line },
    tasks: [[was, now, 'Write']],
  };
  await writeFile(join(cli.vault, JOURNAL), JSON.stringify({ moves: [move] }));
  expect((await cli.run(['doctor'])).out).toContain(
    'A move of tasks to another board was interrupted',
  );
  await cli.run(['doctor', '--fix']);
  expect(plain(await text(FROM))).toBe(plain(gone));
  expect(await text(TO)).toContain('] Write');
  expect((await cli.run(['doctor'])).out).toBe('All is well.\n');
});

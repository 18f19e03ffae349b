import { expect, it } from 'vitest';
import { notePath, replaceOwnPart } from '../../../src/core/orchestrator/drive/run-note';
import { readBoardPath } from '../../../src/core/board/board-path';
import { runOptions } from '../run-fixture';
import { Machine } from './program';

it('[RUN39] the run note’s path is no board’s', () => {
  const path = notePath('.opencode/todos/ses_1/build-tasks.md', 'r1');
  expect(path).toBe('.opencode/todos/ses_1/build-run-r1.md');
  expect(readBoardPath('.opencode/todos', path)).toBeUndefined();
});

it('[RUN39] what stands around the run’s part stays, however often that is written', () => {
  const first = replaceOwnPart(undefined, 'r1', '# Run\n\none\n');
  const mine = `Before.\n${first}\nBehind.\n`;
  const second = replaceOwnPart(mine, 'r1', '# Run\n\ntwo\n');
  expect(second).toBe(mine.replace('one', 'two').replace(/ [0-9a-f]{8} /, sum(second)));
  expect(replaceOwnPart(second, 'r1', '# Run\n\ntwo\n')).toBe(second);
});

it('[RUN39] line ends that an editor changed are no change of the part', () => {
  const first = replaceOwnPart(undefined, 'r1', 'one\n').replaceAll('\n', '\r\n');
  expect(replaceOwnPart(`Mine.\r\n${first}`, 'r1', 'two\n')).toBe(
    `Mine.\r\n${replaceOwnPart(undefined, 'r1', 'two\n')}`,
  );
});

it.each([
  ['a word in it', (text: string) => text.replace('one', 'one, and mine')],
  ['its end is gone', (text: string) => text.replace(/<!-- end.*\n/, 'mine\n')],
  ['its begin is gone', (text: string) => text.replace(/<!-- run.*\n/, 'mine\n')],
])('[RUN39] a part that the person changed is theirs: %s', (_, change) => {
  const changed = change(replaceOwnPart(undefined, 'r1', 'one\n'));
  const after = replaceOwnPart(changed, 'r1', 'two\n');
  expect(after).toContain('mine');
  expect(after).toContain('one');
  expect(after.endsWith(replaceOwnPart(undefined, 'r1', 'two\n'))).toBe(true);
  // From then on there is only one part again.
  const next = replaceOwnPart(after, 'r1', 'three\n');
  expect(next).not.toContain('two');
  expect(next.match(/<!-- run r1/g)).toHaveLength(1);
});

it('[RUN39] the note of a run tells of its end, with what the person wrote beside it', async () => {
  const machine = new Machine({ operations: [{ type: 'add', title: 'Read it' }] });
  const program = machine.program();
  const run = await program.runs.start(runOptions());
  if (!run.ok) throw new Error(run.message);
  await machine.clock.advance(500);
  const path = program.runs.get(run.value)?.note ?? '';
  const before = machine.store.files.get(path)?.text ?? '';
  expect(before).toContain('**Approve the plan**');
  machine.store.put(path, `${before}\nMy own words.\n`);
  await program.runs.act(run.value, { type: 'approve' });
  await program.advanceUntilRest(run.value);
  await machine.clock.advance(500);
  const text = machine.store.files.get(path)?.text ?? '';
  expect(text).toContain('**Done**');
  expect(text).not.toContain('**Approve the plan**');
  expect(text).toContain('\nMy own words.\n');
  expect(program.manager.boards()).toHaveLength(1);
});

function sum(text: string): string {
  return / [0-9a-f]{8} /.exec(text)?.[0] ?? '';
}

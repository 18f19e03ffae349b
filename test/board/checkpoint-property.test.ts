import { expect, test } from 'vitest';
import { rollBack } from '../../src/core/board/checkpoint/checkpoints';
import { boardChanges } from '../../src/core/board/digest';
import { ManagerFixture } from './manager-fixture';
import { parseNote } from '../../src/core/board/note/parse-note';
import { fc } from '../seeded';

const path = '.opencode/todos/ses_1/build-tasks.md';
const reference = fc.integer({ min: 1, max: 9 });
const PLAN = [
  { type: 'init', title: 'T' },
  { type: 'add', title: 'A', phase: 'One', body: 'Words.' },
  { type: 'add', title: 'B', parent: 1, dependsOn: [] },
  { type: 'add', title: 'C', parent: 1, priority: 'high' },
  { type: 'add', title: 'D', phase: 'One', dependsOn: [1] },
  { type: 'add', title: 'E', phase: 'Two', status: 'completed' },
  { type: 'add', title: 'F', phase: 'Two', risk: 'high' },
];

const operation = fc.oneof(
  fc.record({ type: fc.constant('complete'), id: reference }),
  fc.record({ type: fc.constant('update'), id: reference, title: fc.constantFrom('X', 'Y') }),
  fc.record({ type: fc.constant('update'), id: reference, priority: fc.constant('low') }),
  fc.record({ type: fc.constant('remove'), id: reference, cascade: fc.constant(true) }),
  fc.record({ type: fc.constant('remove'), id: reference, promote: fc.constant(true) }),
  fc.record({ type: fc.constant('move'), id: reference, parent: reference }),
  fc.record({ type: fc.constant('move'), id: reference, phase: fc.constantFrom('One', 'Three') }),
  fc.record({ type: fc.constant('depend'), id: reference, dependsOn: fc.tuple(reference) }),
  fc.record({ type: fc.constant('add'), title: fc.constant('New'), parent: reference }),
  fc.record({ type: fc.constant('add'), title: fc.constant('Newer') }),
);

test('[CHECK1] [CHECK2] [CHECK3] after any calls, going back leaves no difference but what is told', async () => {
  const met = { changed: 0, whole: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 10 }), async (operations) => {
      const fixture = new ManagerFixture();
      await fixture.call('build', ...PLAN);
      const before = parseNote(path, fixture.text('build'));
      await fixture.call('build', ...operations);
      const now = parseNote(path, `${fixture.text('build')}\nThe person's words.\n`);
      const back = rollBack(now, before, { today: '2026-11-21', name: 'checkpoint 1' });
      if (!back.ok) throw new Error(back.message);
      const after = parseNote(path, back.text);
      if (boardChanges(before.board, now.board).length > 0) met.changed += 1;
      const left = boardChanges(before.board, after.board);
      if (back.left.length === 0) {
        met.whole += 1;
        expect(left).toEqual([]);
      }
      expect(back.text).toContain("\nThe person's words.\n");
      expect(left.filter(({ field }) => field === 'removed')).toEqual([]);
      const again = rollBack(after, before, { today: '2026-11-21', name: 'checkpoint 1' });
      expect(again.ok && again.text).toBe(back.text);
    }),
    { numRuns: 80 },
  );
  expect(met.changed).toBeGreaterThan(40);
  expect(met.whole).toBeGreaterThan(40);
});

import { describe, expect, test } from 'vitest';
import { applyPlan } from '../../src/core/exchange/apply-plan';
import { parseNote } from '../../src/core/board/note/parse-note';
import { fc } from '../seeded';
import { fileOf, planOf } from './import-fixture';
import { notes, rawLines } from './note-maker';
import { applyToBoard, FRESH, plan } from './plan-fixture';
import { titles } from './title-maker';

describe('an imported plan on any board', () => {
  test('[IMP18] on any board, all other lines stay and all tasks read as they were meant', () => {
    const sources = fc.array(
      fc.record({
        title: titles,
        ref: fc.constantFrom(null, '1', '2', '3'),
        status: fc.constantFrom('done', 'todo', 'failed', 'odd'),
        parent: fc.constantFrom(null, null, '1', '2'),
        dependsOn: fc.uniqueArray(fc.constantFrom('1', '2', '3', '9'), { maxLength: 2 }),
        phase: fc.oneof(fc.constant(null), fc.constant('Ground'), titles),
        owner: fc.oneof(fc.constant(null), titles),
        body: fc.array(fc.oneof(titles, fc.constantFrom('- [ ] x', '```', '%% a', '> b', '')), {
          maxLength: 4,
        }),
      }),
      { minLength: 1, maxLength: 5 },
    );
    const count = { done: 0, refused: 0, tasks: 0, again: 0 };
    fc.assert(
      fc.property(notes, sources, fc.boolean(), (text, list, fresh) => {
        const given = plan(list);
        const note = fresh ? undefined : parseNote('p.md', text);
        const done = applyPlan(note, given, { path: 'p.md', fresh: FRESH });
        if (!done.ok) {
          expect(done.code).toMatch(/^(bad_place|no_place|malformed_tail)$/);
          count.refused += 1;
          return;
        }
        const { board } = parseNote('p.md', done.text);
        count.done += 1;
        count.tasks += done.added;
        const before = fresh ? 0 : (note?.board.tasks.length ?? 0);
        expect(board.tasks).toHaveLength(before + done.added);
        expect(done.added + done.there).toBe(given.tasks.length);
        for (const task of given.tasks) {
          expect(board.tasks.some(({ title }) => title === task.title)).toBe(true);
        }
        if (!fresh) expectKept(text, done.text);
        const again = applyPlan(parseNote('p.md', done.text), given, {
          path: 'p.md',
          fresh: FRESH,
        });
        expect(again).toMatchObject({ ok: true, added: 0, text: done.text });
        count.again += 1;
      }),
      { numRuns: 1_500 },
    );
    expect(count.done).toBeGreaterThan(1_000);
    expect(count.refused).toBeLessThan(400);
    expect(count.tasks).toBeGreaterThan(2_000);
    expect(count.again).toBeGreaterThan(1_000);
  });

  test('[IMP22] a plan of 10,000 tasks is taken, and known again', async () => {
    const tasks = Array.from({ length: 10_000 }, (_, at) => ({
      id: at + 1,
      title: `Task ${at + 1}`,
      status: at < 100 ? 'done' : 'pending',
      dependencies: at === 0 ? [] : [at],
      details: '- [ ] a box\nand text',
    }));
    const given = await planOf(fileOf('tasks.json', JSON.stringify({ tasks })));
    const done = applyToBoard(undefined, given);
    const { board } = parseNote('p.md', done.text);
    expect(board.tasks).toHaveLength(10_000);
    expect(board.tasks[9_999]?.dependsOn).toEqual(['k3f9-9999']);
    expect(applyToBoard(done.text, given)).toMatchObject({ added: 0, there: 10_000 });
  });
});

/** Every line of the text is in the new one, in the same order; `next` may differ. */
function expectKept(text: string, now: string): void {
  const lines = rawLines(now).map((line) => line.replace(/[\r\n]+$/, ''));
  let at = 0;
  for (const line of rawLines(text).map((one) => one.replace(/[\r\n]+$/, ''))) {
    if (/^next:/.test(line)) continue;
    const found = lines.findIndex((other, i) => i >= at && (other === line || given(other, line)));
    expect([line, found >= at]).toEqual([line, true]);
    at = found + 1;
  }
}

/** Whether an id was added to a line that a new task names. */
function given(now: string, line: string): boolean {
  return now.includes('🆔') && line.includes('] ') && now.startsWith(line.slice(0, 5));
}

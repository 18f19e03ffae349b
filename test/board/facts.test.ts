import { describe, expect, test } from 'vitest';
import { boardFacts, progress } from '../../src/core/board/facts';
import type { Task } from '../../src/core/board/task';
import { setTaskStatus } from '../../src/core/board/note/edit-task';
import { withText } from '../../src/core/board/note/parse-note';
import { fc } from '../seeded';
import { boardOf, noteOf } from './note-sample';

const factsOf = (body: string) => boardFacts(boardOf(body));

const CHAIN = '- [ ] a 🆔 k3f9-1\n- [ ] b 🆔 k3f9-2 ⛔ k3f9-1\n- [ ] c 🆔 k3f9-3 ⛔ k3f9-2\n';

describe('blocked and ready', () => {
  test('[FACT1] a prerequisite blocks until it is completed or cancelled', () => {
    const states = ['[ ]', '[/]', '[!]', '[>]', '[x]', '[-]'].map((mark) => {
      const facts = factsOf(`- ${mark} a 🆔 k3f9-1\n- [ ] b 🆔 k3f9-2 ⛔ k3f9-1\n`);
      return facts.get('k3f9-2')?.blocked;
    });
    expect(states).toEqual([true, true, true, true, false, false]);
  });

  test('[FACT1] an unknown prerequisite blocks', () => {
    const facts = factsOf('- [ ] b 🆔 k3f9-2 ⛔ nobody,k3f9-9\n').get('k3f9-2');
    expect(facts).toMatchObject({ blocked: true, ready: false, blockedBy: ['nobody', 'k3f9-9'] });
  });

  test('[FACT2] an ancestor that is blocked, failed or deferred blocks, one that is done does not', () => {
    const states = [' ', '/', 'x', '-', '!', '>'].map((mark) => {
      const facts = factsOf(`- [${mark}] a\n\t- [ ] b\n\t\t- [ ] c 🆔 k3f9-3\n`);
      return facts.get('k3f9-3')?.blocked;
    });
    expect(states).toEqual([false, false, false, false, true, true]);
    const under = factsOf('- [ ] a ⛔ k3f9-9\n\t- [ ] b\n\t\t- [ ] c 🆔 k3f9-3\n').get('k3f9-3');
    expect(under).toMatchObject({ blocked: true, blockedBy: [] });
  });

  test('[FACT3] ready is pending, not blocked, with all subtasks finished', () => {
    const facts = factsOf(
      '- [ ] a 🆔 p-1\n\t- [x] b 🆔 p-2\n\t- [-] c 🆔 p-3\n- [ ] d 🆔 p-4\n\t- [/] e 🆔 p-5\n- [?] f 🆔 p-6\n',
    );
    const ready = [...facts].filter(([, fact]) => fact.ready).map(([key]) => key);
    expect(ready).toEqual(['p-1', 'p-6']);
  });

  test('[FACT22] a completed task that a run has not let go of counts as open: for what waits, above it, in the progress', () => {
    const board = boardOf('- [ ] a 🆔 p-1\n\t- [x] b 🆔 p-2\n- [ ] c 🆔 p-3 ⛔ p-2\n');
    const unchecked = { ...board, unchecked: new Set(['p-2']) };
    const ready = (of: typeof board) =>
      [...boardFacts(of)].filter(([, fact]) => fact.ready).map(([key]) => key);
    expect(ready(board)).toEqual(['p-1', 'p-3']);
    expect(ready(unchecked)).toEqual([]);
    expect(boardFacts(unchecked).get('p-3')).toMatchObject({ blocked: true, blockedBy: ['p-2'] });
    expect([progress(board).done, progress(unchecked).done]).toEqual([1, 0]);
    expect(ready(board)).toEqual(['p-1', 'p-3']);
  });

  test('[FACT4] tasks that wait for each other are all blocked, and no one frees them', () => {
    const facts = factsOf('- [ ] a 🆔 p-1 ⛔ p-2\n- [ ] b 🆔 p-2 ⛔ p-1\n- [ ] c 🆔 p-3 ⛔ p-3\n');
    expect([...facts.values()].map((fact) => fact.blocked)).toEqual([true, true, true]);
    expect(facts.get('p-3')?.frees).toBe(0);
  });
});

describe('what is written in a line stays what it waits for', () => {
  test('[FACT9] completing a task erases no prerequisite: reopened, it blocks again', () => {
    let note = noteOf(CHAIN);
    for (const status of ['completed', 'pending'] as const) {
      const result = setTaskStatus(note, 'k3f9-1', status, { today: '2026-11-21' });
      if (!result.ok) throw new Error(result.message);
      note = withText(note, result.text);
      const blocked = status === 'pending';
      expect(boardFacts(note.board).get('k3f9-2')).toMatchObject({ blocked });
      expect(note.board.tasks[1]?.dependsOn).toEqual(['k3f9-1']);
    }
  });

  test("[FACT10] another session's task is named by waitsFor, and holds nothing up", () => {
    const board = boardOf('- [ ] a [waitsFor:: ses_2/ab12-3] 🆔 k3f9-1\n');
    expect(board.tasks[0]).toMatchObject({ waitsFor: 'ses_2/ab12-3', dependsOn: [] });
    expect(boardFacts(board).get('k3f9-1')).toMatchObject({ ready: true, blockedBy: [] });
  });
});

describe('edges', () => {
  test('[FACT5] blockedBy and blocks are the two sides of what is not finished', () => {
    const facts = factsOf(`${CHAIN}- [x] d 🆔 k3f9-4\n- [ ] e ⛔ k3f9-4,k3f9-1\n`);
    expect(facts.get('k3f9-1')?.blocks).toEqual(['k3f9-2', '@14']);
    expect(facts.get('k3f9-4')?.blocks).toEqual([]);
    expect(facts.get('@14')?.blockedBy).toEqual(['k3f9-1']);
  });

  test('[FACT6] frees counts the tasks that this one alone holds up', () => {
    const frees = (body: string) => [...factsOf(body).values()].map((fact) => fact.frees);
    expect(frees(CHAIN)).toEqual([1, 1, 0]);
    expect(frees('- [ ] a 🆔 p-1\n- [ ] b 🆔 p-2\n- [ ] c ⛔ p-1,p-2\n- [ ] d ⛔ p-1\n')).toEqual([
      1, 0, 0, 0,
    ]);
    expect(
      frees('- [ ] a 🆔 p-1\n- [ ] b ⛔ p-1\n\t- [/] c\n\t- [x] d\n\t- [ ] e ⛔ p-1\n'),
    ).toEqual([3, 0, 0, 0, 0]);
    expect(frees('- [!] a 🆔 p-1\n\t- [ ] b\n')).toEqual([1, 0]);
    expect(frees('- [ ] a 🆔 p-1\n- [ ] b ⛔ p-1,nobody\n')).toEqual([0, 0]);
  });

  test('[FACT6] blocked and frees are what completing each task in turn shows', () => {
    let freed = 0;
    const task = fc.record({
      mark: fc.constantFrom(' ', ' ', ' ', '/', 'x', '!', '>', '-'),
      deeper: fc.boolean(),
      waits: fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { maxLength: 2 }),
    });
    fc.assert(
      fc.property(fc.array(task, { minLength: 1, maxLength: 9 }), (tasks) => {
        let depth = 0;
        const lines = tasks.map(({ mark, deeper, waits }, i) => {
          depth = i === 0 ? 0 : deeper ? Math.min(depth + 1, 3) : Math.max(depth - 1, 0);
          const ids = waits.map((n) => `k3f9-${n}`).join(',');
          return `${'\t'.repeat(depth)}- [${mark}] t 🆔 k3f9-${i + 1}${ids === '' ? '' : ` ⛔ ${ids}`}`;
        });
        const board = boardOf(`${lines.join('\n')}\n`);
        const facts = boardFacts(board);
        for (const one of board.tasks) {
          const blocked = slowBlocked(board.tasks);
          expect(facts.get(one.key)?.blocked).toBe(blocked.has(one.key));
          if (one.status === 'completed') continue;
          const then = slowBlocked(
            board.tasks.map((t) => (t === one ? { ...t, status: 'completed' } : t)),
          );
          const count = board.tasks.filter(
            (t) =>
              t !== one &&
              blocked.has(t.key) &&
              !then.has(t.key) &&
              ['pending', 'in_progress'].includes(t.status),
          ).length;
          expect(facts.get(one.key)?.frees).toBe(one.status === 'cancelled' ? 0 : count);
          freed += count;
        }
      }),
      { numRuns: 1000 },
    );
    expect(freed).toBeGreaterThan(100);
  });
});

test('[FACT7] subtasks and progress leave out what is cancelled', () => {
  const board = boardOf('- [ ] a 🆔 p-1\n\t- [x] b\n\t\t- [x] c\n\t- [-] d\n\t- [ ] e\n- [!] f\n');
  expect(boardFacts(board).get('p-1')).toMatchObject({ children: 2, finishedChildren: 1 });
  expect(progress(board)).toEqual({ done: 2, total: 5 });
  expect(progress({ tasks: [] })).toEqual({ done: 0, total: 0 });
});

test('[FACT8] of a duplicated id, the first task is the one that others wait for', () => {
  const facts = factsOf('- [x] a 🆔 p-1\n- [ ] b 🆔 p-1\n- [ ] c 🆔 p-2 ⛔ p-1\n');
  expect(facts.get('p-2')?.blocked).toBe(false);
  expect([...facts.keys()]).toEqual(['p-1', '@11', 'p-2']);
});

/** Keys of the blocked tasks, computed directly from the definition. */
function slowBlocked(tasks: readonly Task[]): ReadonlySet<string> {
  const find = (key: string | null): Task | undefined => tasks.find((task) => task.key === key);
  const isBlocked = (task: Task): boolean => {
    const waits = task.dependsOn.some((id) => {
      const other = find(id);
      return !other || !['completed', 'cancelled'].includes(other.status);
    });
    const parent = find(task.parent);
    return (
      waits ||
      (parent !== undefined &&
        (['failed', 'deferred'].includes(parent.status) || isBlocked(parent)))
    );
  };
  return new Set(tasks.filter(isBlocked).map((task) => task.key));
}

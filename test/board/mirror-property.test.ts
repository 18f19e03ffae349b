import { describe, expect, test } from 'vitest';
import { setTaskFields, setTaskStatus, setTaskTitle } from '../../src/core/board/note/edit-task';
import { parseNote } from '../../src/core/board/note/parse-note';
import { removeTask } from '../../src/core/board/note/place-task';
import { fc } from '../seeded';
import { Mirror, path, today } from './mirror-fixture';

/** What a person does between two lists. */
const deed = fc.record({
  type: fc.constantFrom('status', 'title', 'priority', 'remove', 'none' as const),
  at: fc.nat(5),
  /** statuses that no list sets, which marks them as the person's */
  status: fc.constantFrom('deferred', 'failed' as const),
});
const entry = fc.record({
  content: fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F'),
  status: fc.constantFrom('pending', 'in_progress', 'completed', 'cancelled'),
  priority: fc.constantFrom('high', 'medium', 'low'),
});
const turn = fc.record({
  list: fc.array(entry, { maxLength: 6 }),
  deed,
  /** when the program dies: before the write, or after it but before the state is stored */
  crash: fc.constantFrom('no', 'no', 'before', 'after' as const),
});

describe('any lists, a person and a crash in between', () => {
  test('[MIRROR4] [MIRROR7] nothing a person set is lost, nothing stands twice, nothing is deleted', () => {
    const met = { deeds: 0, kept: 0, crashes: 0, cancelled: 0 };
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 8 }), (turns) => {
        const mirror = new Mirror();
        /** what the person set, by task and field */
        const own = new Map<string, Map<string, string>>();
        const removed = new Set<string>();
        for (const { list, deed: done, crash } of turns) {
          const ids = mirror.tasks.map(({ key }) => key);
          if (crash !== 'no') {
            met.crashes += 1;
            const { last } = mirror;
            if (crash === 'after') {
              mirror.list(...list);
              mirror.last = last;
            }
            act(mirror, done, own, removed, met);
            mirror.run(list, true);
          } else {
            mirror.list(...list);
            act(mirror, done, own, removed, met);
          }
          for (const id of ids) {
            expect(removed.has(id) || mirror.tasks.some(({ key }) => key === id)).toBe(true);
          }
          for (const [id, fields] of own) {
            const task = mirror.tasks.find(({ key }) => key === id);
            if (task === undefined) continue;
            for (const [field, value] of fields) {
              met.kept += 1;
              expect([field, task[field as 'title' | 'status' | 'priority']]).toEqual([
                field,
                value,
              ]);
            }
          }
          const before = mirror.text;
          mirror.list(...list);
          expect(mirror.text).toBe(before);
          met.cancelled += mirror.tasks.filter(({ status }) => status === 'cancelled').length;
        }
      }),
      { numRuns: 150 },
    );
    for (const count of Object.values(met)) expect(count).toBeGreaterThan(50);
  });
});

function act(
  mirror: Mirror,
  { type, at, status }: typeof deed extends fc.Arbitrary<infer T> ? T : never,
  own: Map<string, Map<string, string>>,
  removed: Set<string>,
  met: { deeds: number },
): void {
  const task = mirror.tasks[at];
  if (task === undefined || type === 'none') return;
  const note = parseNote(path, mirror.text);
  const edits = {
    status: () => setTaskStatus(note, task.key, status, { today }),
    title: () => setTaskTitle(note, task.key, `mine ${task.key}`),
    priority: () => setTaskFields(note, task.key, { priority: 'lowest' }),
    remove: () => removeTask(note, task.key),
  };
  const result = edits[type]();
  if (!result.ok) throw new Error(result.message);
  mirror.text = result.text;
  met.deeds += 1;
  if (type === 'remove') {
    removed.add(task.key);
    own.delete(task.key);
    return;
  }
  const fields = own.get(task.key) ?? new Map<string, string>();
  const value = { status, title: `mine ${task.key}`, priority: 'lowest' }[type];
  own.set(task.key, fields.set(type, value));
}

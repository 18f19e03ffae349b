import { expect, test } from 'vitest';
import { boardChanges, changedKeys } from '../../src/core/board/digest';
import type { Task } from '../../src/core/board/task';
import { fc } from '../seeded';
import { boardOf } from './note-sample';

const lines = fc
  .array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('', '', '1', '2', '3')), {
    maxLength: 9,
  })
  .map((list) => {
    const taken = new Set<string>();
    return list.flatMap(([title, n]) => {
      if (n !== '' && taken.has(n)) return [];
      taken.add(n);
      return [`- [ ] ${title}${n === '' ? '' : ` 🆔 k3f9-${n}`}`];
    });
  })
  .map((list) => boardOf(list.join('\n')));

/** Pairs tasks by id, or by title (first unpaired one) if one of the two has no id. */
function slowPartners(before: readonly Task[], after: readonly Task[]): (Task | undefined)[] {
  const left = [...before];
  const take = (fits: (one: Task) => boolean): Task | undefined => {
    const at = left.findIndex(fits);
    return at < 0 ? undefined : left.splice(at, 1)[0];
  };
  const byId = after.map(({ id }) => (id === null ? undefined : take((one) => one.id === id)));
  return after.map(
    (task, at) =>
      byId[at] ?? take((one) => one.title === task.title && (one.id === null || task.id === null)),
  );
}

test('[FACT11] what differs is told by the nearest pairing: by id, else by title where one side has no id', () => {
  let pairs = 0;
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const partners = slowPartners(before.tasks, after.tasks);
      const added = after.tasks.filter((_, at) => partners[at] === undefined);
      const removed = before.tasks.filter((task) => !partners.includes(task));
      const changes = boardChanges(before, after);
      const told = (field: string) =>
        changes.filter((change) => change.field === field).map(({ id, title }) => ({ id, title }));
      expect(told('added')).toEqual(added.map(({ id, title }) => ({ id, title })));
      expect(told('removed')).toEqual(removed.map(({ id, title }) => ({ id, title })));
      expect(changedKeys(before, before)).toEqual([]);
      pairs += partners.filter((partner) => partner !== undefined).length;
    }),
    { numRuns: 3000 },
  );
  expect(pairs).toBeGreaterThan(3000);
});

test('[FACT11] ten thousand lines that say the same are paired in their order', () => {
  const many = (mark: string) => boardOf(`- [${mark}] same\n`.repeat(10_000));
  const changes = boardChanges(many(' '), many('x'));
  expect(changes).toHaveLength(10_000);
  expect(changes[0]).toMatchObject({ field: 'status', before: 'pending', after: 'completed' });
});

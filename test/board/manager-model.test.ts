import { describe, expect, test } from 'vitest';
import { fc } from '../seeded';
import { codes, ManagerFixture } from './manager-fixture';

/** A task of the simplest possible board, which keeps tasks by number. */
interface Plain {
  readonly title: string;
  status: string;
  readonly parent: number | undefined;
  dependsOn: readonly number[];
}

type Sent =
  | { type: 'add'; title: string; parent?: number; dependsOn: number[] }
  | { type: 'update'; id: number; dependsOn: number[] }
  | { type: 'update'; id: number; status: string; force: true; reason: string }
  | { type: 'complete'; id: number; force: true; reason: string }
  | { type: 'remove'; id: number };

const number = fc.integer({ min: 1, max: 8 });
const numbers = fc.uniqueArray(number, { maxLength: 3 });
/** Never a bare number, which would refer to a task; sometimes an empty title. */
const title = fc.oneof(
  { weight: 9, arbitrary: fc.string().map((text) => `t ${text}`) },
  fc.constant(' '),
);
/** Forces operations, since this model has no blocking. */
const forced = { force: fc.constant(true as const), reason: fc.constant('model') };
const operation: fc.Arbitrary<Sent> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record(
      { type: fc.constant('add' as const), title, parent: number, dependsOn: numbers },
      { requiredKeys: ['type', 'title', 'dependsOn'] },
    ),
  },
  {
    weight: 3,
    arbitrary: fc.record({ type: fc.constant('update' as const), id: number, dependsOn: numbers }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('update' as const),
      id: number,
      status: fc.constantFrom('pending', 'in_progress', 'failed', 'deferred', 'cancelled'),
      ...forced,
    }),
  },
  fc.record({ type: fc.constant('complete' as const), id: number, ...forced }),
  fc.record({ type: fc.constant('remove' as const), id: number }),
);

const start: Sent[] = ['A', 'B', 'C', 'D', 'E', 'F', 'G'].map((title, at) => ({
  type: 'add',
  title,
  dependsOn: [],
  ...(at > 4 && { parent: at - 3 }),
}));

class Model {
  readonly tasks = new Map<number, Plain>();
  private next = 1;

  /** Carries out the operation if it succeeds. @returns whether it does */
  apply(sent: Sent): boolean {
    const known = (ids: readonly number[]): boolean => ids.every((id) => this.tasks.has(id));
    if (sent.type === 'add') {
      const { parent, dependsOn } = sent;
      if (sent.title.trim() === '') return false;
      if (!known([...dependsOn, ...(parent === undefined ? [] : [parent])])) return false;
      this.tasks.set(this.next, { title: sent.title.trim(), status: 'pending', parent, dependsOn });
      if (this.hasDeadlock()) return !this.tasks.delete(this.next);
      this.next += 1;
      return true;
    }
    const task = this.tasks.get(sent.id);
    if (task === undefined) return false;
    if (sent.type === 'remove') {
      if ([...this.tasks.values()].some(({ parent }) => parent === sent.id)) return false;
      return this.tasks.delete(sent.id);
    }
    if (sent.type === 'complete') task.status = 'completed';
    else if ('status' in sent) task.status = sent.status;
    else {
      if (!known(sent.dependsOn)) return false;
      const before = task.dependsOn;
      task.dependsOn = sent.dependsOn;
      if (this.hasDeadlock()) {
        task.dependsOn = before;
        return false;
      }
    }
    return true;
  }

  /** Whether any task ends up waiting for itself, found by following every path. */
  private hasDeadlock(): boolean {
    const holds = (id: number): number[] => {
      const task = this.tasks.get(id);
      if (task === undefined) return [];
      return [...task.dependsOn, ...(task.parent === undefined ? [] : holds(task.parent))];
    };
    const children = (id: number): number[] =>
      [...this.tasks].flatMap(([key, { parent }]) => (parent === id ? [key] : []));
    const reaches = (from: number, to: number, been: Set<number>): boolean =>
      [...holds(from), ...children(from)].some((id) => {
        if (id === to) return true;
        if (been.has(id)) return false;
        been.add(id);
        return reaches(id, to, been);
      });
    return [...this.tasks.keys()].some((id) => reaches(id, id, new Set()));
  }
}

describe('against a naive model', () => {
  test('[TASKS2, TASKS10, TASKS14] any sequence of calls succeeds and fails as the model says, and leaves its tasks', async () => {
    const seen = { done: 0, failed: 0, cycle: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(operation, { minLength: 1, maxLength: 8 }), { maxLength: 6 }),
        async (calls) => {
          const fixture = new ManagerFixture();
          const model = new Model();
          await fixture.call('build', { type: 'init', title: 'Board' });
          for (const operations of [start, ...calls]) {
            const answer = await fixture.call('build', ...operations);
            const expected = operations.map((one) => model.apply(one));
            const got = codes(answer);
            expect(got.map((code) => code === 'ok')).toEqual(expected);
            seen.done += expected.filter(Boolean).length;
            seen.failed += expected.filter((ok) => !ok).length;
            seen.cycle += got.filter((code) => code === 'cycle').length;
          }
          const tasks = await fixture.board('build');
          const prefix = (id: string): number => Number(id.split('-')[1]);
          const shown = tasks
            .map(({ n, title, status, parent, dependsOn }) => ({
              n,
              title,
              status,
              parent: parent === null ? undefined : prefix(parent),
              dependsOn: dependsOn.map(prefix),
            }))
            .sort((a, b) => (a.n ?? 0) - (b.n ?? 0));
          expect(shown).toEqual(
            [...model.tasks].map(([n, task]) => ({ n, ...task, parent: task.parent })),
          );
        },
      ),
      { numRuns: 150 },
    );
    expect(seen.done).toBeGreaterThan(1_200);
    expect(seen.failed).toBeGreaterThan(150);
    expect(seen.cycle).toBeGreaterThan(10);
  });

  test('[TASKS50] whatever is sent, a call is answered and never throws', async () => {
    let answered = 0;
    const field = fc.constantFrom(
      'type',
      'title',
      'id',
      'parent',
      'dependsOn',
      'status',
      'phase',
      'agent',
      'force',
      '__proto__',
    );
    const value = fc.oneof(
      fc.constantFrom('init', 'add', 'update', 'complete', 'remove', 'list', 'done', 1, '1', '#1'),
      fc.jsonValue(),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.jsonValue(), fc.dictionary(field, value)), {
          minLength: 1,
          maxLength: 6,
        }),
        async (operations) => {
          const fixture = new ManagerFixture();
          for (let round = 0; round < 2; round += 1) {
            const answer = await fixture.call('build', ...operations);
            expect(answer.result.results).toHaveLength(operations.length);
            expect(() => JSON.stringify(answer)).not.toThrow();
            for (const path of fixture.store.files.keys()) expect(path).toMatch(/^\.opencode\//);
            answered += 1;
          }
        },
      ),
      { numRuns: 150 },
    );
    expect(answered).toBeGreaterThanOrEqual(300);
  });
});

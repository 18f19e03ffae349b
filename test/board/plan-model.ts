import { isFinished } from '../../src/core/board/facts';
import type { Task } from '../../src/core/board/task';
import { fc } from '../seeded';

/** One line of a random board. */
export interface RandomTask {
  readonly mark: string;
  readonly deeper: boolean;
  readonly waits: readonly number[];
  readonly estimate: string | null;
}

export const MAX_TASKS = 9;

/** Up to nine tasks with any hierarchy and any dependencies, including cycles. */
export const randomPlan: fc.Arbitrary<readonly RandomTask[]> = fc.array(
  fc.record({
    mark: fc.constantFrom(' ', ' ', ' ', ' ', '/', 'x', '!', '>', '-'),
    deeper: fc.boolean(),
    waits: fc.uniqueArray(fc.integer({ min: 1, max: MAX_TASKS + 1 }), { maxLength: 2 }),
    estimate: fc.constantFrom(null, null, null, null, '30m', '2h'),
  }),
  { minLength: 1, maxLength: MAX_TASKS },
);

/** @param backwards tasks wait only for earlier ones, which leaves few cycles */
export function planText(tasks: readonly RandomTask[], backwards: boolean): string {
  let depth = 0;
  return tasks
    .map(({ mark, deeper, waits, estimate }, i) => {
      depth = i === 0 ? 0 : deeper ? Math.min(depth + 1, 3) : Math.max(depth - 1, 0);
      const ids = waits.filter((n) => !backwards || n <= i).map((n) => `k3f9-${n}`);
      const field = estimate === null ? '' : ` [estimate:: ${estimate}]`;
      const tail = ids.length === 0 ? '' : ` ⛔ ${ids.join(',')}`;
      return `${'\t'.repeat(depth)}- [${mark}] t${field} 🆔 k3f9-${i + 1}${tail}\n`;
    })
    .join('');
}

/** A direct and slow implementation of the rules of a plan. */
export class NaivePlan {
  constructor(
    private readonly tasks: readonly Task[],
    private readonly more: ReadonlyMap<string, number> = new Map(),
  ) {}

  task(key: string): Task {
    const task = this.tasks.find((one) => one.key === key);
    if (task === undefined) throw new Error(`no ${key}`);
    return task;
  }

  children(key: string): readonly Task[] {
    return this.tasks.filter(({ parent }) => parent === key);
  }

  ancestors(key: string): readonly Task[] {
    const { parent } = this.task(key);
    return parent === null ? [] : [this.task(parent), ...this.ancestors(parent)];
  }

  /** Open tasks to be done first: its own and its ancestors' prerequisites, and its subtasks. */
  before(key: string): readonly string[] {
    const ids = [this.task(key), ...this.ancestors(key)].flatMap(({ dependsOn }) => dependsOn);
    const known = this.tasks.filter((task) => ids.includes(task.key));
    const all = [...known, ...this.children(key)].filter((task) => !isFinished(task));
    return [...new Set(all.map((task) => task.key))];
  }

  /** Whether it, or anything it waits for, waits for itself. */
  isInCycle(key: string): boolean {
    return [key, ...this.allBefore(key)].some((one) => this.allBefore(one).has(one));
  }

  private allBefore(key: string): ReadonlySet<string> {
    const all = new Set(this.before(key));
    for (const one of all) for (const more of this.before(one)) all.add(more);
    return all;
  }

  step(key: string): number {
    return this.children(key).some((task) => !isFinished(task)) ? 0 : 1;
  }

  weight(key: string): number {
    const minutes = new Map([
      ['30m', 30],
      ['2h', 120],
    ]);
    const estimated = this.tasks.some((task) => !isFinished(task) && task.estimate !== null);
    const extra = this.more.get(key) ?? 0;
    if (this.step(key) === 0) return extra;
    if (!estimated) return 1 + extra;
    if (this.children(key).some(({ status }) => status !== 'cancelled')) return extra;
    return (minutes.get(this.task(key).estimate ?? '') ?? 60) + extra;
  }

  end(key: string): number {
    return Math.max(0, ...this.before(key).map((one) => this.end(one))) + this.weight(key);
  }

  wave(key: string): number {
    return Math.max(0, ...this.before(key).map((one) => this.wave(one))) + this.step(key);
  }

  length(): number {
    const ends = this.tasks
      .filter((task) => !isFinished(task) && !this.isInCycle(task.key))
      .map(({ key }) => this.end(key));
    return Math.max(0, ...ends);
  }

  /** How much longer a task can take before the plan does. */
  slack(key: string): number {
    const much = 1e6;
    return much - (new NaivePlan(this.tasks, new Map([[key, much]])).length() - this.length());
  }
}

import type { Board, Task } from '../../src/core/board/task';

/** A short way to write a task. */
export function task(n: number, given: Partial<Task> = {}): Task {
  const id = `k3f9-${n}`;
  return {
    ...{ key: id, id, n, title: `Task ${n}`, status: 'pending', mark: ' ', parent: null, depth: 0 },
    ...{ phase: null, dependsOn: [], priority: 'normal', owner: null, scope: null, risk: null },
    ...{ impact: null, level: null, reason: null, estimate: null, approve: null, due: null },
    review: null,
    ...{ done: null, cancelled: null, waitsFor: null, body: [], line: n + 10, malformed: null },
    ...given,
  };
}

export function board(tasks: readonly Task[], rev = 1): Board {
  return {
    ...{ path: 'p.md', session: 'planner', agent: 'build', title: 'Plan', prefix: 'k3f9', rev },
    ...{ tasks, problems: [], broken: null },
  };
}

import type { Task } from '../src/core/board/task';

const BLANK: Task = {
  key: '',
  id: null,
  n: null,
  title: 'Build part of the index',
  status: 'pending',
  mark: ' ',
  parent: null,
  depth: 0,
  phase: null,
  dependsOn: [],
  priority: 'normal',
  owner: null,
  scope: null,
  risk: null,
  impact: null,
  level: null,
  reason: null,
  estimate: null,
  approve: null,
  review: null,
  due: null,
  done: null,
  cancelled: null,
  waitsFor: null,
  body: [],
  line: 1,
  malformed: null,
};

/** Seeded random numbers by Lehmer's generator. */
export function seededRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => (state = (state * 16_807) % 2_147_483_647) % below;
}

/** A plan of `size` tasks, each waiting for up to three of the two hundred before it. */
export function samplePlan(size: number): readonly Task[] {
  const draw = seededRandom(7);
  return Array.from({ length: size }, (_, at) => {
    const waits = Array.from({ length: Math.min(at, draw(4)) }, () => at - draw(Math.min(at, 200)));
    const key = `k3f9-${at + 1}`;
    const dependsOn = [...new Set(waits)].map((n) => `k3f9-${n}`);
    return { ...BLANK, key, id: key, n: at + 1, dependsOn };
  });
}

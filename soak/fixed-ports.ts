import type { Clock, Ids } from '../src/core/ports';
import { SeededRandom } from './seeded';

/** A clock that stands still; its timers never fire. */
export const fixedClock: Clock = {
  now: () => Date.UTC(2026, 10, 21, 12),
  today: () => '2026-11-21',
  after: () => () => undefined,
};

export function seededIds(seed: number): Ids {
  const random = new SeededRandom(seed);
  let count = 0;
  return { unique: () => `u${seed}-${(count += 1)}`, random: () => random.next() };
}

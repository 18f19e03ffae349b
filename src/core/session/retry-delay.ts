const SHORTEST = 250;
const LONGEST = 15_000;

/**
 * How long to wait before try number `attempt` (from 1), in ms: uniform between 250 ms and a bound
 * that doubles from 500 ms to 15 s. Full jitter, so that clients of one bridge don't return at once.
 * @param random uniform in [0, 1)
 */
export function retryDelay(attempt: number, random: number): number {
  const bound = Math.min(LONGEST, SHORTEST * 2 ** attempt);
  return Math.round(SHORTEST + random * (bound - SHORTEST));
}

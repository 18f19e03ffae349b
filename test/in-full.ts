import { test } from 'vitest';

/**
 * Whether the long tests run in full, as in `npm run soak -- --only R17`. `npm test` runs a small
 * version of each: fewer cases of a property, fewer moments of a kill, one variant of several.
 */
export const IN_FULL = process.env.IN_FULL === '1';

/** Number of cases: `full` in a full run, else a tenth. */
export function caseCount(full: number): number {
  return IN_FULL ? full : Math.ceil(full / 10);
}

/** Step of a loop over moments or variants: 1 in a full run, else `step`. */
export function stepSize(step: number): number {
  return IN_FULL ? 1 : step;
}

/** A variant of a test next to it. A rule that only such a test cites counts as untested. */
export const testInFull = test.runIf(IN_FULL);

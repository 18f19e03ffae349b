import { test } from 'vitest';

/**
 * Whether the long tests run in full, as `npm run soak -- --only R17` has them. `npm test` runs a small
 * version of each: fewer cases of a property, fewer moments of a kill, one variant of several.
 */
export const IN_FULL = process.env.IN_FULL === '1';

/** How many cases: so many in full, else a tenth. */
export function runs(full: number): number {
  return IN_FULL ? full : Math.ceil(full / 10);
}

/** The step of a loop through moments or variants: 1 in full, else so much. */
export function every(step: number): number {
  return IN_FULL ? 1 : step;
}

/** A variant of what a test beside it proves. A rule that only it cites counts as one without a test. */
export const testInFull = test.runIf(IN_FULL);

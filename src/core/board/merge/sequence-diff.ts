import { diffIndices } from 'node-diff3';

/** A run of `before` that was replaced by a run of `after`; either may be empty. */
export interface Hunk {
  readonly before: number;
  readonly beforeLength: number;
  readonly after: number;
  readonly afterLength: number;
}

interface IndexRange {
  readonly from: number;
  readonly to: number;
}

/**
 * The differences between two sequences, in order. Items that occur once in each and in the same order are
 * aligned first, so that the time for a long note depends on its changed parts. Not always the fewest
 * differences, but always all of them.
 */
export function sequenceDiff(before: readonly string[], after: readonly string[]): readonly Hunk[] {
  if (before.length === after.length && before.every((item, at) => item === after[at])) return [];
  const hunks: Hunk[] = [];
  let [b, a] = [0, 0];
  for (const [atBefore, atAfter] of [...anchors(before, after), [before.length, after.length]]) {
    hunks.push(...diffBetween(before, after, { from: b, to: atBefore }, { from: a, to: atAfter }));
    [b, a] = [atBefore + 1, atAfter + 1];
  }
  return joinAdjacent(hunks);
}

function diffBetween(
  before: readonly string[],
  after: readonly string[],
  one: IndexRange,
  other: IndexRange,
): readonly Hunk[] {
  let [b, a, bEnd, aEnd] = [one.from, other.from, one.to, other.to];
  while (b < bEnd && a < aEnd && before[b] === after[a]) [b, a] = [b + 1, a + 1];
  while (b < bEnd && a < aEnd && before[bEnd - 1] === after[aEnd - 1]) {
    [bEnd, aEnd] = [bEnd - 1, aEnd - 1];
  }
  if (b === bEnd && a === aEnd) return [];
  const [was, is] = [before.slice(b, bEnd), after.slice(a, aEnd)];
  if (lcsCost(was, is) > MAX_WORK) {
    return [{ before: b, beforeLength: was.length, after: a, afterLength: is.length }];
  }
  const found = diffIndices(was, is);
  return found.map(({ buffer1, buffer2 }) => ({
    before: b + Number(buffer1[0]),
    beforeLength: Number(buffer1[1]),
    after: a + Number(buffer2[0]),
    afterLength: Number(buffer2[1]),
  }));
}

/** About 100 ms. A longer run (thousands of lines made of the same few) becomes one hunk. */
const MAX_WORK = 30_000_000;

/** Maximum cost of the longest common subsequence: pairs of equal items, times its length. */
function lcsCost(was: readonly string[], is: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const item of was) counts.set(item, (counts.get(item) ?? 0) + 1);
  let pairs = 0;
  for (const item of is) pairs += counts.get(item) ?? 0;
  return pairs * Math.min(was.length, is.length);
}

/** The longest run of pairs, in order, of items that occur once in each sequence. */
function anchors(
  before: readonly string[],
  after: readonly string[],
): readonly (readonly [number, number])[] {
  const [here, there] = [uniquePositions(before), uniquePositions(after)];
  const pairs: (readonly [number, number])[] = [];
  for (const [item, at] of here) {
    const other = there.get(item) ?? -1;
    if (at >= 0 && other >= 0) pairs.push([at, other]);
  }
  return longestIncreasing(pairs.sort(([a], [b]) => a - b));
}

/** Index of each item; -1 if it occurs more than once. */
function uniquePositions(items: readonly string[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  items.forEach((item, at) => found.set(item, found.has(item) ? -1 : at));
  return found;
}

/** The longest subsequence with increasing second numbers. */
function longestIncreasing(
  pairs: readonly (readonly [number, number])[],
): readonly (readonly [number, number])[] {
  const tops: number[] = [];
  const previous: number[] = [];
  pairs.forEach(([, value], index) => {
    let [low, high] = [0, tops.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[tops[middle] ?? 0]?.[1] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    previous[index] = low === 0 ? -1 : (tops[low - 1] ?? -1);
    tops[low] = index;
  });
  const run: (readonly [number, number])[] = [];
  for (let at = tops.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) {
    const pair = pairs[at];
    if (pair !== undefined) run.push(pair);
  }
  return run.reverse();
}

/** Joins adjacent hunks. */
function joinAdjacent(hunks: readonly Hunk[]): readonly Hunk[] {
  const result: Hunk[] = [];
  for (const hunk of hunks) {
    const last = result.at(-1);
    const touches =
      last !== undefined &&
      last.before + last.beforeLength === hunk.before &&
      last.after + last.afterLength === hunk.after;
    if (!touches) result.push(hunk);
    else {
      result[result.length - 1] = {
        ...last,
        beforeLength: last.beforeLength + hunk.beforeLength,
        afterLength: last.afterLength + hunk.afterLength,
      };
    }
  }
  return result;
}

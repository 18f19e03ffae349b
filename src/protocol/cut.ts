import { MAX_TEXT } from './fields';
import { MAX_DEPTH } from './frame-limits';

/** A value with its long strings cut, and the full length of the longest (0: none was cut). */
export interface Cut {
  readonly value: unknown;
  readonly longest: number;
}

/** Stands for what is nested too deep. */
const DEEPER = '…';

/**
 * Copies the payload of a frame with every string longer than `limit` UTF-16 units cut, never inside
 * a character, and without what a frame may not nest.
 */
export function cutPayload(value: unknown, limit: number = MAX_TEXT): Cut {
  let longest = 0;
  const copy = (part: unknown, level: number): unknown => {
    if (typeof part === 'string') {
      if (part.length <= limit) return part;
      longest = Math.max(longest, part.length);
      return part.slice(0, endsInPair(part, limit) ? limit - 1 : limit);
    }
    if (typeof part !== 'object' || part === null) return part;
    if (level > MAX_DEPTH) return DEEPER;
    if (Array.isArray(part)) return part.map((child) => copy(child, level + 1));
    const entries = Object.entries(part).map(([key, child]) => [key, copy(child, level + 1)]);
    return Object.fromEntries(entries);
  };
  return { value: copy(value, 2), longest };
}

/** Whether a cut at `at` would leave the first half of a surrogate pair. */
function endsInPair(text: string, at: number): boolean {
  const unit = text.charCodeAt(at - 1);
  return unit >= 0xd800 && unit <= 0xdbff;
}

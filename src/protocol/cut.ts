import { MAX_TEXT } from './fields';

/** A value with its long strings cut, and the full length of the longest (0: none was cut). */
export interface Cut {
  readonly value: unknown;
  readonly longest: number;
}

/** Copies JSON with every string longer than `limit` UTF-16 units cut, never inside a character. */
export function cutStrings(value: unknown, limit: number = MAX_TEXT): Cut {
  let longest = 0;
  const copy = (part: unknown): unknown => {
    if (typeof part === 'string') {
      if (part.length <= limit) return part;
      longest = Math.max(longest, part.length);
      return part.slice(0, endsInPair(part, limit) ? limit - 1 : limit);
    }
    if (Array.isArray(part)) return part.map(copy);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, child]) => [key, copy(child)]));
  };
  return { value: copy(value), longest };
}

/** Whether a cut at `at` would leave the first half of a surrogate pair. */
function endsInPair(text: string, at: number): boolean {
  const unit = text.charCodeAt(at - 1);
  return unit >= 0xd800 && unit <= 0xdbff;
}

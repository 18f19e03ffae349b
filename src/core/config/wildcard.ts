/** Longest pattern in characters; longer than any path. */
const MAX_PATTERN = 4096;

type Token = '*' | ((char: string) => boolean);

/**
 * Whether a text matches a pattern: `*` matches any characters, `?` one, and with `sets`, `[ab]`
 * and `[!a-z]` one of a set. Takes at most pattern × text steps.
 */
export function matchesGlob(pattern: string, text: string, sets = false): boolean {
  if (pattern.length > MAX_PATTERN) return false;
  const tokens = tokensOf(pattern, sets);
  const chars = [...text];
  let [at, next] = [0, 0];
  let star = -1;
  let from = 0;
  while (at < chars.length) {
    const token = tokens[next];
    if (token === '*') {
      [star, from] = [next, at];
      next += 1;
    } else if (token?.(chars[at] ?? '') === true) {
      at += 1;
      next += 1;
    } else if (star >= 0) {
      from += 1;
      [at, next] = [from, star + 1];
    } else return false;
  }
  return tokens.slice(next).every((token) => token === '*');
}

function tokensOf(pattern: string, sets: boolean): readonly Token[] {
  const parts = pattern.matchAll(sets ? /\[[!^]?\]?[^\]]*\]|[^]/gu : /[^]/gu);
  return [...parts].map(([part]): Token => {
    if (part === '*') return '*';
    if (part === '?') return () => true;
    if (part.length < 3 || !part.startsWith('[')) return (char) => char === part;
    const isNot = /^\[[!^]/.test(part);
    const inner = part.slice(isNot ? 2 : 1, -1);
    const ranges = [...inner.matchAll(/([^])-([^])|[^]/gu)].map(
      ([one, low = one, high = one]) => [low, high] as const,
    );
    return (char) => ranges.some(([low, high]) => low <= char && char <= high) !== isNot;
  });
}

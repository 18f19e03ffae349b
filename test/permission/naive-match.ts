/** A direct implementation of patterns. Exponential time: for short texts only. */
export function naiveMatch(
  pattern: readonly string[],
  path: readonly string[],
  begins = true,
): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return path.length === 0;
  const [char, ...more] = path;
  const stars = pattern.findIndex((each) => each !== '*');
  const run = stars === -1 ? pattern.length : stars;
  if (run >= 2) {
    const behind = pattern.slice(run);
    if (begins && behind[0] === '/') return folders(behind.slice(1), path);
    return (
      path.some((_, at) => naiveMatch(behind, path.slice(at), false)) ||
      naiveMatch(behind, [], false)
    );
  }
  if (first === '*') {
    return (
      naiveMatch(rest, path, false) ||
      (char !== undefined && char !== '/' && naiveMatch(pattern, more, false))
    );
  }
  if (first === '/' && /^\*{2,}(?:\/\*{2,})*$/.test(rest.join(''))) {
    return char === undefined || char === '/';
  }
  if (char === undefined) return false;
  if (first === '?') return char !== '/' && naiveMatch(rest, more, false);
  if (first === '\\') return rest[0] === char && naiveMatch(rest.slice(1), more, false);
  return first === char && naiveMatch(rest, more, first === '/');
}

/** Matches after any number of folders; another `**` and slash change nothing. */
function folders(behind: readonly string[], path: readonly string[]): boolean {
  return [0, ...path.flatMap((char, at) => (char === '/' ? [at + 1] : []))].some((at) =>
    naiveMatch(behind, path.slice(at), true),
  );
}

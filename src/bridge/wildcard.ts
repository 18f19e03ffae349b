/**
 * OpenCode's own wildcards for permissions, as measured: `*` is any text, slashes too, `?` one
 * character, and a trailing ` *` may be missing altogether. Linear but for the number of stars.
 */
export function matchesWildcard(text: string, pattern: string): boolean {
  if (pattern.endsWith(' *') && matchesWildcard(text, pattern.slice(0, -2))) return true;
  let at = 0;
  let star = -1;
  let resume = 0;
  for (let i = 0; i < text.length;) {
    const wanted = pattern[at];
    if (wanted === '*') {
      star = at++;
      resume = i;
    } else if (wanted !== undefined && (wanted === '?' || wanted === text[i])) {
      at++;
      i++;
    } else if (star !== -1) {
      at = star + 1;
      i = ++resume;
    } else return false;
  }
  while (pattern[at] === '*') at++;
  return at === pattern.length;
}

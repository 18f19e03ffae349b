const BASE36 = '0123456789abcdefghijklmnopqrstuvwxyz';

/** Four characters of lower-case base 36, the first a letter; neither `true` nor `null`. */
const PREFIX = /^(?!true$|null$)[a-z][0-9a-z]{3}$/;

/** An id as given by boards. */
export const BOARD_ID = /^[0-9a-z]{4}-[1-9][0-9]*$/;

/** An id as allowed after `⛔` and `🆔`. */
export const ANY_ID = /^[A-Za-z0-9_-]+$/;

/** A new board's prefix. `random` is uniform in [0, 1). */
export function drawPrefix(random: () => number): string {
  for (;;) {
    const letter = BASE36.charAt(10 + Math.floor(random() * 26));
    const rest = [0, 0, 0].map(() => BASE36.charAt(Math.floor(random() * 36))).join('');
    if (PREFIX.test(letter + rest)) return letter + rest;
  }
}

/** The n of `<prefix>-<n>`, null for an id of any other form. */
export function numberOf(id: string, prefix: string): number | null {
  const dash = prefix.length;
  const from = dash + 1;
  if (id.charCodeAt(dash) !== 0x2d) return null;
  // Backwards, since ids differ at their end; `startsWith` takes longer for these few characters.
  for (let i = dash - 1; i >= 0; i -= 1) {
    if (id.charCodeAt(i) !== prefix.charCodeAt(i)) return null;
  }
  if (id.length <= from || id.length > from + 15 || id.charCodeAt(from) === 0x30) return null;
  let n = 0;
  for (let i = from; i < id.length; i += 1) {
    const digit = id.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return null;
    n = n * 10 + digit;
  }
  return n;
}

/** Four characters of lower-case base 36, the first a letter, neither `true` nor `null`. `random` is uniform in [0, 1). */
export function drawPrefix(random: () => number): string {
  throw new Error(`drawPrefix ${random()}`);
}

/** The beginning of a text, at most `most` UTF-16 units and never half a character. */
export function beginning(text: string, most: number): string {
  if (text.length <= most) return text;
  return text.slice(0, isFirstHalf(text, most - 1) ? most - 1 : most);
}

/** The end of a text, at most `most` UTF-16 units and never half a character. */
export function ending(text: string, most: number): string {
  if (text.length <= most) return text;
  const from = text.length - most;
  return text.slice(isFirstHalf(text, from - 1) ? from + 1 : from);
}

/** Whether a text holds half a character, which no file and no wire can carry. */
export function isCutInside(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}

function isFirstHalf(text: string, at: number): boolean {
  const point = text.codePointAt(at);
  return point !== undefined && point > 0xffff;
}

/** A text of the source in a message: one line, and not all of a long one. */
export function shown(text: string): string {
  const line = text.replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ').replace(/\p{Surrogate}/gu, '\ufffd');
  return line.length > 60 ? `${[...line].slice(0, 57).join('')}…` : line;
}

/** Controls, what has no shape and what turns the direction of writing; joiners are part of words. */
const UNSEEN = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]+/gu;

/** A name or title that others chose, as one line that reads in the order in which it stands. */
export function plainLine(text: string): string {
  return text.replace(UNSEEN, ' ').trim();
}

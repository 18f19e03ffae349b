/** What a word counts by where it stands. */
const FIELDS: ReadonlyMap<string, number> = new Map([
  ['title', 8],
  ['headings', 3],
  ['tags', 3],
  ['text', 1],
]);
/** What a word counts that only begins with one of the query, or is like one. */
const BEGINS = 0.7;
const LIKE = 0.4;

/**
 * How well a note fits a query. It hangs on this note alone, not on how often a word stands in others,
 * as rarity does: what an agent may not read must not show in the order of what it may.
 * @param found words of the query that the note has, or has one like
 * @param match fields in which each word of the note stands
 */
export function matchScore(
  found: readonly string[],
  match: Readonly<Record<string, readonly string[]>>,
): number {
  const inNote = Object.entries(match).map(([word, fields]) => {
    return { word, weight: fields.reduce((sum, field) => sum + (FIELDS.get(field) ?? 0), 0) };
  });
  const scores = found.map((wanted) => {
    const best = inNote.map(({ word, weight }) => weight * closeness(wanted, word));
    // A longer word says more, as a rule.
    return Math.max(0, ...best) * Math.log2(1 + wanted.length);
  });
  return scores.reduce((total, score) => total + score, 0);
}

function closeness(wanted: string, word: string): number {
  if (word === wanted) return 1;
  return word.startsWith(wanted) ? BEGINS : LIKE;
}

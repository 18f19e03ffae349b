/** Words behind an `@` at the cursor: a note that is looked for. */
export interface NoteQuery {
  readonly words: string;
  /** where the `@` stands */
  readonly from: number;
  readonly to: number;
}

/** The query that the cursor stands in; an `@` inside of a word begins none. */
export function noteQuery(text: string, cursor: number): NoteQuery | undefined {
  const from = text.lastIndexOf('@', cursor - 1);
  if (from < 0 || /[^\s([{"']/.test(text.charAt(from - 1))) return undefined;
  const words = text.slice(from + 1, cursor);
  if (words.length > 60 || /[\n@]|^\s|\s{2}/.test(words)) return undefined;
  return { words, from, to: cursor };
}

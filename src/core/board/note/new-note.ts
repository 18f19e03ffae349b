/** The text of a new board note: header (next 1, rev 0) and title heading. `title` is tidied. */
export function newNote(spec: {
  readonly session: string;
  readonly agent: string;
  readonly title: string;
  readonly prefix: string;
}): string {
  throw new Error(spec.title);
}

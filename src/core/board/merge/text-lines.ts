/** A line and what ends it: `\n`, `\r\n`, `\r`, or nothing for the last one. */
export interface TextLine {
  readonly text: string;
  readonly end: string;
}

/** The lines of a text; the last has no end and is empty where the text ends with one. */
export function textLines(text: string): readonly TextLine[] {
  const lines: TextLine[] = [];
  let from = 0;
  for (const { 0: end, index } of text.matchAll(/\r\n|\r|\n/g)) {
    lines.push({ text: text.slice(from, index), end });
    from = index + end.length;
  }
  lines.push({ text: text.slice(from), end: '' });
  return lines;
}

/** A text as editors hold it: each line ends with `\n`. */
export function editorText(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n');
}

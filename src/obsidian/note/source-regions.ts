import { StateField, type EditorState, type Text } from '@codemirror/state';

/** What of a note is not prose; line numbers are 1-based. */
export interface Regions {
  /** the last line of the front matter, 0 where there is none */
  readonly header: number;
  /** first and last line of each fence, in order */
  readonly fences: readonly (readonly [number, number])[];
}

/** Kept with the text, read again with each change: one pass over the lines. */
export const regionsField = StateField.define<Regions>({
  create: ({ doc }) => readRegions(doc),
  update: (regions, { docChanged, newDoc }) => (docChanged ? readRegions(newDoc) : regions),
});

export function inFence(state: EditorState, line: number): boolean {
  return state.field(regionsField).fences.some(([from, to]) => line >= from && line <= to);
}

function readRegions(doc: Text): Regions {
  const fences: (readonly [number, number])[] = [];
  let header = 0;
  let opened: { line: number; mark: string } | undefined;
  let number = 0;
  let inHeader = false;
  for (const line of doc.iterLines()) {
    number += 1;
    if (number === 1) inHeader = /^\uFEFF?---\s*$/.test(line);
    else if (inHeader && header === 0 && /^(---|\.\.\.)\s*$/.test(line)) header = number;
    else if (!inHeader || header > 0) {
      const [, mark] = /^[\s>]*(?:[-*+]\s+)?(`{3,}|~{3,})/.exec(line) ?? [];
      if (mark === undefined) continue;
      if (opened === undefined) opened = { line: number, mark };
      else if (mark.startsWith(opened.mark)) {
        fences.push([opened.line, number]);
        opened = undefined;
      }
    }
  }
  if (opened !== undefined) fences.push([opened.line, number]);
  return { header, fences };
}

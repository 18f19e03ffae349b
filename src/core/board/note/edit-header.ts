import { behindLine, cutLines } from './blocks';
import { applySplices, refuse, type EditResult, type Splice } from './edit-result';
import { escapeHeading } from './escape';
import { MOST_REV, readHeader, yamlText } from './header';
import type { Layout, Note } from './note';
import { checkTitle, tidyTitle } from './title';

/** Sets the board's title: in the header and, where it says the same, in the title heading. */
export function setTitle(note: Note, title: string): EditResult {
  const { board, layout, text } = note;
  if (!layout) return refuseBroken(note);
  const checked = checkTitle(title);
  if (!checked.ok) return checked;
  if (checked.title === board.title) return { ok: true, text };
  const splices = [...headerSplices(layout, 'title', yamlText(checked.title))];
  const heading = layout.scan.headings.find((h) => h.level === 1 && h.text === board.title);
  if (heading) {
    splices.push({ from: heading.from, to: heading.to, text: escapeHeading(checked.title) });
  }
  const edited = applySplices(text, splices);
  const read = readHeader(edited);
  if (read.ok && read.header.data.title === checked.title) return { ok: true, text: edited };
  return refuse(
    'broken_note',
    "The title in the header of this note is written in a way that can't be edited.",
  );
}

/** Raises `rev` by one, up to the highest there is; once per write by a program. */
export function bumpRev(note: Note): EditResult {
  const { board, layout, text } = note;
  if (!layout) return refuseBroken(note);
  const splices = headerSplices(layout, 'rev', String(Math.min(board.rev + 1, MOST_REV)));
  return { ok: true, text: applySplices(text, splices) };
}

/**
 * Sets one key of the header; a missing one becomes its last line. Nothing where the value can't be
 * replaced: counters can do without, and a title in that form makes the note broken.
 */
export function headerSplices(layout: Layout, key: string, value: string): readonly Splice[] {
  const { values, close } = layout.header;
  const old = values.get(key);
  if (old === undefined) {
    return [{ from: close, to: close, text: `${key}: ${value}${layout.eol}` }];
  }
  if (old.from < 0) return [];
  const { from, to } = old;
  return [{ from, to, text: from === to ? ` ${value}` : value }];
}

/** The text with one key of the header set, or without it where it is none that a person wrote in another form. */
export function withHeaderKey({ layout, text }: Note, key: string, value: string | null): string {
  if (layout === null) return text;
  if (value !== null) return applySplices(text, headerSplices(layout, key, value));
  const old = layout.header.values.get(key);
  return old === undefined || old.from < 0
    ? text
    : cutLines(text, old.at, behindLine(text, old.to));
}

/** Whether `rev` rises with each write: not where a person wrote something else there. */
export function countsWrites({ layout }: Note): boolean {
  return layout?.header.values.get('rev')?.from !== -1;
}

export function refuseBroken({ board }: Note): EditResult<never> {
  return refuse(
    'broken_note',
    `This note can't be edited until it is repaired. ${board.broken?.reason ?? ''}`,
  );
}

/** The text of a new board note: header (next 1, rev 0) and title heading. `title` is tidied. */
export function newNote(spec: {
  readonly session: string;
  readonly agent: string;
  readonly title: string;
  readonly prefix: string;
}): string {
  const title = tidyTitle(spec.title);
  return [
    '---',
    'board: 1',
    `session: ${yamlText(spec.session)}`,
    `agent: ${yamlText(spec.agent)}`,
    `title: ${yamlText(title)}`,
    `prefix: ${yamlText(spec.prefix)}`,
    'next: 1',
    'rev: 0',
    '---',
    '',
    `# ${escapeHeading(title)}`,
    '',
  ].join('\n');
}

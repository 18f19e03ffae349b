import { refuseChange } from '../change-faults';
import type { Fault } from '../../fault';
import { afterLineEnd, cutLines } from './blocks';
import { applySplices, type EditResult, type Splice } from './edit-result';
import { withSplices, withText } from './parse-note';
import { escapeHeading } from './escape';
import { MAX_REV, yamlText } from './header';
import type { Layout, Note } from './note';
import { checkTitle, tidyTitle } from './title';

/** Sets the board's title in the header and, if it has the same text, in the title heading. */
export function setTitle(note: Note, title: string): EditResult {
  const { board, layout } = note;
  if (!layout) return refuseBroken(note);
  const checked = checkTitle(title);
  if (!checked.ok) return checked;
  if (checked.title === board.title) return note;
  const splices = [...headerSplices(layout, 'title', yamlText(checked.title))];
  const heading = layout.scan.headings.find((h) => h.level === 1 && h.text === board.title);
  if (heading) {
    splices.push({ from: heading.from, to: heading.to, text: escapeHeading(checked.title) });
  }
  const edited = withSplices(note, splices);
  if (edited.layout?.header.data.title === checked.title) return edited;
  return refuseChange('broken_note', 'titleNotEdited');
}

/**
 * Sets `rev` to one more than the larger of itself and `least`, at most `MAX_REV`. Called once per
 * write by a program.
 */
export function bumpRev(note: Note, least = 0): Note {
  const { board, layout } = note;
  if (!layout) return note;
  const { header } = layout;
  const rev = Math.min(Math.max(board.rev, least) + 1, MAX_REV);
  const written = String(rev);
  const splices = headerSplices(layout, 'rev', written);
  const old = header.values.get('rev');
  if (old === undefined || old.to - old.from !== written.length) return withSplices(note, splices);
  // A number of the same length moves no offsets, so the note need not be parsed again.
  const values = new Map(header.values).set('rev', { ...old, text: written });
  const data = { ...header.data, rev };
  const counted = { ...layout, header: { ...header, data, values } };
  const text = applySplices(note.text, splices);
  return { ok: true, text, board: { ...board, rev }, layout: counted };
}

/**
 * Sets one key of the header; a missing key is added as its last line. Returns no splices if the
 * value can't be replaced: counters may stay as they are, and a title in that form makes the note
 * broken.
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

/** Sets one key of the header, or removes it (null). A value in a person's own form stays. */
export function withHeaderKey(note: Note, key: string, value: string | null): Note {
  const { layout, text } = note;
  if (layout === null) return note;
  if (value !== null) return withSplices(note, headerSplices(layout, key, value));
  const old = layout.header.values.get(key);
  if (old === undefined || old.from < 0) return note;
  return withText(note, cutLines(text, old.at, afterLineEnd(text, old.to)));
}

/** Whether each write raises `rev`; false if a person wrote an invalid value there. */
export function countsWrites({ layout }: Note): boolean {
  return layout?.header.values.get('rev')?.from !== -1;
}

export function refuseBroken({ board: { broken } }: Note): Fault {
  return refuseChange('broken_note', 'notEdited', { why: [broken?.reason ?? '', broken?.said] });
}

/** The text of a new board note: header (next 1, rev 0) and title heading. `title` is tidied. */
export function newNoteText(spec: {
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

import type { Clock } from '../../ports';
import { joinNotes, type JoinedNotes } from '../folder-layout/join-notes';
import { isIndex } from '../folder-layout/join-index';
import { INDEX, type LayoutFile } from '../folder-layout/split-note';
import { textMark } from '../folder-layout/text-mark';
import { mergeNote } from '../merge/merge-note';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { fault } from '../operation/outcome';
import type { Fault } from '../operation/read-operation';
import type { Board } from '../task';
import type { TodoManager } from '../todo-manager';
import { nameOfPath, type ImportSource } from './import-source';
import type { ImportedBoard } from './import-into';
import type { Left } from './imported-plan';
import { readFiles } from './source-files';
import { unfollowedPlaces } from './unfollowed-places';

/** Whether a folder is a board with one note per task, as our own export makes it. */
export async function isNotesLayout({ reader, path, kind }: ImportSource): Promise<boolean> {
  if (kind !== 'folder') return false;
  const entries = await reader.list(path);
  if (!entries.some((entry) => entry.name === INDEX && entry.kind === 'file')) return false;
  const text = await reader.read(`${path}/${INDEX}`);
  return text !== undefined && isIndex(text);
}

/** A folder of notes that was read, as the board it stands for. */
export interface ReadNotes {
  readonly ok: true;
  /** the folder's */
  readonly name: string;
  readonly joined: JoinedNotes;
  readonly board: Board;
  /** what was changed in notes of tasks and is not read */
  readonly left: readonly Left[];
}

/** Reads a folder of notes without a look at the board that it came from. */
export async function readNotes(
  { reader, path }: ImportSource,
  clock: Pick<Clock, 'today'>,
): Promise<ReadNotes | Fault> {
  const unread: Left[] = [];
  const files = await readFiles(reader, path, '.md', unread);
  const [bad] = unread;
  if (bad !== undefined) return fault('bad_layout', `${bad.what} can't be read: ${bad.why}`);
  const joined = joinNotes(files.map(renamed), clock.today());
  if (!joined.ok) return joined;
  const { board } = parseNote('board.md', joined.text);
  if (board.broken !== null) return fault('bad_layout', board.broken.reason);
  const left = joined.left.map((why) => ({ what: 'a change', why }));
  return { ok: true, name: nameOfPath(path), joined, board, left };
}

/**
 * Brings a board that was exported as one note per task back to its note: the same bytes where nothing
 * was changed. A board that is still as it was exported becomes what the folder says; else what was
 * changed on the board meanwhile stays, and where both changed the same, nothing is written and it is
 * said what to look at.
 */
export async function importNotes(
  manager: TodoManager,
  source: ImportSource,
  clock: Pick<Clock, 'today'>,
): Promise<ImportedBoard | Fault> {
  const read = await readNotes(source, clock);
  if (!read.ok) return read;
  const { name, joined, board } = read;
  const { path } = await manager.place(board.session, board.agent, board.title);
  let text: string | undefined;
  let before: string | undefined;
  const said = `imported the notes of ${name}`;
  const written = await manager.edit(path, { kind: 'import', name: 'notes' }, said, (note) => {
    const merged = mergedInto(note, joined);
    before = note?.text;
    text = merged.ok ? merged.text : undefined;
    return merged;
  });
  if (!written.ok) return written;
  if (text === undefined) throw new Error('assertion: notes were written without their text');
  const left = [...read.left, ...unfollowedPlaces(joined, text)];
  const added = before === undefined ? board.tasks.length : joined.added;
  const change = text === before ? undefined : written.change;
  return { path, name, change, added, there: board.tasks.length - added, left };
}

function renamed({ name, text }: { readonly name: string; readonly text: string }): LayoutFile {
  return { path: name, text };
}

function mergedInto(
  note: Note | undefined,
  { base, exported, text }: JoinedNotes,
): { ok: true; text: string } | Fault {
  if (note === undefined || note.text === base || textMark(note.text) === exported) {
    return { ok: true, text };
  }
  const merged = mergeNote({ base, mine: text, theirs: note.text });
  if (merged.clashes.length === 0) return { ok: true, text: merged.text };
  const named = merged.clashes
    .slice(0, 5)
    .map(({ id, title }) => `"${title}"${id === null ? '' : ` (${id})`}`);
  const message = `The board and the notes both changed ${named.join(', ')}. Make them say the same in one place, then import again; nothing was written.`;
  return fault('conflict', message);
}

import type { BlockText } from '../archive/block-text';
import { boardChanges } from '../digest';
import { headerSplices } from '../note/edit-header';
import { giveId } from '../note/give-id';
import { newNote } from '../note/new-note';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { applySplices } from '../note/splice';
import type { Task } from '../task';
import type { ChangeRecord, Hunk } from './change-record';
import { noteHunks } from './note-hunks';

/** What a change is about, and how to take it back. */
export type Delta = Pick<ChangeRecord, 'tasks' | 'gone'> & {
  readonly hunks: Hunk[];
};

/**
 * @param before undefined: the change made the note; taken back, an empty board stays
 * @param archived what it moved to the archive
 */
export function deltaOf(
  before: Note | undefined,
  after: Note,
  archived: readonly BlockText[] = [],
): Delta {
  const kept = [...after.board.tasks, ...archived.flatMap((block) => tasksOf(block, after))];
  const from = named(before ?? empty(after), kept);
  const { hunks, tasks } = noteHunks(from, after);
  const changed = boardChanges(from.board, after.board).map(({ id, title }) => id ?? title);
  const stay = new Set(after.board.tasks.map(({ id }) => id));
  const gone = from.board.tasks.flatMap(({ id }) => (id === null || stay.has(id) ? [] : id));
  return {
    hunks: [...hunks],
    tasks: [...new Set([...changed, ...tasks])],
    ...(gone.length > 0 && { gone }),
  };
}

/** The tasks of a block, each with its id. */
function tasksOf({ text }: BlockText, note: Note): readonly Task[] {
  return parseNote(note.board.path, `${empty(note).text}\n${text}\n`).board.tasks;
}

function empty({ board }: Note): Note {
  const { session, agent, title, prefix, path } = board;
  return parseNote(path, newNote({ session, agent, title, prefix }));
}

/**
 * The note with the ids that the change gave to lines without one: taken back, the line keeps its
 * id, for others may have named it meanwhile.
 * @param kept the tasks after the change
 */
function named(before: Note, kept: readonly Task[]): Note {
  const had = new Set(before.board.tasks.map(({ id }) => id));
  const left = new Set(kept.flatMap(({ id, title }) => (id === null ? title : [])));
  const given = kept
    .filter(({ id, title }) => id !== null && !had.has(id) && !left.has(title))
    .sort((a, b) => (a.n ?? 0) - (b.n ?? 0));
  return given.reduce((now, task) => withId(now, task), before);
}

/** The id is drawn again: in their order, each is the next. */
function withId(note: Note, { id, n, title }: Task): Note {
  const { board, layout, text } = note;
  const bare = board.tasks.find((one) => one.id === null && one.title === title);
  if (bare === undefined || layout === null || n === null) return note;
  const counted = applySplices(text, headerSplices(layout, 'next', String(n)));
  const result = giveId(parseNote(board.path, counted), bare.key);
  return result.ok && result.id === id ? parseNote(board.path, result.text) : note;
}

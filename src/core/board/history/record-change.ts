import { boardChanges } from '../digest';
import { giveId } from '../note/give-id';
import { newNote } from '../note/new-note';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import type { ChangeRecord, Hunk } from './change-record';
import { noteHunks } from './note-hunks';

/** What a change is about, and how to take it back. */
export type Delta = Pick<ChangeRecord, 'tasks' | 'archived' | 'restored'> & {
  readonly hunks: Hunk[];
};

/** @param before undefined: the change made the note; taken back, an empty board stays */
export function deltaOf(before: Note | undefined, after: Note): Delta {
  const from = named(before ?? empty(after), after);
  const { hunks, tasks } = noteHunks(from, after);
  const changed = boardChanges(from.board, after.board).map(({ id, title }) => id ?? title);
  return { hunks: [...hunks], tasks: [...new Set([...changed, ...tasks])] };
}

function empty({ board }: Note): Note {
  const { session, agent, title, prefix, path } = board;
  return parseNote(path, newNote({ session, agent, title, prefix }));
}

/**
 * The note with the ids that the change gave to lines without one: taken back, the line keeps its
 * id, for others may have named it meanwhile.
 */
function named(before: Note, after: Note): Note {
  const had = new Set(before.board.tasks.map(({ id }) => id));
  const left = new Set(after.board.tasks.flatMap(({ id, title }) => (id === null ? title : [])));
  let now = before;
  for (const { id, n, title } of after.board.tasks) {
    if (n === null || had.has(id) || left.has(title) || now.layout === null) continue;
    const task = now.board.tasks.find((one) => one.id === null && one.title === title);
    const drawn = { ...now, layout: { ...now.layout, next: n } };
    const result = task && giveId(drawn, task.key);
    if (result?.ok === true) now = parseNote(before.board.path, result.text);
  }
  return now;
}

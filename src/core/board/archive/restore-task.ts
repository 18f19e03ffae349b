import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { findTask, withTitle } from '../operation/find-task';
import { fault } from '../operation/outcome';
import type { Fault, Reference } from '../operation/read-operation';
import type { Task } from '../task';
import type { BlockText } from './block-text';
import { cutBlocks } from './cut-blocks';
import { putBlock } from './put-block';
import { setArchived } from './set-archived';

export type Restored =
  | {
      readonly ok: true;
      readonly note: Note;
      /** as it stands on the board */
      readonly task: Task;
      readonly block: BlockText;
    }
  | Fault;

/** The board with a task from its archive and all under it, at the end of its phase. */
export function restoreTask(note: Note, reference: Reference, archive: Note | undefined): Restored {
  const standing = findTask(note.board, reference);
  if (standing.ok) return onBoard(standing.task);
  if (archive === undefined) return fault('no_archive', 'Nothing is archived here.');
  const { broken } = archive.board;
  if (broken !== null) {
    const message = `The archive can't be read until the person has repaired it. ${broken.reason}`;
    return fault('broken_note', message);
  }
  const found = findTask(archive.board, reference);
  if (!found.ok) return fault(found.code, `In the archive: ${found.message}`);
  const cut = cutBlocks(archive, new Set([found.task.key]));
  if (!cut.ok) return cut;
  const [block] = cut.blocks;
  const both = note.board.tasks.find(({ id }) => id !== null && block?.ids.includes(id));
  if (block === undefined || both !== undefined) return onBoard(both ?? found.task);
  const put = putBlock(note, block);
  if (!put.ok) return put;
  const text = setArchived(parseNote(note.board.path, put.text), [], [block]);
  const now = parseNote(note.board.path, text);
  const task = now.board.tasks.find(({ id }) => id === found.task.id) ?? found.task;
  return { ok: true, note: now, task, block };
}

function onBoard(task: Task): Fault {
  return fault('on_board', `${withTitle(task)} is on the board already.`);
}

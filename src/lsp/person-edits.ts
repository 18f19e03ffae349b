import type { Position, Range, TextEdit } from 'vscode-languageserver';
import type { Fault } from '../core/fault';
import { previewCommit } from '../core/board/history/board-writer';
import { writtenTitle } from '../core/board/note/edit-task';
import { taskLineAt } from '../core/board/note/line-extras';
import type { Op } from '../core/board/op';
import type { Task, TaskTarget } from '../core/board/task';
import type { OpenNote } from './open-notes';

export type EditsResult = { readonly ok: true; readonly edits: readonly TextEdit[] } | Fault;

/** The edits that a person's operations make in an open note. The editor applies and saves them. */
export function personEdits(open: OpenNote, ops: readonly Op[], today: string): EditsResult {
  const { note } = open;
  if (note === undefined) return { ok: false, code: 'no_board', message: 'This is not a board.' };
  const changed = previewCommit(note.board.path, note, ops, { today });
  if (!changed.ok) return changed;
  return { ok: true, edits: open.editsTo(changed.note.text) };
}

/** Identifies a task in operations. */
export function toTaskTarget({ id, line, title }: Task): TaskTarget {
  return { id, line, title };
}

/** The title at a position, as written; undefined if there is none. */
export function titleAt(
  open: OpenNote,
  position: Position,
): { readonly task: Task; readonly range: Range; readonly written: string } | undefined {
  const { note } = open;
  const [task] = open.tasksIn({ start: position, end: position });
  if (note === undefined || task === undefined || task.malformed !== null) return undefined;
  const offset = open.offsetAt(position);
  const { pieces } = taskLineAt(note, note.board.tasks.indexOf(task));
  const piece = pieces.find(({ start, end }) => start <= offset && offset <= end);
  const written = writtenTitle(note, task.key);
  if (piece === undefined || written === undefined) return undefined;
  return { task, range: open.range(piece.start, piece.end), written };
}

/** Renames the task at a position. As when typing a task, the title may end with fields. */
export function renameTask(
  open: OpenNote,
  position: Position,
  title: string,
  today: string,
): EditsResult {
  const found = titleAt(open, position);
  if (found === undefined) {
    const message = 'There is no title of a task here. Put the cursor on one.';
    return { ok: false, code: 'no_title', message };
  }
  return personEdits(open, [{ type: 'update', id: toTaskTarget(found.task), title }], today);
}

import { cutBlocks } from '../archive/cut-blocks';
import { putBlock } from '../archive/put-block';
import { setArchived } from '../archive/set-archived';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { findTask, nameOf, quoted, withTitle } from './find-task';
import { failed, fault, resultOf, type Applied, type OperationContext } from './outcome';
import type { OperationOf } from './read-operation';

/** `restore`: a task from the archive with all under it, to the end of its phase. */
export function applyRestore(
  note: Note,
  { id: reference }: OperationOf<'restore'>,
  { path, archive }: OperationContext,
): Applied {
  const standing = findTask(note.board, reference);
  if (standing.ok) {
    return failed(note, fault('on_board', `${withTitle(standing.task)} is on the board already.`));
  }
  if (archive === undefined) return failed(note, fault('no_archive', 'Nothing is archived here.'));
  const { broken } = archive.board;
  if (broken !== null) {
    const message = `The archive can't be read until the person has repaired it. ${broken.reason}`;
    return failed(note, fault('broken_note', message));
  }
  const found = findTask(archive.board, reference);
  if (!found.ok) {
    const message = `In the archive: ${found.message}`;
    return failed(note, fault(found.code, message));
  }
  const { key } = found.task;
  const cut = cutBlocks(archive, new Set([key]));
  if (!cut.ok) return failed(note, cut);
  const [block] = cut.blocks;
  const both = block?.ids.find((id) => note.board.tasks.some((task) => task.id === id));
  if (block === undefined || both !== undefined) {
    return failed(note, fault('on_board', `${both ?? ''} is on the board already.`));
  }
  const put = putBlock(note, block);
  if (!put.ok) return failed(note, put);
  const rest = parseNote(path, put.text);
  const now = parseNote(path, setArchived(rest, [], [block]));
  const task = now.board.tasks.find(({ id }) => id === found.task.id) ?? found.task;
  const where = task.phase === null ? '' : ` in ${quoted(task.phase)}`;
  const under = block.ids.length === 1 ? '' : `, with ${block.ids.length - 1} under it`;
  const said = `${nameOf(task)} ${quoted(task.title)} is back${where}${under}.`;
  return {
    note: now,
    outcome: { ok: true, said, result: resultOf(task) },
    effects: { restored: [block] },
  };
}

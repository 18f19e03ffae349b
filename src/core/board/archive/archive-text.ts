import { newNote } from '../note/new-note';
import type { Note } from '../note/note';
import type { EditResult } from '../note/edit-result';
import { parseNote } from '../note/parse-note';
import { removeTask } from '../note/remove-task';
import type { Board } from '../task';
import { archivePath } from './archive-path';
import { putBlock } from './put-block';
import { byPhase, type BlockText } from './block-text';

/**
 * The archive's text with more blocks. A task that stands on the board as well was left by a crash
 * between two writes: the board's one counts, so the archive's goes. So does one that comes in the
 * blocks, as after a call that restored it first.
 */
export function withBlocks(
  archive: Note | undefined,
  board: Board,
  blocks: readonly BlockText[],
): EditResult {
  const path = archivePath(board.path);
  const { session, agent, prefix, title } = board;
  const fresh = (): Note =>
    parseNote(path, newNote({ session, agent, prefix, title: `${title}, archive`.slice(0, 500) }));
  const ids = [...board.tasks.flatMap(({ id }) => id ?? []), ...blocks.flatMap((one) => one.ids)];
  const clean = withoutTasks(archive ?? fresh(), new Set(ids));
  if (!clean.ok) return clean;
  let now = parseNote(path, clean.text);
  for (const block of byPhase(blocks)) {
    const put = putBlock(now, block);
    if (!put.ok) return { ...put, message: `In the archive: ${put.message}` };
    now = parseNote(path, put.text);
  }
  return { ok: true, text: now.text };
}

/** The archive's text without the tasks of these ids; a sub-task that is none of them goes with its parent only if that goes. */
export function withoutTasks(archive: Note, ids: ReadonlySet<string>): EditResult {
  let now = archive;
  for (const { id } of archive.board.tasks) {
    if (id === null || !ids.has(id)) continue;
    const task = now.board.tasks.find((one) => one.id === id);
    if (task === undefined) continue;
    const removed = removeTask(now, task.key, 'cascade');
    if (!removed.ok) return removed;
    now = parseNote(archive.board.path, removed.text);
  }
  return { ok: true, text: now.text };
}

import type { Effects } from '../outcome';
import { type Fault } from '../../fault';
import type { NoteStore } from '../../ports';
import { bumpRev, newNoteText } from '../note/edit-header';
import { type EditResult } from '../note/edit-result';
import type { Note } from '../note/note';
import { archivePathOf } from '../board-findings';
import { parseNote } from '../note/parse-note';
import type { Board } from '../task';
import { joinBlocksByPhase, insertBlock, type BlockText } from './archive-tasks';
import { removeTask } from '../note/place-task';

/**
 * Reads and writes the notes with archived tasks, one beside each board. A task is written to its
 * new place before it is removed from the old one, so a crash in between duplicates it and loses
 * nothing; the copy on the board then counts.
 */
export class Archives {
  constructor(private readonly store: NoteStore) {}

  /** @throws StoreError */
  async read(board: string): Promise<Note | undefined> {
    const path = archivePathOf(board);
    const text = await this.store.read(path);
    return text === undefined ? undefined : parseNote(path, text);
  }

  /** Adds tasks to the archive, before the board is written without them. @throws StoreError */
  addTasks(board: Board, blocks: readonly BlockText[]): Promise<Fault | undefined> {
    return this.change(board.path, (archive) => withBlocks(archive, board, blocks));
  }

  /**
   * Called after the board was written: removes restored tasks that were not archived again. No
   * other tasks: one that is on the board may be in the middle of being archived by another program.
   */
  async clean(
    board: Board,
    moved: Required<Pick<Effects, 'archived' | 'restored'>>,
  ): Promise<Fault | undefined> {
    const gone = new Set(moved.archived.flatMap(({ ids }) => ids));
    const out = new Set(moved.restored.flatMap(({ ids }) => ids.filter((id) => !gone.has(id))));
    if (out.size === 0) return undefined;
    return this.change(board.path, (archive) =>
      archive === undefined ? undefined : withoutTasks(archive, out),
    );
  }

  private async change(
    board: string,
    edit: (archive: Note | undefined) => EditResult | undefined,
  ): Promise<Fault | undefined> {
    const path = archivePathOf(board);
    let refused: Fault | undefined;
    await this.store.update(path, (text) => {
      const result = edit(text === undefined ? undefined : parseNote(path, text));
      refused = result?.ok === false ? result : undefined;
      return result?.ok !== true || result.text === text ? undefined : bumpRev(result).text;
    });
    return refused;
  }
}

/**
 * Adds blocks to the archive, in place of older copies of their tasks, as after a call that restored
 * them first or a crash between two writes.
 */
function withBlocks(
  archive: Note | undefined,
  board: Board,
  blocks: readonly BlockText[],
): EditResult {
  const path = archivePathOf(board.path);
  const { session, agent, prefix, title } = board;
  const fresh = (): Note =>
    parseNote(
      path,
      newNoteText({ session, agent, prefix, title: `${title}, archive`.slice(0, 500) }),
    );
  const ids = blocks.flatMap((block) => block.ids);
  let now = withoutTasks(archive ?? fresh(), new Set(ids));
  for (const block of joinBlocksByPhase(blocks)) {
    if (!now.ok) return now;
    const put = insertBlock(now, block);
    now = put.ok ? put : { ...put, message: `In the archive: ${put.message}` };
  }
  return now;
}

/** Removes the tasks with these ids from the archive, each with its subtasks. */
function withoutTasks(archive: Note, ids: ReadonlySet<string>): EditResult {
  let now = archive;
  for (const { id } of archive.board.tasks) {
    if (id === null || !ids.has(id)) continue;
    const task = now.board.tasks.find((one) => one.id === id);
    if (task === undefined) continue;
    const removed = removeTask(now, task.key, 'cascade');
    if (!removed.ok) return removed;
    now = removed;
  }
  return now;
}

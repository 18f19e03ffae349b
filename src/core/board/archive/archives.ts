import type { NoteStore } from '../../ports';
import { bumpRev } from '../note/edit-header';
import type { EditRefusal } from '../note/edit-result';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import type { Board } from '../task';
import { archivePath } from './archive-path';
import { withBlocks, withoutTasks } from './archive-text';
import type { BlockText } from './block-text';

/** What one change moved to the archive, and out of it. */
export interface Moved {
  readonly archived: readonly BlockText[];
  readonly restored: readonly BlockText[];
}

/**
 * The notes beside boards that hold what was archived. A task is written where it goes before it
 * leaves where it was, so a crash in between doubles it and loses nothing; the board's one counts.
 */
export class Archives {
  constructor(private readonly store: NoteStore) {}

  /** @throws StoreError */
  async read(board: string): Promise<Note | undefined> {
    const path = archivePath(board);
    const text = await this.store.read(path);
    return text === undefined ? undefined : parseNote(path, text);
  }

  /** Before the board is written without them. @throws StoreError */
  put(board: Board, blocks: readonly BlockText[]): Promise<EditRefusal | undefined> {
    return this.change(board.path, (archive) => withBlocks(archive, board, blocks));
  }

  /**
   * After the board was written: what stands there is no longer archived, nor is what came out and
   * did not go in again.
   * @throws StoreError
   */
  async clean(board: Board, moved: Moved): Promise<EditRefusal | undefined> {
    const gone = new Set(moved.archived.flatMap(({ ids }) => ids));
    const out = moved.restored.flatMap(({ ids }) => ids.filter((id) => !gone.has(id)));
    const ids = new Set([...board.tasks.flatMap(({ id }) => id ?? []), ...out]);
    return this.change(board.path, (archive) =>
      archive === undefined ? undefined : withoutTasks(archive, ids),
    );
  }

  private async change(
    board: string,
    edit: (archive: Note | undefined) => ReturnType<typeof withoutTasks> | undefined,
  ): Promise<EditRefusal | undefined> {
    const path = archivePath(board);
    let refused: EditRefusal | undefined;
    await this.store.update(path, (text) => {
      const result = edit(text === undefined ? undefined : parseNote(path, text));
      refused = result?.ok === false ? result : undefined;
      if (result?.ok !== true || result.text === text) return undefined;
      const raised = bumpRev(parseNote(path, result.text));
      return raised.ok ? raised.text : result.text;
    });
    return refused;
  }
}

import type { Finding } from '../../core/board/doctor/finding';
import { archivePathOf, findings } from '../../core/board/doctor/findings';
import type { FoundFile } from '../../core/board/doctor/found-file';
import { lookBeside } from '../../core/board/doctor/look-beside';
import type { Board } from '../../core/board/task';
import type { Clock, NoteStore } from '../../core/ports';

export interface RepairLookDeps {
  readonly store: NoteStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly root: () => string;
  readonly boards: () => readonly Board[];
  readonly found: (findings: readonly Finding[]) => void;
}

/** ms for which what lies beside the boards is taken as known. */
const BESIDE_EVERY = 30_000;

/** Keeps the list of what a person should look at, after each look at the boards. */
export class RepairLook {
  private boards: readonly Board[] = [];
  private beside: readonly FoundFile[] = [];
  private looked = Number.NEGATIVE_INFINITY;

  constructor(private readonly deps: RepairLookDeps) {}

  /** The next look is at everything. */
  again(): void {
    this.looked = Number.NEGATIVE_INFINITY;
  }

  /** Whether a board has tasks in its archive, as last looked. */
  hasArchive(board: string): boolean {
    const path = archivePathOf(board);
    return this.beside.some(
      (file) => file.kind === 'archive' && file.path === path && file.board.tasks.length > 0,
    );
  }

  /** @throws StoreError where the folders can't be listed */
  async look(): Promise<void> {
    const { store, clock, root, found } = this.deps;
    const boards = this.deps.boards();
    const due = clock.now() - this.looked >= BESIDE_EVERY;
    const same =
      boards.length === this.boards.length && boards.every((b, i) => b === this.boards[i]);
    if (!due && same) return;
    if (due) {
      this.beside = await lookBeside(store, root());
      this.looked = clock.now();
    }
    this.boards = boards;
    found(findings(boards, this.beside));
  }
}

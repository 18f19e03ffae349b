import type { Board } from '../../core/board/task';
import type { BoardRowOptions, SidebarRow } from './rows';

/** Remembers the rows of each board for as long as nothing they come from changed. */
export class RowCache {
  private readonly kept = new Map<
    string,
    { inputs: readonly unknown[]; rows: readonly SidebarRow[] }
  >();

  rows(
    board: Board,
    level: number,
    options: BoardRowOptions,
    make: () => readonly SidebarRow[],
  ): readonly SidebarRow[] {
    const inputs = [
      board,
      level,
      options.today,
      options.folded,
      options.opened,
      options.foldFinished,
      options.changes.get(board.path),
    ];
    const before = this.kept.get(board.path);
    if (before?.inputs.every((input, index) => input === inputs[index]) === true) {
      return before.rows;
    }
    const rows = make();
    this.kept.set(board.path, { inputs, rows });
    return rows;
  }
}

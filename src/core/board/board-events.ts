import type { Log, Undo } from '../ports';
import { boardChange, type BoardChange, type BoardMove } from './board-change';

/** Tells listeners of changes, in order; one that throws hurts no other. */
export class BoardEvents {
  private readonly listeners = new Set<(change: BoardChange) => void>();

  constructor(private readonly log: Log | undefined) {}

  on(listener: (change: BoardChange) => void): Undo {
    // A function of its own, so that the same one may listen twice and stop once.
    const own = (change: BoardChange): void => listener(change);
    this.listeners.add(own);
    return () => void this.listeners.delete(own);
  }

  emit(move: BoardMove): void {
    if (this.listeners.size === 0) return;
    const change = boardChange(move);
    for (const listener of [...this.listeners]) {
      try {
        listener(change);
      } catch (error) {
        this.log?.note('A listener for board changes threw.', {
          path: move.path,
          error: error instanceof Error ? error.message : String(error),
        });
      }
    }
  }
}

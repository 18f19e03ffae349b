import { UNUSED } from '../limits';
import { runNote } from '../run-note';
import type { RunState } from '../state';
import type { OrchestratorDeps } from './orchestrator-deps';
import { notePath, withOwnPart } from './own-part';
import type { RunBoard } from './run-board';
import type { RunJournal } from './run-journal';

/** Keeps the note of a run up to date, one write at a time, the newest state alone. */
export class NoteKeeper {
  #wanted = false;
  #closed = false;
  #running: Promise<void> = Promise.resolve();
  /** the note as it was written last, less the figures */
  #last: string | undefined;

  constructor(
    private readonly deps: Pick<OrchestratorDeps, 'store' | 'log' | 'time'>,
    private readonly journal: RunJournal,
    private readonly board: RunBoard,
  ) {}

  want(): void {
    if (this.#wanted || this.#closed) return;
    this.#wanted = true;
    this.#running = this.#running.then(() => {
      this.#wanted = false;
      return this.#write();
    });
  }

  /** Resolves when the last write is done. */
  close(): Promise<void> {
    this.#closed = true;
    return this.#running;
  }

  async #write(): Promise<void> {
    const { state } = this.journal.now;
    try {
      const boardPath = await this.board.path(state);
      const board = await this.board.load(state);
      if (boardPath === undefined || board === undefined) return;
      const path = notePath(boardPath, this.journal.id);
      const part = runNote(state, board, this.deps.time);
      const told = runNote(withoutFigures(state), board, this.deps.time);
      if (part === undefined || told === this.#last) return;
      await this.deps.store.update(path, (text) => withOwnPart(text, this.journal.id, part));
      this.#last = told;
      await this.journal.note(path);
    } catch (error) {
      // The next change writes it; the run does not wait for its note.
      this.deps.log.note('The note of a run could not be written.', { error: String(error) });
    }
  }
}

/** What a run has used moves with each answer: that alone is no news for a note. */
function withoutFigures(state: RunState): RunState {
  return state.kind === 'idle' ? state : { ...state, run: { ...state.run, used: UNUSED } };
}

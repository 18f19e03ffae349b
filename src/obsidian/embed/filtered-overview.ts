import type { Board } from '../../core/board/task';
import type { Undo } from '../../core/ports';
import { keepIdentity, type Overview, type OverviewState } from '../model/overview';
import { boardSession } from '../session/session-list';

/** The shared state, limited to some boards and their sessions. */
export class FilteredOverview implements Pick<Overview, 'state' | 'onChange' | 'pending'> {
  private last:
    { readonly of: OverviewState | undefined; readonly state: OverviewState } | undefined;
  private readonly listeners = new Set<() => void>();

  constructor(
    private readonly all: Overview,
    private readonly pick: (state: OverviewState) => readonly Board[],
  ) {}

  get pending(): Overview['pending'] {
    return this.all.pending;
  }

  get state(): OverviewState {
    const { state } = this.all;
    if (this.last?.of !== state) this.last = { of: state, state: this.filtered(state) };
    return this.last.state;
  }

  onChange(listener: (state: OverviewState) => void): Undo {
    const tell = () => listener(this.state);
    this.listeners.add(tell);
    const stop = this.all.onChange(tell);
    return () => {
      this.listeners.delete(tell);
      stop();
    };
  }

  /** Called when the selection of boards has changed. */
  selectionChanged(): void {
    this.last = this.last && { of: undefined, state: this.last.state };
    for (const tell of [...this.listeners]) tell();
  }

  /**
   * Lists with the same members keep their identity, so that values computed from them are kept
   * too.
   */
  private filtered(state: OverviewState): OverviewState {
    const boards = this.pick(state);
    const ids = new Set(boards.map(boardSession));
    const sessions = state.sessions.filter(({ id }) => ids.has(id));
    const before = this.last?.state;
    return {
      ...state,
      boards: keepIdentity(before?.boards, boards),
      sessions: keepIdentity(before?.sessions, sessions),
    };
  }
}

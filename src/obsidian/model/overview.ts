import type { Finding } from '../../core/board/doctor/finding';
import type { Board } from '../../core/board/task';
import type { Ask } from '../../core/permission/ask';
import type { BoardChange } from '../../core/board/board-change';
import type { Undo } from '../../core/ports';
import type { BridgesState } from '../../core/session/bridges-state';
import type { ContinueState } from '../../core/session/auto-continue/continue-state';
import type { Session } from '../../core/session/session';
import { NO_CHANGES, withChanged, withSeen, type Changes } from './changes';

/** Whether the bridge stands in this vault, and is the one that this plugin carries. */
export type BridgeFile = 'unknown' | 'missing' | 'older' | 'current';

/** A run that goes on, as the session tells of it whose board is its plan. */
export interface RunAt {
  readonly id: string;
  /** its state in words */
  readonly words: string;
  /** it waits for the person */
  readonly needs: boolean;
}

/** Everything a view draws, at one moment. Parts that did not change keep their identity. */
export interface OverviewState {
  /** false until the boards were read once */
  readonly loaded: boolean;
  readonly boards: readonly Board[];
  readonly sessions: readonly Session[];
  /** what our own tools ask, by whichever session */
  readonly asks: readonly Ask[];
  readonly connection: BridgesState;
  readonly bridge: BridgeFile;
  readonly changes: Changes;
  /** by session: what it shows of going on by itself; none for those that never did */
  readonly continues: ReadonlyMap<string, ContinueState>;
  /** by session: the run that goes on on its board */
  readonly runs?: ReadonlyMap<string, RunAt>;
  /** what a person should look at, by path and line */
  readonly findings: readonly Finding[];
}

/** What the state is put together from. */
export interface OverviewSources {
  readonly boards: () => readonly Board[];
  readonly sessions: () => readonly Session[];
  readonly asks?: () => readonly Ask[];
  readonly connection: () => BridgesState;
}

/** The one state that all views share; told of changes, it tells them once per turn of the loop. */
export class Overview {
  private readonly listeners = new Set<(state: OverviewState) => void>();
  private now: OverviewState;
  private planned = false;

  constructor(private readonly sources: OverviewSources) {
    this.now = {
      loaded: false,
      boards: sources.boards(),
      sessions: sources.sessions(),
      asks: sources.asks?.() ?? [],
      connection: sources.connection(),
      bridge: 'unknown',
      changes: NO_CHANGES,
      continues: new Map(),
      findings: [],
    };
  }

  get state(): OverviewState {
    return this.now;
  }

  onChange(listener: (state: OverviewState) => void): Undo {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  boardChanged(change: BoardChange): void {
    // What stood there at the first look is no news, and neither is what the person did here.
    const news = this.now.loaded && change.by !== 'person' && change.before !== undefined;
    const changes = news
      ? withChanged(this.now.changes, change.path, change.changedKeys)
      : this.now.changes;
    this.set({ boards: this.sources.boards(), changes });
  }

  /** Other boards altogether, of another root: they are read for the first time. */
  boardsReplaced(): void {
    this.set({ loaded: false, boards: this.sources.boards(), changes: NO_CHANGES });
  }

  scanned(): void {
    if (!this.now.loaded) this.set({ loaded: true, boards: this.sources.boards() });
  }

  sessionsChanged(): void {
    this.set({ sessions: this.sources.sessions() });
  }

  asksChanged(): void {
    this.set({ asks: this.sources.asks?.() ?? [] });
  }

  connectionChanged(): void {
    this.set({ connection: this.sources.connection() });
  }

  /** What a session shows of going on by itself. */
  autoContinue(sessionId: string): ContinueState {
    return this.now.continues.get(sessionId) ?? { kind: 'off' };
  }

  continueIs(sessionId: string, state: ContinueState): void {
    this.set({ continues: new Map(this.now.continues).set(sessionId, state) });
  }

  /** What runs go on, by session. */
  runsAre(runs: ReadonlyMap<string, RunAt>): void {
    if (runs.size + (this.now.runs?.size ?? 0) > 0) this.set({ runs });
  }

  foundAre(findings: readonly Finding[]): void {
    if (findings.length + this.now.findings.length > 0) this.set({ findings });
  }

  bridgeIs(bridge: BridgeFile): void {
    if (bridge !== this.now.bridge) this.set({ bridge });
  }

  /** The person looked at a task, at a board, or at everything. */
  seen(path?: string, key?: string): void {
    const changes = withSeen(this.now.changes, path, key);
    if (changes !== this.now.changes) this.set({ changes });
  }

  private set(part: Partial<OverviewState>): void {
    this.now = { ...this.now, ...part };
    if (this.planned) return;
    this.planned = true;
    queueMicrotask(() => {
      this.planned = false;
      for (const listener of [...this.listeners]) listener(this.now);
    });
  }
}

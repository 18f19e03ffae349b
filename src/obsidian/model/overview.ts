import type { Finding } from '../../core/board/board-findings';
import type { Board } from '../../core/board/task';
import type { ToolPermissionRequest } from '../../core/permission/ask';
import type { BoardChange } from '../../core/board/board-change';
import { markUnchecked, type TakenTasks } from '../../core/orchestrator/runs';
import type { Undo } from '../../core/ports';
import type { BridgesState } from '../../core/session/bridges';
import type { ContinueState } from '../../core/session/auto-continue/continue-machine';
import { withTokens } from '../../core/session/transcript/transcript';
import type { Session } from '../../core/session/session';
import type {
  SessionEvent,
  SessionEventBus,
  SessionEventOf,
} from '../../core/session/session-event-bus';
import type { CallRefusals } from '../../protocol/snapshot';
import { PendingStatuses } from './pending-status';
import type { ReasonCard } from '../run/reason-card';
import { useLayoutEffect, useState } from 'preact/hooks';

/**
 * Whether this vault contains the bridge, and whether it is the version that this plugin brings.
 */
export type BridgeFile = 'unknown' | 'missing' | 'older' | 'current';

/** An active run, as shown by views other than its panel. */
export interface RunSummary extends TakenTasks {
  readonly id: string;
  /** path of the board that the run works on */
  readonly board: string | undefined;
  /** as one line */
  readonly goal: string;
  /** its status in words */
  readonly words: string;
  /** something in it waits for the person */
  readonly waits: boolean;
  /** the cards for what waits for the person, unless it has a card of another kind */
  readonly needs: readonly ReasonCard[];
  /** those of `taken` that become done when the person approves them */
  readonly approvals: readonly string[];
  /** those of `taken` with a session that works on them or checks them, or last did */
  readonly workers: readonly { readonly task: string; readonly session: string }[];
}

/** Everything that views draw, as a snapshot. Unchanged parts keep their identity. */
export interface OverviewState {
  /** false until the boards were read once */
  readonly loaded: boolean;
  readonly boards: readonly Board[];
  readonly sessions: readonly Session[];
  /** pending requests of our own tools, of all sessions */
  readonly asks: readonly ToolPermissionRequest[];
  readonly connection: BridgesState;
  readonly bridge: BridgeFile;
  readonly changes: Changes;
  /** auto-continue state by session; sessions that never continued have none */
  readonly continues: ReadonlyMap<string, ContinueState>;
  /** active runs, newest first */
  readonly runs: readonly RunSummary[];
  /** sessions that planned a run, active or not: their descendants belong to the run */
  readonly planners: readonly string[];
  /**
   * refused operations of the agent's last call on a board, by session; absent if none was refused
   */
  readonly refusals: ReadonlyMap<string, CallRefusals>;
  /** what a person should review, by path and line */
  readonly findings: readonly Finding[];
  /** work since the app started, by session that was started for a board */
  readonly works: ReadonlyMap<string, SessionWork>;
}

interface SessionWork {
  /** title of the running call */
  readonly step?: string | undefined;
  /** first line of its last answer */
  readonly answer?: string;
  /** its last turn was stopped */
  readonly stopped?: boolean;
  readonly tokens?: number;
  /** share of the context used at the last answer, in percent */
  readonly share?: number;
}

/** The inputs of the state. */
interface OverviewSources {
  readonly boards: () => readonly Board[];
  readonly sessions: () => readonly Session[];
  readonly asks?: () => readonly ToolPermissionRequest[];
  readonly connection: () => BridgesState;
  /** source of the agents' calls */
  readonly bus?: Pick<SessionEventBus, 'onAll'>;
  /** as in `PendingStatuses` */
  readonly painted?: () => Promise<void>;
}

/** The state that all views share. Notifies them of changes once per turn of the event loop. */
export class Overview {
  private readonly listeners = new Set<(state: OverviewState) => void>();
  private now: OverviewState;
  private isScheduled = false;
  private readonly unchecked = new UncheckedBoards();
  /** statuses that rows show in place of those in `boards` */
  readonly pending: PendingStatuses;

  constructor(private readonly sources: OverviewSources) {
    this.pending = new PendingStatuses(sources.painted);
    this.now = {
      loaded: false,
      boards: sources.boards(),
      sessions: sources.sessions(),
      asks: sources.asks?.() ?? [],
      connection: sources.connection(),
      bridge: 'unknown',
      changes: NO_CHANGES,
      continues: new Map(),
      runs: [],
      planners: [],
      refusals: new Map(),
      findings: [],
      works: new Map(),
    };
    sources.bus?.onAll((event) => {
      if (event.type === 'tool.update') this.recordCall(event);
      this.trackWork(event);
    });
  }

  get state(): OverviewState {
    return this.now;
  }

  onChange(listener: (state: OverviewState) => void): Undo {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  boardChanged(change: BoardChange): void {
    // Boards found by the first scan and the person's own changes are not news.
    const news = this.now.loaded && change.by !== 'person' && change.before !== undefined;
    const changes = news
      ? withChanged(this.now.changes, change.path, change.changedKeys)
      : this.now.changes;
    this.set({ boards: this.boards(), changes });
  }

  /** The root changed: all boards are replaced, and count as read for the first time. */
  boardsReplaced(): void {
    this.set({ loaded: false, boards: this.boards(), changes: NO_CHANGES });
  }

  scanned(): void {
    if (!this.now.loaded) this.set({ loaded: true, boards: this.boards() });
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

  /** The auto-continue state that a session shows. */
  autoContinue(sessionId: string): ContinueState {
    return this.now.continues.get(sessionId) ?? { kind: 'off' };
  }

  setContinueState(sessionId: string, state: ContinueState): void {
    this.set({ continues: new Map(this.now.continues).set(sessionId, state) });
  }

  /** Sets the active runs and the sessions that planned a run, active or not. */
  setRuns(runs: readonly RunSummary[], planners: readonly string[] = this.now.planners): void {
    const { now } = this;
    if (JSON.stringify([runs, planners]) === JSON.stringify([now.runs, now.planners])) return;
    this.set({ runs, planners, boards: this.boards(runs) });
  }

  /** Stores the refused operations of a finished `tasks` call, for a subagent's parent too. */
  private recordCall({ sessionId, payload }: SessionEventOf<'tool.update'>): void {
    if (payload.tool !== 'tasks' || payload.status !== 'completed') return;
    const parent = this.now.sessions.find(({ id }) => id === sessionId)?.parentId;
    const refusals = new Map(this.now.refusals);
    for (const id of [sessionId, ...(parent ? [parent] : [])]) {
      if (payload.refusals === undefined) refusals.delete(id);
      else refusals.set(id, payload.refusals);
    }
    if (refusals.size + this.now.refusals.size > 0) this.set({ refusals });
  }

  /** Follows the work of sessions that were started for a board, by the person or a run. */
  private trackWork(event: SessionEvent): void {
    const { sessionId, type } = event;
    if (type === 'stream.token' || type === 'stream.thinking') return;
    const session = this.now.sessions.find(({ id }) => id === sessionId);
    if (session?.board === undefined) return;
    const before = this.now.works.get(sessionId) ?? {};
    const after = workAfter(before, event);
    if (after !== before) this.set({ works: new Map(this.now.works).set(sessionId, after) });
  }

  setFindings(findings: readonly Finding[]): void {
    if (findings.length + this.now.findings.length > 0) this.set({ findings });
  }

  setBridge(bridge: BridgeFile): void {
    if (bridge !== this.now.bridge) this.set({ bridge });
  }

  /** The person looked at a task, at a board, or at everything: clears its change marks. */
  seen(path?: string, key?: string): void {
    const changes = withSeen(this.now.changes, path, key);
    if (changes !== this.now.changes) this.set({ changes });
  }

  /**
   * The boards, marked with the completed tasks that their runs have not released. Unchanged boards
   * keep their identity.
   */
  private boards(runs = this.now.runs): readonly Board[] {
    return this.sources.boards().map((board) => this.unchecked.board(board, runs));
  }

  private set(part: Partial<OverviewState>): void {
    this.now = { ...this.now, ...part };
    if (this.isScheduled) return;
    this.isScheduled = true;
    queueMicrotask(() => {
      this.isScheduled = false;
      // Each in a microtask of its own, so that one that throws hurts no other.
      for (const listener of [...this.listeners]) queueMicrotask(() => listener(this.now));
    });
  }
}

function workAfter(work: SessionWork, { type, payload }: SessionEvent): SessionWork {
  if (type === 'tool.update') {
    const { status, title, tool } = payload;
    const runs = status === 'pending' || status === 'running';
    return {
      ...work,
      step: runs ? `${tool}${title === undefined ? '' : `: ${title}`}` : undefined,
    };
  }
  if (type === 'message.final' && payload.role === 'assistant' && payload.kind === 'text') {
    return { ...work, answer: payload.text.trim().split('\n')[0] ?? '' };
  }
  if (type === 'turn.end') return { ...work, stopped: payload.reason === 'interrupted' };
  if (type !== 'progress.update' || payload.kind !== 'tokens') return work;
  const { input, output, reasoning = 0 } = payload;
  const { context = 0, limit = 0, reserve = 0 } = withTokens(undefined, payload, 0);
  const room = limit - reserve;
  return {
    ...work,
    tokens: (work.tokens ?? 0) + input + output + reasoning,
    ...(room > 0 && { share: Math.round((100 * context) / room) }),
  };
}

/** Marks the completed tasks that their runs have not released yet. */
class UncheckedBoards {
  private readonly known = new WeakMap<Board, { readonly ids: string; readonly board: Board }>();

  board(board: Board, runs: readonly RunSummary[]): Board {
    const marked = markUnchecked(board, runs);
    if (marked === board) return board;
    const ids = [...(marked.unchecked ?? [])].join();
    const before = this.known.get(board);
    if (before?.ids === ids) return before.board;
    this.known.set(board, { ids, board: marked });
    return marked;
  }
}

/**
 * Tasks that others changed and the person has not looked at yet: board path → task key → number of
 * changes, so that a view can replay its highlight for the same row.
 */
export type Changes = ReadonlyMap<string, ReadonlyMap<string, number>>;

export const NO_CHANGES: Changes = new Map();

/** Returns `changes` with these tasks marked as changed once more. */
export function withChanged(changes: Changes, path: string, keys: readonly string[]): Changes {
  if (keys.length === 0) return changes;
  const board = new Map(changes.get(path));
  for (const key of keys) board.set(key, (board.get(key) ?? 0) + 1);
  return new Map(changes).set(path, board);
}

/** Returns `changes` without one task, without one board, or without all. */
export function withSeen(changes: Changes, path?: string, key?: string): Changes {
  if (path === undefined) return changes.size === 0 ? changes : NO_CHANGES;
  const board = changes.get(path);
  if (board === undefined || (key !== undefined && !board.has(key))) return changes;
  const left = new Map(board);
  if (key === undefined) left.clear();
  else left.delete(key);
  const all = new Map(changes);
  if (left.size === 0) all.delete(path);
  else all.set(path, left);
  return all;
}

/** The state that all views share, for a component: redraws when it changes. */
export function useOverview(overview: Pick<Overview, 'state' | 'onChange'>): OverviewState {
  const [state, setState] = useState(overview.state);
  useLayoutEffect(() => {
    setState(overview.state);
    return overview.onChange(setState);
  }, [overview]);
  return state;
}

/** Returns the list `before` if it has the same members. */
export function keepIdentity<T>(before: readonly T[] | undefined, now: readonly T[]): readonly T[] {
  const all = before?.length === now.length && now.every((one, at) => one === before[at]);
  return all ? before : now;
}

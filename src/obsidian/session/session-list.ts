import { planProgress, sumProgress, type PlanProgress } from '../../core/board/plan-progress';
import type { Board } from '../../core/board/task';
import type { Session } from '../../core/session/session';
import type { OverviewState } from '../model/overview';
import { canDo, clientTitle } from '../../core/session/session-host';
import { hiddenTwins } from '../../core/session/twins';
import { stateLine, type StateLine } from './state-line';

/** One session as the sidebar lists it, with all its boards. */
export interface SessionItem {
  readonly id: string;
  readonly title: string;
  /**
   * title of the program that it runs in, unless that is OpenCode or the session's title names it
   */
  readonly client: string | undefined;
  readonly state: StateLine;
  /** including its subagents */
  readonly progress: PlanProgress;
  /** inactive since `oldBefore` and waiting for nothing: the view may fold it away */
  readonly old: boolean;
  /** it is working now */
  readonly isWorking: boolean;
  /** a descendant of a session that planned a run */
  readonly inRun: boolean;
  /** newest activity first */
  readonly boards: readonly Board[];
  /** sessions of its subagents */
  readonly children: readonly SessionItem[];
}

export interface ListOptions {
  /** `YYYY-MM-DD` */
  readonly today: string;
  /**
   * ms since the epoch; sessions without a board that have been idle since before this are left out
   */
  readonly since: number;
  /** ms since the epoch; sessions without activity since then are old. undefined: none is old */
  readonly oldBefore?: number | undefined;
}

/**
 * The sessions to list: those with a board, and those that are working and accept messages from
 * here. A child is listed under its parent, or at the top if its parent is not listed. A session
 * without a board is left out if another one represents the same session.
 */
export function listSessions(state: OverviewState, options: ListOptions): readonly SessionItem[] {
  const online = state.connection.kind === 'connected';
  const mixed = state.connection.among?.mixed === true;
  const known = new Map(state.sessions.map((session) => [session.id, session]));
  const boards = groupBySession(state.boards.filter(({ shelved }) => shelved !== true));
  const hiddenSessions = new Set(
    state.boards.flatMap(({ shelved, session }) => (shelved ? session : [])),
  );
  const isHiddenIdle = (id: string) =>
    hiddenSessions.has(id) && known.get(id)?.state.kind === 'idle';
  const newest = (id: string) => known.get(id)?.lastActive ?? 0;
  const candidates = [...new Set([...known.keys(), ...boards.keys()])].filter(
    (id) => boards.has(id) || (isAlive(known.get(id), options.since) && !isHiddenIdle(id)),
  );
  const twins = hiddenTwins(candidates.flatMap((id) => known.get(id) ?? []));
  const isHidden = (id: string) => twins.has(id) && !boards.has(id);
  const listed = candidates.filter((id) => !isHidden(id)).sort((a, b) => newest(b) - newest(a));
  const parentOf = (id: string) => {
    const parent = known.get(id)?.parentId ?? undefined;
    return parent !== undefined && isHidden(parent) ? twins.get(parent) : parent;
  };
  const planners = new Set(state.planners);
  const item = (id: string, inRun: boolean): SessionItem => {
    const own = boards.get(id) ?? [];
    const session = known.get(id);
    const children = listed
      .filter((other) => parentOf(other) === id)
      .map((child) => item(child, inRun || planners.has(id)));
    const old = isOld(session, own, options.oldBefore);
    const title = titleOf(id, session, own);
    const agent = session?.agent ?? own[0]?.agent ?? null;
    return {
      id,
      title,
      client: clientTitle(id, { agent, host: session?.host }, title, mixed),
      state: stateLine(session, own, {
        online,
        today: options.today,
        continues: state.continues.get(id),
        asks: state.asks,
        run: state.runs.find(({ session: planner }) => planner === id),
      }),
      progress: sumProgress([...own.map(planProgress), ...children.map((one) => one.progress)]),
      boards: own,
      children,
      old: old && children.every((child) => child.old),
      isWorking: session?.state.kind === 'busy' || session?.state.kind === 'retry',
      inRun,
    };
  };
  const shown = new Set(listed);
  const isTop = (id: string) => {
    const parent = parentOf(id);
    return parent === undefined || !shown.has(parent);
  };
  return listed.filter(isTop).map((id) => item(id, false));
}

function groupBySession(boards: readonly Board[]): ReadonlyMap<string, readonly Board[]> {
  const groups = new Map<string, readonly Board[]>();
  for (const board of boards) {
    const session = boardSession(board);
    groups.set(session, [...(groups.get(session) ?? []), board]);
  }
  return groups;
}

/** The session of a board; for a note that can't be read, the one that its folder names. */
export function boardSession(board: Board): string {
  return board.session === '' ? (board.path.split('/').at(-2) ?? '') : board.session;
}

function isAlive(session: Session | undefined, since: number): boolean {
  if (session === undefined || session.state.kind === 'ended') return false;
  // A client that only calls our tools shows nothing before it has a board.
  if (!canDo(session, 'prompt')) return false;
  const waits = session.permissions.length + session.questions.length > 0;
  return waits || session.state.kind !== 'idle' || session.lastActive >= since;
}

function titleOf(id: string, session: Session | undefined, boards: readonly Board[]): string {
  if (session !== undefined && session.title !== '') return session.title;
  return boards.find((board) => board.title !== '')?.title ?? id;
}

/** The last activity of a session that is no longer known is taken from its boards. */
function isOld(
  session: Session | undefined,
  boards: readonly Board[],
  before: number | undefined,
): boolean {
  if (before === undefined || boards.some(({ broken }) => broken !== null)) return false;
  if (session !== undefined) {
    if (session.permissions.length + session.questions.length > 0) return false;
    if (session.state.kind !== 'idle' && session.state.kind !== 'ended') return false;
    if (session.lastActive > 0) return session.lastActive < before;
  }
  const days = boards.flatMap(({ tasks }) =>
    tasks.flatMap((one) => one.done ?? one.cancelled ?? []),
  );
  const last = days.sort().at(-1);
  return last !== undefined && Date.parse(last) < before;
}

/** All sessions of subagents below `item`, each after its parent. */
export function descendants(item: SessionItem): readonly SessionItem[] {
  return item.children.flatMap((child) => [child, ...descendants(child)]);
}

export type SessionSort = 'newest' | 'oldest' | 'title';

/**
 * Keeps the order of a list of sessions: known ones stay in place, new ones come on top.
 * @returns the ids from top to bottom
 */
export function keepOrder(before: readonly string[], now: readonly string[]): readonly string[] {
  const there = new Set(now);
  const kept = before.filter((id) => there.has(id));
  const old = new Set(kept);
  const fresh = now.filter((id) => !old.has(id));
  return fresh.length === 0 && kept.length === before.length ? before : [...fresh, ...kept];
}

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
  /** the program that works in it, where that is not OpenCode and the title does not say it */
  readonly client: string | undefined;
  readonly state: StateLine;
  /** with that of its sub-agents */
  readonly progress: PlanProgress;
  /** did nothing for long, and wants nothing: it may be folded away */
  readonly old: boolean;
  /** it works at this moment */
  readonly works: boolean;
  /** a run started it, or it stands under such a session */
  readonly inRun: boolean;
  /** newest work first */
  readonly boards: readonly Board[];
  /** sessions of its sub-agents */
  readonly children: readonly SessionItem[];
}

export interface ListOptions {
  /** `YYYY-MM-DD` */
  readonly today: string;
  /** ms since the epoch; sessions that were idle before and have no board are left out */
  readonly since: number;
  /** ms since the epoch; what did nothing since then is old. undefined: nothing is */
  readonly oldBefore?: number | undefined;
}

/**
 * The sessions that are worth a row: those with a board, and those that are at work and take messages from
 * here. A child stands under its parent, or at the top where the parent is not listed. One that has no board is
 * left out where another stands for the same session.
 */
export function listSessions(state: OverviewState, options: ListOptions): readonly SessionItem[] {
  const online = state.connection.kind === 'connected';
  const mixed = state.connection.among?.mixed === true;
  const known = new Map(state.sessions.map((session) => [session.id, session]));
  const boards = bySession(state.boards.filter(({ shelved }) => shelved !== true));
  const away = new Set(state.boards.flatMap(({ shelved, session }) => (shelved ? session : [])));
  const rests = (id: string) => away.has(id) && known.get(id)?.state.kind === 'idle';
  const newest = (id: string) => known.get(id)?.lastActive ?? 0;
  const worth = [...new Set([...known.keys(), ...boards.keys()])].filter(
    (id) => boards.has(id) || (isAlive(known.get(id), options.since) && !rests(id)),
  );
  const twins = hiddenTwins(worth.flatMap((id) => known.get(id) ?? []));
  const isHidden = (id: string) => twins.has(id) && !boards.has(id);
  const listed = worth.filter((id) => !isHidden(id)).sort((a, b) => newest(b) - newest(a));
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
      works: session?.state.kind === 'busy' || session?.state.kind === 'retry',
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

function bySession(boards: readonly Board[]): ReadonlyMap<string, readonly Board[]> {
  const groups = new Map<string, readonly Board[]>();
  for (const board of boards) {
    const session = boardSession(board);
    groups.set(session, [...(groups.get(session) ?? []), board]);
  }
  return groups;
}

/** A note that can't be read names no session; its folder does. */
export function boardSession(board: Board): string {
  return board.session === '' ? (board.path.split('/').at(-2) ?? '') : board.session;
}

function isAlive(session: Session | undefined, since: number): boolean {
  if (session === undefined || session.state.kind === 'ended') return false;
  // Of a client that only calls our tools there is nothing to see before it has a board.
  if (!canDo(session, 'prompt')) return false;
  const waits = session.permissions.length + session.questions.length > 0;
  return waits || session.state.kind !== 'idle' || session.lastActive >= since;
}

function titleOf(id: string, session: Session | undefined, boards: readonly Board[]): string {
  if (session !== undefined && session.title !== '') return session.title;
  return boards.find((board) => board.title !== '')?.title ?? id;
}

/** Of a session that nobody knows any more, its boards say when something was done last. */
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

/** Sessions of sub-agents, and theirs, each behind the one that it works for. */
export function descendants(item: SessionItem): readonly SessionItem[] {
  return item.children.flatMap((child) => [child, ...descendants(child)]);
}

export type SessionSort = 'newest' | 'oldest' | 'title';

/**
 * Keeps sessions where they are: those that were there stay in their order, new ones come on top.
 * @returns the ids from top to bottom
 */
export function keepOrder(before: readonly string[], now: readonly string[]): readonly string[] {
  const there = new Set(now);
  const kept = before.filter((id) => there.has(id));
  const old = new Set(kept);
  const fresh = now.filter((id) => !old.has(id));
  return fresh.length === 0 && kept.length === before.length ? before : [...fresh, ...kept];
}

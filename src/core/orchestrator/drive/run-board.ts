import type { TodoManager } from '../../board/todo-manager';
import type { Board } from '../../board/task';
import type { RunState } from '../state';
import type { OrchestratorDeps } from './orchestrator-deps';
import type { PlanSnapshot } from '../plan-snapshot';
import type { ChangeRecord } from '../../board/history/change-record';

/** The board with the plan of a run: that of the planning session and its agent. */
export class RunBoard {
  #place: { readonly of: TodoManager; readonly planner: string; readonly path: string } | undefined;

  constructor(
    private readonly boards: Pick<OrchestratorDeps['boards'], 'manager'>,
    private readonly state: () => RunState,
  ) {}

  /** Reads the board from disk. */
  async load(): Promise<Board | undefined> {
    const path = await this.path();
    return path === undefined ? undefined : this.boards.manager().load(path);
  }

  /** The board's path, even before it exists; undefined before there is a planning session. */
  async path(): Promise<string | undefined> {
    const state = this.state();
    if (state.kind === 'idle' || state.run.planner === null) return undefined;
    const { planner, wish } = state.run;
    const manager = this.boards.manager();
    if (this.#place?.of !== manager || this.#place.planner !== planner) {
      const { path } = await manager.place(planner, wish.agent);
      this.#place = { of: manager, planner, path };
    }
    return this.#place.path;
  }
}

/** Whether a board is the plan of the run. */
export function isPlanOf(
  state: RunState,
  { session, agent }: { readonly session: string; readonly agent: string },
): boolean {
  return state.kind !== 'idle' && state.run.planner === session && state.run.wish.agent === agent;
}

/** Revision and statuses of a board at some time. */
interface BoardStatuses {
  readonly rev: number;
  /** status by task id */
  readonly status: ReadonlyMap<string, string>;
}

export function statusesOnBoard(board: Board | undefined): BoardStatuses {
  const tasks = board?.tasks ?? [];
  const own = tasks.flatMap(({ id, key, status }) => (id === key ? [[id, status] as const] : []));
  return { rev: board?.rev ?? 0, status: new Map(own) };
}

export function statusesInSnapshot(snapshot: PlanSnapshot | undefined): BoardStatuses | undefined {
  if (snapshot?.kind !== 'plan') return undefined;
  const own = snapshot.tasks.flatMap(({ id, status }) =>
    id === null ? [] : [[id, status] as const],
  );
  return { rev: snapshot.rev, status: new Map(own) };
}

/** Ids of the tasks whose status differs now. */
export function movedTasks(before: BoardStatuses, now: Board | undefined): readonly string[] {
  return [...statusesOnBoard(now).status].flatMap(([id, status]) => {
    const was = before.status.get(id);
    return was === undefined || was === status ? [] : [id];
  });
}

/** Pauses before the history is read again, ms: it is written directly after the note. */
const HISTORY_RETRIES = [100, 400, 1_500];

/**
 * The tasks that a person changed, in the note or through a program, according to the board's
 * history, where tools record their changes. A tool's change that could not be recorded counts as
 * the person's: the run then judges the task by the board.
 */
export async function changedByPerson(
  manager: TodoManager,
  before: BoardStatuses,
  now: Board,
  ids: readonly string[],
  wait: (ms: number) => Promise<boolean>,
): Promise<readonly string[]> {
  // Programs raise the revision, editors don't.
  if (ids.length === 0 || now.rev <= before.rev) return ids;
  for (const ms of [0, ...HISTORY_RETRIES]) {
    if (ms > 0 && !(await wait(ms))) return [];
    const records = await manager.changes(now.path);
    if (!records.some(({ rev }) => rev >= now.rev)) continue;
    const since = records.filter(({ rev }) => rev > before.rev);
    return ids.filter((id) => isPersonsChange(since, now, id));
  }
  return [];
}

function isPersonsChange(since: readonly ChangeRecord[], now: Board, id: string): boolean {
  const last = since.findLast((record) => record.tasks.includes(id) && mayChangeStatus(record, id));
  if (last === undefined || last.by.kind !== 'agent') return true;
  const mark = now.tasks.find((task) => task.key === id)?.mark;
  const written = checkboxMark(last, 'is', id);
  // If the mark differs from what an agent wrote last, the note was edited since.
  return written !== undefined && mark !== undefined && written !== mark;
}

/**
 * Whether a change may have changed the task's status; a change too large to be kept in lines may
 * have.
 */
function mayChangeStatus(record: ChangeRecord, id: string): boolean {
  return (
    record.hunks === undefined || checkboxMark(record, 'was', id) !== checkboxMark(record, 'is', id)
  );
}

/** The character in the brackets of the task's line, before or after a change. */
function checkboxMark(
  { hunks = [] }: ChangeRecord,
  side: 'was' | 'is',
  id: string,
): string | undefined {
  const line = hunks.flatMap((hunk) => hunk[side]).find((one) => lineHasId(one, id)) ?? '';
  return /^[\s>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[(.)\]/u.exec(line)?.[1];
}

/** Whether the line has the id, rather than a longer one that begins with it. */
function lineHasId(line: string, id: string): boolean {
  const at = line.indexOf(`🆔 ${id}`);
  const behind = at < 0 ? '' : line.charAt(at + `🆔 ${id}`.length);
  return (at >= 0 && !/[\w-]/.test(behind)) || line.trimEnd().endsWith(`^${id}`);
}

import type { TodoManager } from '../../board/todo-manager';
import type { Board } from '../../board/task';
import type { RunState } from '../state';
import type { OrchestratorDeps } from './orchestrator-deps';
import type { PlanLook } from '../plan-look';
import type { ChangeRecord } from '../../board/history/change-record';

/** The board that is the plan of a run: that of the planning session and its agent. */
export class RunBoard {
  #place: { readonly of: TodoManager; readonly planner: string; readonly path: string } | undefined;

  constructor(
    private readonly boards: Pick<OrchestratorDeps['boards'], 'manager'>,
    private readonly state: () => RunState,
  ) {}

  /** As it is on the disk now. */
  async load(): Promise<Board | undefined> {
    const path = await this.path();
    return path === undefined ? undefined : this.boards.manager().load(path);
  }

  /** Where it stands, or will stand; undefined before there is a session that plans. */
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

/** Status and revision of a board at some moment. */
interface BoardThen {
  readonly rev: number;
  /** by id */
  readonly status: ReadonlyMap<string, string>;
}

export function boardThen(board: Board | undefined): BoardThen {
  const tasks = board?.tasks ?? [];
  const own = tasks.flatMap(({ id, key, status }) => (id === key ? [[id, status] as const] : []));
  return { rev: board?.rev ?? 0, status: new Map(own) };
}

export function lookThen(look: PlanLook | undefined): BoardThen | undefined {
  if (look?.kind !== 'plan') return undefined;
  const own = look.tasks.flatMap(({ id, status }) => (id === null ? [] : [[id, status] as const]));
  return { rev: look.rev, status: new Map(own) };
}

/** Ids of the tasks that have another status now. */
export function movedTasks(before: BoardThen, now: Board | undefined): readonly string[] {
  return [...boardThen(now).status].flatMap(([id, status]) => {
    const was = before.status.get(id);
    return was === undefined || was === status ? [] : [id];
  });
}

/** Times after which the history is read once more, ms: it is written right behind the note. */
const HISTORY_RETRIES = [100, 400, 1_500];

/**
 * The tasks that a person changed, in the note or through a program, according to the board's history, in
 * which tools record their changes. A tool's change that it could not record counts as the person's: the
 * run then judges the task by the board.
 */
export async function byPerson(
  manager: TodoManager,
  before: BoardThen,
  now: Board,
  ids: readonly string[],
  wait: (ms: number) => Promise<boolean>,
): Promise<readonly string[]> {
  // A program raises the revision, an editor does not.
  if (ids.length === 0 || now.rev <= before.rev) return ids;
  for (const ms of [0, ...HISTORY_RETRIES]) {
    if (ms > 0 && !(await wait(ms))) return [];
    const records = await manager.changes(now.path);
    if (!records.some(({ rev }) => rev >= now.rev)) continue;
    const since = records.filter(({ rev }) => rev > before.rev);
    return ids.filter((id) => isPersons(since, now, id));
  }
  return [];
}

function isPersons(since: readonly ChangeRecord[], now: Board, id: string): boolean {
  const last = since.findLast((record) => record.tasks.includes(id) && movesStatus(record, id));
  if (last === undefined || last.by.kind !== 'agent') return true;
  const mark = now.tasks.find((task) => task.key === id)?.mark;
  const written = markIn(last, 'is', id);
  // What an agent wrote and does not stand any more was changed in the note since.
  return written !== undefined && mark !== undefined && written !== mark;
}

/** One that was too large to be kept in lines may have. */
function movesStatus(record: ChangeRecord, id: string): boolean {
  return record.hunks === undefined || markIn(record, 'was', id) !== markIn(record, 'is', id);
}

/** The character in the brackets of the task's line, before a change or after it. */
function markIn({ hunks = [] }: ChangeRecord, side: 'was' | 'is', id: string): string | undefined {
  const line = hunks.flatMap((hunk) => hunk[side]).find((one) => names(one, id)) ?? '';
  return /^[\s>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[(.)\]/u.exec(line)?.[1];
}

/** Not where another id only begins with it. */
function names(line: string, id: string): boolean {
  const at = line.indexOf(`🆔 ${id}`);
  const behind = at < 0 ? '' : line.charAt(at + `🆔 ${id}`.length);
  return (at >= 0 && !/[\w-]/.test(behind)) || line.trimEnd().endsWith(`^${id}`);
}

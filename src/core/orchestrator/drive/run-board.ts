import type { TodoManager } from '../../board/todo-manager';
import type { Board } from '../../board/task';
import { turnsOf, type RunState } from '../state';
import type { OrchestratorDeps, RunBoards } from './orchestrator-deps';
import type { RollBackAnswer } from '../../board/checkpoint/checkpoints';
import { PERSON } from '../../board/history/actor';
import type { RunAction } from '../event';
import type { RunAnswer } from '../runs';
import { stateText } from '../serialise';
import type { RunFiles } from './run-files';
import { stageOf, type PendingEvent } from './pending-events';
import { fault } from '../../fault';
import type { BoardChange } from '../../board/board-change';
import type { PlanLook } from '../plan-look';
import type { Backoff } from './timers';
import type { ChangeRecord } from '../../board/history/change-record';

/** Finds the board that is the plan of a run: that of the planning session and its agent. */
export class RunBoard {
  #place: { readonly of: TodoManager; readonly planner: string; readonly path: string } | undefined;

  constructor(private readonly boards: Pick<RunBoards, 'manager'>) {}

  /** As it is on the disk now. */
  async load(state: RunState): Promise<Board | undefined> {
    const path = await this.path(state);
    return path === undefined ? undefined : this.boards.manager().load(path);
  }

  /** Where it stands, or will stand; undefined before there is a session that plans. */
  async path(state: RunState): Promise<string | undefined> {
    if (state.kind === 'idle' || state.run.planner === null) return undefined;
    const { planner, wish } = state.run;
    const manager = this.boards.manager();
    const known = this.#place;
    if (known?.of === manager && known.planner === planner) return known.path;
    const { path } = await manager.place(planner, wish.agent);
    this.#place = { of: manager, planner, path };
    return path;
  }
}

/** The board as last seen, without a look at the disk. */
export function seenBoard(manager: TodoManager, state: RunState): Board | undefined {
  if (state.kind === 'idle' || state.run.planner === null) return undefined;
  const { planner, wish } = state.run;
  return manager.boards().find(({ session, agent }) => session === planner && agent === wish.agent);
}

type Deps = Pick<OrchestratorDeps, 'boards' | 'clock'>;

/** Keeps the board of a run as it is, and the run's state with it. @returns the checkpoint's number */
export async function keepBoard(
  { boards }: Deps,
  files: RunFiles,
  state: RunState | undefined,
  id: string,
  label: string | undefined,
): Promise<RunAnswer<number>> {
  const manager = boards.manager();
  const board = state && seenBoard(manager, state);
  if (state === undefined || board === undefined) return { ok: false, message: NO_BOARD };
  const wish = { by: 'user', ...(label !== undefined && { label }) } as const;
  const made = await manager.checkpoints.add(board.path, wish);
  if (!made.ok) return { ok: false, message: made.message };
  const { n } = made.checkpoint;
  await files.keepAt(id, n, stateText(state));
  return { ok: true, value: n };
}

interface RollBackPort {
  readonly deps: Deps;
  act(action: RunAction): Promise<RunAnswer<undefined>>;
  /** as it is now */
  state(): Promise<RunState | undefined>;
  /** nothing is being written for the run */
  settled(): boolean;
}

/** Between two looks whether all turns stopped, and how often it is looked, ms. */
const STOP_EVERY = 100;

const STOP_TRIES = 300;

/** The board as at a checkpoint; a run that goes on is paused first, and its turns are stopped. */
export async function rollBackRun(port: RollBackPort, n: number): Promise<RollBackAnswer> {
  const state = await port.state();
  const manager = port.deps.boards.manager();
  const board = state && seenBoard(manager, state);
  if (state === undefined || board === undefined) return fault('unknown_board', NO_BOARD);
  const known = await manager.checkpoints.diff(board.path, n);
  if (!known.ok) return known;
  if ('stage' in state) {
    for (const action of STOP) {
      const acted = await port.act(action);
      if (!acted.ok) return fault('busy', acted.message);
    }
    if (!(await allStopped(port))) return fault('busy', RUNS_ON);
  }
  const done = await manager.checkpoints.rollBack(board.path, n, PERSON);
  // Only the timeline lacks it where that can't be told.
  if (done.ok && 'stage' in state) await port.act({ type: 'rolled_back', n });
  return done;
}

const STOP: readonly RunAction[] = [{ type: 'pause' }, { type: 'interrupt', task: null }];

async function allStopped(port: RollBackPort): Promise<boolean> {
  for (let tries = 0; tries < STOP_TRIES; tries += 1) {
    const state = await port.state();
    if (state !== undefined && isStill(state) && port.settled()) return true;
    await new Promise<void>((resolve) => void port.deps.clock.after(STOP_EVERY, () => resolve()));
  }
  return false;
}

/** No turn runs, and nothing is being done to the board. */
function isStill(state: RunState): boolean {
  const stage = stageOf(state);
  if (stage === undefined) return true;
  const runs = turnsOf(stage).some(({ kind }) => kind === 'sending' || kind === 'working');
  const writes =
    stage.kind === 'executing'
      ? stage.naming !== null ||
        stage.steps.some(({ doing: { kind } }) => kind === 'saving' || kind === 'writing')
      : stage.kind === 'planning' && stage.doing.kind === 'writing';
  return !runs && !writes;
}

const NO_BOARD = 'This run has no board that could be read.';

const RUNS_ON =
  'A turn did not stop in time, so the board was left as it is. The run is paused; try again.';

/** Tells a run that its board is another, and which tasks a person has set to another status. */
export class StatusPeople {
  constructor(
    private readonly boards: Pick<RunBoards, 'manager'>,
    private readonly waits: Backoff,
    private readonly hear: (word: PendingEvent) => void,
  ) {}

  changed({ before, board, by }: BoardChange): void {
    const then = boardThen(before);
    const moved = before === undefined ? [] : movedTasks(then, board);
    if (by === 'person') {
      this.hear({ type: 'board', byPerson: [...moved] });
      return;
    }
    this.hear({ type: 'board', byPerson: [] });
    if (by === 'disk' && board !== undefined) void this.#ask(then, board, moved);
  }

  /** What happened to the board since it was looked at last. */
  async since(before: PlanLook | undefined, at: RunBoard, state: RunState): Promise<void> {
    const then = before === undefined ? undefined : lookThen(before);
    const board = then === undefined ? undefined : await at.load(state);
    if (then === undefined || board === undefined) return;
    await this.#ask(then, board, movedTasks(then, board));
  }

  async #ask(then: BoardThen, board: Board, moved: readonly string[]): Promise<void> {
    if (moved.length === 0) return;
    const wait = (ms: number): Promise<boolean> => this.waits.time(ms);
    const theirs = await byPerson(this.boards.manager(), then, board, moved, wait);
    if (theirs.length > 0) this.hear({ type: 'board', byPerson: [...theirs] });
  }
}

/** Status and revision of a board at some moment. */
interface BoardThen {
  readonly rev: number;
  /** by id */
  readonly status: ReadonlyMap<string, string>;
}

function boardThen(board: Board | undefined): BoardThen {
  const tasks = board?.tasks ?? [];
  const own = tasks.flatMap(({ id, key, status }) => (id === key ? [[id, status] as const] : []));
  return { rev: board?.rev ?? 0, status: new Map(own) };
}

function lookThen(look: PlanLook): BoardThen | undefined {
  if (look.kind !== 'plan') return undefined;
  const own = look.tasks.flatMap(({ id, status }) => (id === null ? [] : [[id, status] as const]));
  return { rev: look.rev, status: new Map(own) };
}

/** Ids of the tasks that have another status now. */
function movedTasks(before: BoardThen, now: Board | undefined): readonly string[] {
  return [...boardThen(now).status].flatMap(([id, status]) => {
    const was = before.status.get(id);
    return was === undefined || was === status ? [] : [id];
  });
}

/** Times after which the history is read once more, ms: it is written right behind the note. */
const HISTORY_RETRIES = [100, 400, 1_500];

/**
 * Which of the tasks were changed by a person, in the note or through a program, as the board's history
 * tells: tools write down what they do. What they wrote and could not write down counts as theirs: the
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
  const written = markIn(last.hunks?.flatMap(({ is }) => is) ?? [], id);
  // What an agent wrote and does not stand any more was changed in the note since.
  return written !== undefined && mark !== undefined && written !== mark;
}

/** One that was too large to be kept in lines may have. */
function movesStatus({ hunks }: ChangeRecord, id: string): boolean {
  if (hunks === undefined) return true;
  const was = hunks.flatMap((hunk) => hunk.was);
  const is = hunks.flatMap((hunk) => hunk.is);
  return markIn(was, id) !== markIn(is, id);
}

/** The character in the brackets of the task's line. */
function markIn(lines: readonly string[], id: string): string | undefined {
  const line = lines.find((one) => names(one, id));
  return line === undefined
    ? undefined
    : /^[\s>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[(.)\]/u.exec(line)?.[1];
}

/** Not where another id only begins with it. */
function names(line: string, id: string): boolean {
  const at = line.indexOf(`🆔 ${id}`);
  const behind = at < 0 ? '' : line.charAt(at + `🆔 ${id}`.length);
  return (at >= 0 && !/[\w-]/.test(behind)) || line.trimEnd().endsWith(`^${id}`);
}

import type { RollBackAnswer } from '../../board/checkpoint/checkpoints';
import { PERSON } from '../../board/history/actor';
import { fault } from '../../board/operation/outcome';
import type { RunAction } from '../event';
import type { RunAnswer } from '../runs';
import { stateText } from '../serialise';
import type { RunState } from '../state';
import { turnsOf } from '../turns-of';
import type { OrchestratorDeps } from './orchestrator-deps';
import { seenBoard } from './run-board';
import type { RunFiles } from './run-files';
import { stageOf } from './word';

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

export interface RollBackPort {
  readonly deps: Deps;
  act(action: RunAction): Promise<RunAnswer<undefined>>;
  /** as it is now */
  state(): Promise<RunState | undefined>;
  /** nothing is being written for the run */
  settled(): boolean;
}

/** Between two looks whether all turns stopped, and how often it is looked, ms. */
const EVERY = 100;
const TRIES = 300;

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
  for (let tries = 0; tries < TRIES; tries += 1) {
    const state = await port.state();
    if (state !== undefined && isStill(state) && port.settled()) return true;
    await new Promise<void>((resolve) => void port.deps.clock.after(EVERY, () => resolve()));
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

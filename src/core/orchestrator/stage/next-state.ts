import { reachedLimit, type LimitName } from '../limits';
import type { PlanLook, PlannedTask } from '../plan-look';
import type { Executing, Planning, Run, RunState, Stage, Step, Turn, WaitReason } from '../state';
import { advance, stopAtLimit } from './executing';
import { note } from './step-moves';
import { sendTurn, stopTurn } from './turn-step';

/** Where the run stands after an event: going, paused, waiting for a named reason, or done. */
export function nextState(before: Run, stage: Stage, look: PlanLook, paused: boolean): RunState {
  const stopped = stopUsers(withoutOpened(before, look), stage);
  const { run } = stopped;
  if (paused) return { kind: 'paused', ...stopped };
  if (stopped.stage.kind === 'approving') return { kind: 'going', run, stage: stopped.stage };
  return stopped.stage.kind === 'planning'
    ? planning(stopped.run, stopped.stage, look)
    : executing(stopped.run, stopped.stage, look);
}

/** What is open again on the board, or taken off it as not done, has no result any more. */
function withoutOpened(run: Run, look: PlanLook): Run {
  if (look.kind !== 'plan') return run;
  const open = new Set(
    look.tasks.flatMap(({ id, status }) => (status === 'completed' ? [] : [id])),
  );
  const done = run.done.filter(({ task }) => !open.has(task));
  return done.length === run.done.length ? run : { ...run, done };
}

/** Running turns are stopped where the limit is on what they use, paused or not. */
function stopUsers(run: Run, stage: Stage): { readonly run: Run; readonly stage: Stage } {
  const limit = reachedLimit(run.wish.limits, run.used);
  if (stage.kind === 'executing') return stopAtLimit(run, stage, limit);
  if (stage.kind === 'approving' || stage.doing.kind !== 'turn') return { run, stage };
  const { turn } = stage.doing;
  const over = limit === 'tokens' || limit === 'minutes';
  if (!over || (turn.kind === 'working' && turn.stop !== null)) return { run, stage };
  const stop = stopTurn(turn, { kind: 'limit' }, run);
  if (stop === undefined) return { run, stage };
  return { run: stop.run, stage: { ...stage, doing: { kind: 'turn', turn: stop.turn } } };
}

function planning(run: Run, stage: Planning, look: PlanLook): RunState {
  let now: { readonly run: Run; readonly stage: Planning } = { run, stage };
  const { doing } = stage;
  if (doing.kind === 'turn' && doing.turn.kind === 'due' && mayPrompt(run)) {
    if (doing.turn.from <= run.at) {
      const sent = sendTurn(doing.turn, run);
      now = { run: sent.run, stage: { ...stage, doing: { kind: 'turn', turn: sent.turn } } };
    }
  }
  const moves =
    now.stage.doing.kind === 'writing' ||
    (now.stage.doing.kind === 'turn' && turnMoves(now.run, now.stage.doing.turn));
  return moves ? { kind: 'going', ...now } : waiting(now.run, now.stage, look);
}

function executing(run: Run, before: Executing, look: PlanLook): RunState {
  const limit = (one: Run): LimitName | 'offline' | undefined =>
    one.linked ? reachedLimit(one.wish.limits, one.used) : 'offline';
  const moved = advance(run, before, look, limit);
  const { stage } = moved;
  if (stage.steps.some((step) => stepMoves(moved.run, step)) || stage.naming !== null) {
    return { kind: 'going', ...moved };
  }
  if (stage.steps.length === 0 && isDone(look)) {
    return { kind: 'completed', run: note(moved.run, 'ended') };
  }
  return waiting(moved.run, stage, look);
}

function waiting(run: Run, stage: Planning | Executing, look: PlanLook): RunState {
  const why = waitReasons(run, stage, look, reachedLimit(run.wish.limits, run.used));
  return { kind: 'waiting', run, stage, why: [...why] };
}

/** Something comes of it without the person: no answer is waited for, and the connection is there. */
function stepMoves(run: Run, { doing }: Step): boolean {
  switch (doing.kind) {
    case 'saving':
    case 'writing':
      return true;
    case 'work':
    case 'check':
      return turnMoves(run, doing.turn);
    case 'approval':
    case 'held':
      return false;
  }
}

function turnMoves(run: Run, turn: Turn): boolean {
  switch (turn.kind) {
    case 'due':
      return mayPrompt(run);
    case 'working':
      return run.linked && (turn.asks.length === 0 || turn.stop !== null);
    case 'opening':
    case 'sending':
      return run.linked;
  }
}

function mayPrompt(run: Run): boolean {
  return run.linked && reachedLimit(run.wish.limits, run.used) === undefined;
}

/** A plan without tasks is not done: somebody took them all away. */
function isDone(look: PlanLook): boolean {
  return (
    look.kind === 'plan' &&
    look.tasks.length > 0 &&
    look.tasks.every(({ status }) => status === 'completed' || status === 'cancelled')
  );
}

/** Why nothing goes on: never empty, the most general first. */
export function waitReasons(
  run: Run,
  stage: Planning | Executing,
  look: PlanLook,
  limit: LimitName | undefined,
): readonly WaitReason[] {
  const why: WaitReason[] = [];
  if (!run.linked) why.push({ kind: 'offline' });
  if (limit !== undefined) why.push({ kind: 'limit', limit });
  if (stage.kind === 'planning') return [...why, ...ofPlanning(stage)];
  if (look.kind === 'unreadable') why.push({ kind: 'board', message: look.message });
  if (stage.unnamed !== null) why.push({ kind: 'board', message: stage.unnamed });
  why.push(...stage.steps.flatMap(ofStep));
  if (look.kind === 'plan') why.push(...ofPlan(stage, look.tasks, why.length === 0));
  return why;
}

function ofPlanning({ doing }: Planning): readonly WaitReason[] {
  if (doing.kind === 'held') return [{ kind: 'plan', message: doing.message }];
  return doing.kind === 'turn' ? asked(doing.turn, null) : [];
}

function ofStep(step: Step): readonly WaitReason[] {
  const { doing } = step;
  const task = { id: step.task, title: step.title };
  switch (doing.kind) {
    case 'work':
    case 'check':
      return asked(doing.turn, task);
    case 'approval':
      return [{ kind: 'approval', task }];
    case 'held':
      return [{ kind: 'held', task, why: doing.why, message: doing.message }];
    case 'saving':
    case 'writing':
      return [];
  }
}

function asked(turn: Turn, task: { id: string; title: string } | null): readonly WaitReason[] {
  return turn.kind === 'working' && turn.asks.length > 0
    ? [{ kind: 'asked', session: turn.session, task, what: turn.asks.map(({ what }) => what) }]
    : [];
}

function ofPlan(
  { steps }: Executing,
  tasks: readonly PlannedTask[],
  alone: boolean,
): readonly WaitReason[] {
  const taken = new Set(steps.map(({ task }) => task));
  const own = tasks.filter(({ mine }) => mine).map(named);
  if (own.length > 0 || !alone) return own.map((task) => ({ kind: 'own', task }));
  const open = tasks.filter(
    ({ id, status }) =>
      status !== 'completed' && status !== 'cancelled' && !(id !== null && taken.has(id)),
  );
  return [{ kind: 'blocked', tasks: open.map(named) }];
}

function named({ id, title }: PlannedTask): { id: string | null; title: string } {
  return { id, title };
}

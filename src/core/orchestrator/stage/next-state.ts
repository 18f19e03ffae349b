import { endsTurns, reachedLimit, type LimitName } from '../limits';
import type { PlanLook, PlannedTask } from '../plan-look';
import {
  doingsOf,
  mapTurns,
  type Executing,
  type Planning,
  type Run,
  type StartedRun,
  type Stage,
  type Step,
  type Turn,
  type WaitReason,
} from '../state';
import { startMore } from './executing';
import type { RunDraft } from './run-draft';
import { sendTurn, stopTurn } from './turn-step';

/** The state of the run after an event: active, paused, waiting for a reason, or done. */
export function nextState(
  draft: RunDraft,
  before: Stage,
  look: PlanLook,
  paused: boolean,
): StartedRun {
  forgetOpened(draft, look);
  const stopped = stopUsers(draft, before);
  if (paused) return { kind: 'paused', run: draft.run, stage: stopped };
  if (stopped.kind === 'approving') return { kind: 'going', run: draft.run, stage: stopped };
  // The limit is checked for each prompt, so that none exceeds the limit of turns.
  const sent = mapTurns(stopped, (turn) =>
    turn.kind === 'due' && turn.from <= draft.run.at && mayPrompt(draft.run)
      ? sendTurn(turn, draft)
      : turn,
  );
  const starts = sent.kind === 'executing' && mayPrompt(draft.run);
  const stage = starts ? startMore(draft, sent, look) : sent;
  const naming = stage.kind === 'executing' && stage.naming !== null;
  if (naming || doingsOf(stage).some((doing) => moves(draft.run, doing))) {
    return { kind: 'going', run: draft.run, stage };
  }
  if (stage.kind === 'executing' && stage.steps.length === 0 && isDone(look)) {
    draft.note('ended');
    return { kind: 'completed', run: draft.run };
  }
  const { run } = draft;
  const why = waitReasons(run, stage, look, reachedLimit(run.wish.limits, run.used));
  return { kind: 'waiting', run, stage, why: [...why] };
}

/** Drops the results of tasks that were reopened or removed before they were completed. */
function forgetOpened(draft: RunDraft, look: PlanLook): void {
  if (look.kind !== 'plan') return;
  const { run } = draft;
  const open = new Set(
    look.tasks.flatMap(({ id, status }) => (status === 'completed' ? [] : [id])),
  );
  const done = run.done.filter(({ task }) => !open.has(task));
  if (done.length < run.done.length) draft.run = { ...run, done };
}

/**
 * Stops running turns if the limit is on something that they use, whether the run is paused or not.
 */
function stopUsers(draft: RunDraft, stage: Stage): Stage {
  const { wish, used } = draft.run;
  if (!endsTurns(reachedLimit(wish.limits, used))) return stage;
  return mapTurns(stage, (turn) =>
    turn.kind === 'working' && turn.stop !== null
      ? turn
      : (stopTurn(turn, { kind: 'limit' }, draft) ?? turn),
  );
}

/**
 * Whether it makes progress without the person: it waits for no answer, and the connection is up.
 */
function moves(run: Run, doing: (Step | Planning)['doing']): boolean {
  if (!('turn' in doing)) return doing.kind === 'saving' || doing.kind === 'writing';
  const { turn } = doing;
  if (turn.kind === 'due') return mayPrompt(run);
  const asks = turn.kind === 'working' && turn.asks.length > 0 && turn.stop === null;
  return run.linked && !asks;
}

function mayPrompt(run: Run): boolean {
  return run.linked && reachedLimit(run.wish.limits, run.used) === undefined;
}

/** A plan without tasks is not done: someone removed all of them. */
function isDone(look: PlanLook): boolean {
  return (
    look.kind === 'plan' &&
    look.tasks.length > 0 &&
    look.tasks.every(({ status }) => status === 'completed' || status === 'cancelled')
  );
}

/** Why the run makes no progress: never empty, the most general reason first. */
export function waitReasons(
  run: Run,
  stage: Planning | Executing,
  look: PlanLook,
  limit: LimitName | undefined,
): readonly WaitReason[] {
  const why: WaitReason[] = [];
  if (!run.linked) why.push({ kind: 'offline' });
  if (limit !== undefined) why.push({ kind: 'limit', limit });
  if (stage.kind === 'planning') {
    const { doing } = stage;
    if (doing.kind === 'held') why.push({ kind: 'plan', message: doing.message });
    return doing.kind === 'turn' ? [...why, ...asked(doing.turn, null)] : why;
  }
  if (look.kind === 'unreadable') why.push({ kind: 'board', message: look.message });
  if (stage.unnamed !== null) why.push({ kind: 'board', message: stage.unnamed });
  why.push(...stage.steps.flatMap(ofStep));
  return look.kind === 'plan' ? [...why, ...ofPlan(stage, look.tasks, why.length === 0)] : why;
}

function ofStep({ task: id, title, doing }: Step): readonly WaitReason[] {
  const task = { id, title };
  if ('turn' in doing) return asked(doing.turn, task);
  if (doing.kind === 'approval') return [{ kind: 'approval', task }];
  const { kind } = doing;
  return kind === 'held' ? [{ kind, task, why: doing.why, message: doing.message }] : [];
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
  const named = ({ id, title }: PlannedTask) => ({ id, title });
  const taken = (one: PlannedTask): boolean => steps.some(({ task }) => one.id === task);
  // A task under review that has a step is covered by the step's reason.
  const own = tasks.filter((one) => one.mine && !(one.review && taken(one))).map(named);
  if (own.length > 0 || !alone) return own.map((task) => ({ kind: 'own', task }));
  const open = tasks.filter(
    (one) => one.status !== 'completed' && one.status !== 'cancelled' && !taken(one),
  );
  return [{ kind: 'blocked', tasks: open.map(named) }];
}

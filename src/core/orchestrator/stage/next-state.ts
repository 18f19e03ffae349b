import { endsTurns, reachedLimit, type LimitName } from '../limits';
import type { PlanSnapshot, PlannedTask } from '../plan-snapshot';
import {
  activitiesOf,
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
  snapshot: PlanSnapshot,
  paused: boolean,
): StartedRun {
  dropReopenedResults(draft, snapshot);
  const stopped = stopTurnsAtLimit(draft, before);
  if (paused) return { kind: 'paused', run: draft.run, stage: stopped };
  if (stopped.kind === 'approving') return { kind: 'going', run: draft.run, stage: stopped };
  // The limit is checked for each prompt, so that none exceeds the limit of turns.
  const sent = mapTurns(stopped, (turn) =>
    turn.kind === 'due' && turn.from <= draft.run.at && mayPrompt(draft.run)
      ? sendTurn(turn, draft)
      : turn,
  );
  const starts = sent.kind === 'executing' && mayPrompt(draft.run);
  const stage = starts ? startMore(draft, sent, snapshot) : sent;
  const naming = stage.kind === 'executing' && stage.naming !== null;
  if (naming || activitiesOf(stage).some((doing) => makesProgress(draft.run, doing))) {
    return { kind: 'going', run: draft.run, stage };
  }
  if (stage.kind === 'executing' && stage.steps.length === 0 && isPlanDone(snapshot)) {
    draft.addEntry('ended');
    return { kind: 'completed', run: draft.run };
  }
  const { run } = draft;
  const why = waitReasons(run, stage, snapshot, reachedLimit(run.wish.limits, run.used));
  return { kind: 'waiting', run, stage, why: [...why] };
}

/** Drops the results of tasks that were reopened or removed before they were completed. */
function dropReopenedResults(draft: RunDraft, snapshot: PlanSnapshot): void {
  if (snapshot.kind !== 'plan') return;
  const { run } = draft;
  const open = new Set(
    snapshot.tasks.flatMap(({ id, status }) => (status === 'completed' ? [] : [id])),
  );
  const done = run.done.filter(({ task }) => !open.has(task));
  if (done.length < run.done.length) draft.run = { ...run, done };
}

/**
 * Stops running turns if the limit is on something that they use, whether the run is paused or not.
 */
function stopTurnsAtLimit(draft: RunDraft, stage: Stage): Stage {
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
function makesProgress(run: Run, doing: (Step | Planning)['doing']): boolean {
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
function isPlanDone(snapshot: PlanSnapshot): boolean {
  return (
    snapshot.kind === 'plan' &&
    snapshot.tasks.length > 0 &&
    snapshot.tasks.every(({ status }) => status === 'completed' || status === 'cancelled')
  );
}

/** Why the run makes no progress: never empty, the most general reason first. */
export function waitReasons(
  run: Run,
  stage: Planning | Executing,
  snapshot: PlanSnapshot,
  limit: LimitName | undefined,
): readonly WaitReason[] {
  const why: WaitReason[] = [];
  if (!run.linked) why.push({ kind: 'offline' });
  if (limit !== undefined) why.push({ kind: 'limit', limit });
  if (stage.kind === 'planning') {
    const { doing } = stage;
    if (doing.kind === 'held') why.push({ kind: 'plan', message: doing.message });
    return doing.kind === 'turn' ? [...why, ...requestReasons(doing.turn, null)] : why;
  }
  if (snapshot.kind === 'unreadable') why.push({ kind: 'board', message: snapshot.message });
  if (stage.unnamed !== null) why.push({ kind: 'board', message: stage.unnamed });
  why.push(...stage.steps.flatMap(stepReasons));
  return snapshot.kind === 'plan'
    ? [...why, ...planReasons(stage, snapshot.tasks, why.length === 0)]
    : why;
}

function stepReasons({ task: id, title, doing }: Step): readonly WaitReason[] {
  const task = { id, title };
  if ('turn' in doing) return requestReasons(doing.turn, task);
  if (doing.kind === 'approval') return [{ kind: 'approval', task }];
  const { kind } = doing;
  return kind === 'held' ? [{ kind, task, why: doing.why, message: doing.message }] : [];
}

function requestReasons(
  turn: Turn,
  task: { id: string; title: string } | null,
): readonly WaitReason[] {
  return turn.kind === 'working' && turn.asks.length > 0
    ? [{ kind: 'asked', session: turn.session, task, what: turn.asks.map(({ what }) => what) }]
    : [];
}

function planReasons(
  { steps }: Executing,
  tasks: readonly PlannedTask[],
  isOnlyReason: boolean,
): readonly WaitReason[] {
  const named = ({ id, title }: PlannedTask) => ({ id, title });
  const taken = (one: PlannedTask): boolean => steps.some(({ task }) => one.id === task);
  // A task under review that has a step is covered by the step's reason.
  const own = tasks.filter((one) => one.mine && !(one.review && taken(one))).map(named);
  if (own.length > 0 || !isOnlyReason) return own.map((task) => ({ kind: 'own', task }));
  const open = tasks.filter(
    (one) => one.status !== 'completed' && one.status !== 'cancelled' && !taken(one),
  );
  return [{ kind: 'blocked', tasks: open.map(named) }];
}

import type { EventRecord } from '../event';
import type { PlanSnapshot } from '../plan-snapshot';
import {
  oneLine,
  RUN_SENTENCES,
  type Approving,
  type Planning,
  type Stage,
  type PromptTarget,
} from '../state';
import type { RunDraft } from './run-draft';
import { nextTurn, stepTurn, stopTurn, promptTargetOf, type TurnOutcome } from './turn-step';

/** All attempts at a plan failed, so the run fails. */
export interface PlanFailed {
  readonly kind: 'failed';
  readonly message: string;
}

/** Starts a planning turn, in the previous planning session or in a new one. */
export function startPlanning(
  draft: RunDraft,
  attempt: number,
  wrong: string | null,
  talk: PromptTarget | null,
): Planning {
  const turn = nextTurn(draft, talk, attempt);
  return { kind: 'planning', attempt, wrong, doing: { kind: 'turn', turn } };
}

/**
 * Applies an event to the planning stage. The agent writes the plan to the board; a plan in its
 * answer is added from the text.
 */
export function stepPlanning(
  draft: RunDraft,
  stage: Planning,
  { event, plan: snapshot }: EventRecord,
): Stage | PlanFailed {
  const { doing } = stage;
  if (doing.kind === 'held') {
    // Possible only here, while no turn runs: a running turn has to be stopped first.
    if (event.type !== 'replan' && event.type !== 'resume') return stage;
    const wrong = event.type === 'replan' ? event.words : stage.wrong;
    return startPlanning(draft, 1, wrong === null ? null : oneLine(wrong, 2_000), doing.talk);
  }
  if (doing.kind === 'writing') {
    if (!('key' in event) || event.key !== doing.key) return stage;
    if (event.type === 'done') return acceptPlan(draft, stage, doing.talk, snapshot);
    return event.type === 'refused'
      ? failPlanAttempt(draft, stage, event.message, doing.talk)
      : stage;
  }
  if (event.type === 'interrupt') {
    const turn = stopTurn(doing.turn, { kind: 'person' }, draft);
    return turn === undefined
      ? suspendPlanning(stage, RUN_SENTENCES.planningStopped, promptTargetOf(doing.turn))
      : { ...stage, doing: { kind: 'turn', turn } };
  }
  const turn = stepTurn(doing.turn, event, draft.run.at);
  if (turn.kind === 'over') return afterTurn(draft, stage, turn, snapshot);
  if ('session' in turn) draft.run = { ...draft.run, planner: turn.session };
  return { ...stage, doing: { kind: 'turn', turn } };
}

function afterTurn(
  draft: RunDraft,
  stage: Planning,
  { result, talk, lapsed, stop }: TurnOutcome,
  snapshot: PlanSnapshot,
): Stage | PlanFailed {
  if (hasPlan(snapshot) && (result.kind === 'completed' || result.kind === 'cut')) {
    return acceptPlan(draft, stage, talk, snapshot);
  }
  if (stop?.kind === 'limit') return startPlanning(draft, stage.attempt, stage.wrong, talk);
  switch (result.kind) {
    case 'interrupted':
      return suspendPlanning(stage, RUN_SENTENCES.planningStopped, talk);
    case 'error':
      return failPlanAttempt(draft, stage, result.message, talk);
    case 'refused':
    case 'no_access':
    case 'too_long':
      return suspendPlanning(stage, `${result.message} ${RETRY_HINT}`, talk);
    case 'cut':
      return startPlanning(draft, stage.attempt, stage.wrong, talk);
    case 'completed': {
      if (lapsed) return suspendPlanning(stage, RUN_SENTENCES.planningUnanswered, talk);
      const text = result.said;
      if (text.trim() === '') return failPlanAttempt(draft, stage, RUN_SENTENCES.noPlan, talk);
      return { ...stage, doing: { kind: 'writing', key: draft.nextKey(), text, talk } };
    }
  }
}

function acceptPlan(
  draft: RunDraft,
  stage: Planning,
  talk: PromptTarget | null,
  snapshot: PlanSnapshot,
): Stage | PlanFailed {
  if (!hasPlan(snapshot)) return failPlanAttempt(draft, stage, RUN_SENTENCES.noPlan, talk);
  // Tasks completed before the run began will not be checked, so the person has to approve.
  const unchecked = snapshot.tasks.some(
    ({ status, success }) => status === 'completed' && success.length > 0,
  );
  const next = stageWithPlan(draft, talk, snapshot);
  return unchecked ? { kind: 'approving', talk } : next;
}

/** The stage after planning: approval by the person, or execution. */
export function stageWithPlan(
  draft: RunDraft,
  talk: PromptTarget | null,
  { tasks: { length: count } }: Extract<PlanSnapshot, { kind: 'plan' }>,
): Stage {
  draft.addEntry('planned', count === 1 ? '1 task' : `${count} tasks`, { count });
  return draft.run.wish.approve ? { kind: 'approving', talk } : NOTHING_BEGUN;
}

const NOTHING_BEGUN: Stage = { kind: 'executing', steps: [], naming: null, unnamed: null };

function failPlanAttempt(
  draft: RunDraft,
  stage: Planning,
  wrong: string,
  talk: PromptTarget | null,
): Planning | PlanFailed {
  const about = draft.attemptDetails(stage);
  if (stage.attempt >= draft.run.wish.limits.attempts) return { kind: 'failed', message: wrong };
  draft.addEntry('tried_again', wrong, about);
  return startPlanning(draft, stage.attempt + 1, wrong, talk);
}

function suspendPlanning(stage: Planning, message: string, talk: PromptTarget | null): Planning {
  return { ...stage, doing: { kind: 'held', message, talk } };
}

/** Whether at least one task on the board is open. */
export function hasPlan(
  snapshot: PlanSnapshot,
): snapshot is Extract<PlanSnapshot, { kind: 'plan' }> {
  return (
    snapshot.kind === 'plan' &&
    snapshot.tasks.some(({ status }) => status !== 'completed' && status !== 'cancelled')
  );
}

const RETRY_HINT = 'Fix that and try again, or cancel this run and start another one.';

/**
 * Applies an event to the approval stage. The plan is the board at the time of approval, and must
 * not be empty.
 */
export function stepApproving(
  draft: RunDraft,
  stage: Approving,
  { event, plan: snapshot }: EventRecord,
): Stage {
  if (event.type === 'replan') {
    draft.addEntry('person', event.words);
    return startPlanning(draft, 1, event.words, stage.talk);
  }
  if (event.type === 'session_ended' && event.sessionId === stage.talk?.session) {
    return { ...stage, talk: null };
  }
  if (event.type !== 'approve' || snapshot.kind !== 'plan' || snapshot.tasks.length === 0)
    return stage;
  draft.addEntry('approved');
  return NOTHING_BEGUN;
}

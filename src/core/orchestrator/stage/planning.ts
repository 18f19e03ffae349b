import type { Happening } from '../event';
import type { PlanLook } from '../plan-look';
import {
  oneLine,
  RUN_SENTENCES,
  type Approving,
  type Planning,
  type Stage,
  type Talk,
} from '../state';
import type { RunDraft } from './run-draft';
import { nextTurn, stepTurn, stopTurn, talkOf, type TurnOver } from './turn-step';

/** All attempts at a plan failed, so the run fails. */
export interface PlanFailed {
  readonly kind: 'failed';
  readonly message: string;
}

/** Starts a planning turn, in the previous planning session or in a new one. */
export function plan(
  draft: RunDraft,
  attempt: number,
  wrong: string | null,
  talk: Talk | null,
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
  { event, plan: look }: Happening,
): Stage | PlanFailed {
  const { doing } = stage;
  if (doing.kind === 'held') {
    // Possible only here, while no turn runs: a running turn has to be stopped first.
    if (event.type !== 'replan' && event.type !== 'resume') return stage;
    const wrong = event.type === 'replan' ? event.words : stage.wrong;
    return plan(draft, 1, wrong === null ? null : oneLine(wrong, 2_000), doing.talk);
  }
  if (doing.kind === 'writing') {
    if (!('key' in event) || event.key !== doing.key) return stage;
    if (event.type === 'done') return planned(draft, stage, doing.talk, look);
    return event.type === 'refused'
      ? failedAttempt(draft, stage, event.message, doing.talk)
      : stage;
  }
  if (event.type === 'interrupt') {
    const turn = stopTurn(doing.turn, { kind: 'person' }, draft);
    return turn === undefined
      ? suspended(stage, RUN_SENTENCES.planningStopped, talkOf(doing.turn))
      : { ...stage, doing: { kind: 'turn', turn } };
  }
  const turn = stepTurn(doing.turn, event, draft.run.at);
  if (turn.kind === 'over') return ended(draft, stage, turn, look);
  if ('session' in turn) draft.run = { ...draft.run, planner: turn.session };
  return { ...stage, doing: { kind: 'turn', turn } };
}

function ended(
  draft: RunDraft,
  stage: Planning,
  { result, talk, lapsed, stop }: TurnOver,
  look: PlanLook,
): Stage | PlanFailed {
  if (hasPlan(look) && (result.kind === 'completed' || result.kind === 'cut')) {
    return planned(draft, stage, talk, look);
  }
  if (stop?.kind === 'limit') return plan(draft, stage.attempt, stage.wrong, talk);
  switch (result.kind) {
    case 'interrupted':
      return suspended(stage, RUN_SENTENCES.planningStopped, talk);
    case 'error':
      return failedAttempt(draft, stage, result.message, talk);
    case 'refused':
    case 'no_access':
      return suspended(stage, `${result.message} ${REFUSED}`, talk);
    case 'cut':
      return plan(draft, stage.attempt, stage.wrong, talk);
    case 'completed': {
      if (lapsed) return suspended(stage, RUN_SENTENCES.planningUnanswered, talk);
      const text = result.said;
      if (text.trim() === '') return failedAttempt(draft, stage, RUN_SENTENCES.noPlan, talk);
      return { ...stage, doing: { kind: 'writing', key: draft.key(), text, talk } };
    }
  }
}

function planned(
  draft: RunDraft,
  stage: Planning,
  talk: Talk | null,
  look: PlanLook,
): Stage | PlanFailed {
  if (!hasPlan(look)) return failedAttempt(draft, stage, RUN_SENTENCES.noPlan, talk);
  // Tasks completed before the run began will not be checked, so the person has to approve.
  const unchecked = look.tasks.some(
    ({ status, success }) => status === 'completed' && success.length > 0,
  );
  const next = withPlan(draft, talk, look);
  return unchecked ? { kind: 'approving', talk } : next;
}

/** The stage after planning: approval by the person, or execution. */
export function withPlan(
  draft: RunDraft,
  talk: Talk | null,
  { tasks: { length: count } }: Extract<PlanLook, { kind: 'plan' }>,
): Stage {
  draft.note('planned', count === 1 ? '1 task' : `${count} tasks`, { count });
  return draft.run.wish.approve ? { kind: 'approving', talk } : NOTHING_BEGUN;
}

const NOTHING_BEGUN: Stage = { kind: 'executing', steps: [], naming: null, unnamed: null };

function failedAttempt(
  draft: RunDraft,
  stage: Planning,
  wrong: string,
  talk: Talk | null,
): Planning | PlanFailed {
  const about = draft.attempt(stage);
  if (stage.attempt >= draft.run.wish.limits.attempts) return { kind: 'failed', message: wrong };
  draft.note('tried_again', wrong, about);
  return plan(draft, stage.attempt + 1, wrong, talk);
}

function suspended(stage: Planning, message: string, talk: Talk | null): Planning {
  return { ...stage, doing: { kind: 'held', message, talk } };
}

/** Whether at least one task on the board is open. */
export function hasPlan(look: PlanLook): look is Extract<PlanLook, { kind: 'plan' }> {
  return (
    look.kind === 'plan' &&
    look.tasks.some(({ status }) => status !== 'completed' && status !== 'cancelled')
  );
}

const REFUSED = 'Fix that and try again, or cancel this run and start another one.';

/**
 * Applies an event to the approval stage. The plan is the board at the time of approval, and must
 * not be empty.
 */
export function stepApproving(
  draft: RunDraft,
  stage: Approving,
  { event, plan: look }: Happening,
): Stage {
  if (event.type === 'replan') {
    draft.note('person', event.words);
    return plan(draft, 1, event.words, stage.talk);
  }
  if (event.type === 'session_ended' && event.sessionId === stage.talk?.session) {
    return { ...stage, talk: null };
  }
  if (event.type !== 'approve' || look.kind !== 'plan' || look.tasks.length === 0) return stage;
  draft.note('approved');
  return NOTHING_BEGUN;
}

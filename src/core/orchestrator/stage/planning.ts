import type { Happening } from '../event';
import { retryAfter } from '../limits';
import type { PlanLook } from '../plan-look';
import {
  oneLine,
  type Approving,
  type Planning,
  type Rest,
  type Run,
  type Talk,
  type Turn,
  type TurnResult,
} from '../state';
import { note, withKey, type StageStep } from './step-moves';
import { stepTurn, stopTurn } from './turn-step';

/** A planning turn: in the session that planned before, else in a new one. */
export function plan(
  run: Run,
  attempt: number,
  wrong: string | null,
  talk: Talk | null,
): Extract<StageStep, { kind: 'stage' }> {
  const opened = withKey(run);
  const turn: Turn =
    talk === null
      ? { kind: 'opening', key: opened.key }
      : { kind: 'due', from: run.at + (attempt > 1 ? retryAfter(attempt) : 0), ...talk };
  const stage: Planning = { kind: 'planning', attempt, wrong, doing: { kind: 'turn', turn } };
  return { kind: 'stage', run: talk === null ? opened.run : run, stage };
}

/** The plan is made on the board by the agent; where it came as text, it is put there. */
export function stepPlanning(
  run: Run,
  stage: Planning,
  { event, plan: look }: Happening,
): StageStep {
  const { doing } = stage;
  if (event.type === 'replan' || (event.type === 'resume' && doing.kind === 'held')) {
    return again(run, stage, event.type === 'replan' ? event.words : stage.wrong);
  }
  switch (doing.kind) {
    case 'turn': {
      const { turn } = doing;
      if (event.type === 'interrupt') return interrupted(run, stage, turn);
      const next = stepTurn(turn, event, run.at);
      if (next.kind === 'over') return ended(run, stage, next.result, next.rest, look);
      const planner = next.turn.kind === 'opening' ? run.planner : next.turn.session;
      return {
        kind: 'stage',
        run: planner === run.planner ? run : { ...run, planner },
        stage: { ...stage, doing: { kind: 'turn', turn: next.turn } },
      };
    }
    case 'writing': {
      const { key, talk } = doing;
      if (event.type === 'done' && event.key === key) return planned(run, stage, talk, look);
      if (event.type !== 'refused' || event.key !== key) return { kind: 'stage', run, stage };
      return failedAttempt(run, stage, event.message, talk);
    }
    case 'held':
      return { kind: 'stage', run, stage };
  }
}

function ended(
  run: Run,
  stage: Planning,
  result: TurnResult,
  { talk, lapsed, stop }: Rest,
  look: PlanLook,
): StageStep {
  if (hasPlan(look) && (result.kind === 'completed' || result.kind === 'cut')) {
    return planned(run, stage, talk, look);
  }
  if (stop?.kind === 'limit') return plan(run, stage.attempt, stage.wrong, talk);
  switch (result.kind) {
    case 'interrupted':
      return suspended(run, stage, 'You stopped the planning.', talk);
    case 'error':
      return failedAttempt(run, stage, result.message, talk);
    case 'refused':
      return suspended(run, stage, `${result.message} ${REFUSED}`, talk);
    case 'cut':
      return plan(run, stage.attempt, stage.wrong, talk);
    case 'completed':
      if (lapsed)
        return suspended(run, stage, 'A question of the planning was not answered.', talk);
      return result.said.trim() === ''
        ? failedAttempt(run, stage, NO_PLAN, talk)
        : writing(run, stage, result.said, talk);
  }
}

function writing(run: Run, stage: Planning, text: string, talk: Talk | null): StageStep {
  const { run: next, key } = withKey(run);
  return {
    kind: 'stage',
    run: next,
    stage: { ...stage, doing: { kind: 'writing', key, text, talk } },
  };
}

function planned(run: Run, stage: Planning, talk: Talk | null, look: PlanLook): StageStep {
  if (!hasPlan(look)) return failedAttempt(run, stage, NO_PLAN, talk);
  const next = withPlan(run, talk, look);
  // Called done before anything began: no check is to come, so it is for the person to say.
  const unchecked = look.tasks.some(
    ({ status, success }) => status === 'completed' && success.length > 0,
  );
  return unchecked ? { ...next, stage: { kind: 'approving', talk } } : next;
}

/** There is a plan: it is the person's to approve, or is carried out. */
export function withPlan(
  run: Run,
  talk: Talk | null,
  look: Extract<PlanLook, { kind: 'plan' }>,
): Extract<StageStep, { kind: 'stage' }> {
  const count = look.tasks.length;
  const noted = note(run, 'planned', count === 1 ? '1 task' : `${count} tasks`);
  return run.wish.approve
    ? { kind: 'stage', run: noted, stage: { kind: 'approving', talk } }
    : {
        kind: 'stage',
        run: noted,
        stage: { kind: 'executing', steps: [], naming: null, unnamed: null },
      };
}

function failedAttempt(run: Run, stage: Planning, wrong: string, talk: Talk | null): StageStep {
  if (stage.attempt >= run.wish.limits.attempts) return { kind: 'failed', run, message: wrong };
  const next = plan(run, stage.attempt + 1, wrong, talk);
  const attempt = { n: stage.attempt, of: run.wish.limits.attempts };
  return { ...next, run: note(next.run, 'tried_again', wrong, { attempt }) };
}

function suspended(run: Run, stage: Planning, message: string, talk: Talk | null): StageStep {
  return { kind: 'stage', run, stage: { ...stage, doing: { kind: 'held', message, talk } } };
}

/** Only where nothing is under way: a turn that runs has to be stopped first. */
function again(run: Run, stage: Planning, wrong: string | null): StageStep {
  const { doing } = stage;
  if (doing.kind !== 'held') return { kind: 'stage', run, stage };
  return plan(run, 1, wrong === null ? null : oneLine(wrong, 2_000), doing.talk);
}

function interrupted(run: Run, stage: Planning, turn: Turn): StageStep {
  const stopped = stopTurn(turn, { kind: 'person' }, run);
  if (stopped !== undefined) {
    const doing = { kind: 'turn', turn: stopped.turn } as const;
    return { kind: 'stage', run: stopped.run, stage: { ...stage, doing } };
  }
  const talk = turn.kind === 'due' ? { session: turn.session, last: turn.last } : null;
  return suspended(run, stage, 'You stopped the planning.', talk);
}

/** Something on the board is left to do. */
export function hasPlan(look: PlanLook): look is Extract<PlanLook, { kind: 'plan' }> {
  return (
    look.kind === 'plan' &&
    look.tasks.some(({ status }) => status !== 'completed' && status !== 'cancelled')
  );
}

const REFUSED = 'Mend that and try again, or cancel this run and start another one.';

const NO_PLAN = 'The turn ended and there is no plan on the board.';

/** The board is the plan, as it stands when the person approves: there must be something on it. */
export function stepApproving(run: Run, stage: Approving, happening: Happening): StageStep {
  const { event, plan: look } = happening;
  if (event.type === 'replan')
    return plan(note(run, 'person', event.words), 1, event.words, stage.talk);
  if (event.type === 'session_ended' && event.sessionId === stage.talk?.session) {
    return { kind: 'stage', run, stage: { ...stage, talk: null } };
  }
  const approved = event.type === 'approve' && look.kind === 'plan' && look.tasks.length > 0;
  return approved
    ? {
        kind: 'stage',
        run: note(run, 'approved'),
        stage: { kind: 'executing', steps: [], naming: null, unnamed: null },
      }
    : { kind: 'stage', run, stage };
}

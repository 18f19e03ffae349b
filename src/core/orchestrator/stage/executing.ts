import { choose } from '../choose';
import type { Happening } from '../event';
import { endsTurns, type LimitName } from '../limits';
import type { PlanLook, PlannedTask } from '../plan-look';
import type { Executing, Run } from '../state';
import type { Step } from '../task-step';
import { withKey } from './key';
import { moveStep } from './one-step';
import { takeUp } from './step-moves';
import { sendTurn, stopTurn } from './turn-step';

interface Done {
  readonly run: Run;
  readonly stage: Executing;
}

/** What an event makes of the steps that are taken up. None is taken up here. */
export function stepExecuting(run: Run, stage: Executing, happening: Happening): Done {
  let now = run;
  const steps: Step[] = [];
  for (const step of stage.steps) {
    const moved = moveStep(now, step, happening);
    now = moved.run;
    if (moved.step !== undefined) steps.push(moved.step);
  }
  return { run: now, stage: { kind: 'executing', steps, ...stepNaming(stage, happening) } };
}

function stepNaming(
  { naming, unnamed }: Executing,
  { event }: Happening,
): Pick<Executing, 'naming' | 'unnamed'> {
  if (event.type === 'board' || event.type === 'resume') return { naming, unnamed: null };
  if (event.type !== 'done' && event.type !== 'refused') return { naming, unnamed };
  if (event.key !== naming?.key) return { naming, unnamed };
  return { naming: null, unnamed: event.type === 'refused' ? event.message : null };
}

/** Turns that run beyond a limit on what they use are stopped. */
export function stopAtLimit(run: Run, stage: Executing, limit: LimitName | undefined): Done {
  if (!endsTurns(limit)) return { run, stage };
  let now = run;
  const steps = stage.steps.map((step): Step => {
    const { doing } = step;
    if (doing.kind !== 'work' && doing.kind !== 'check') return step;
    if (doing.turn.kind === 'working' && doing.turn.stop !== null) return step;
    const stop = stopTurn(doing.turn, { kind: 'limit' }, now);
    if (stop === undefined) return step;
    now = stop.run;
    return { ...step, doing: { ...doing, turn: stop.turn } };
  });
  return { run: now, stage: { ...stage, steps } };
}

/** Sends what is due, as far as the limit of turns allows, and takes up what can be started. */
export function advance(
  run: Run,
  stage: Executing,
  look: PlanLook,
  limitOf: (run: Run) => LimitName | 'offline' | undefined,
): Done {
  let now = run;
  const steps = stage.steps.map((step): Step => {
    const { doing } = step;
    if (doing.kind !== 'work' && doing.kind !== 'check') return step;
    const { turn } = doing;
    if (turn.kind !== 'due' || turn.from > now.at || limitOf(now) !== undefined) return step;
    const sent = sendTurn(turn, now);
    now = sent.run;
    return { ...step, doing: { ...doing, turn: sent.turn } };
  });
  return limitOf(now) === undefined
    ? startMore(now, { ...stage, steps }, look)
    : { run: now, stage: { ...stage, steps } };
}

/** Steps that wait for the person leave their place to others. */
function startMore(run: Run, stage: Executing, look: PlanLook): Done {
  const active = stage.steps.filter(
    ({ doing }) => doing.kind !== 'held' && doing.kind !== 'approval',
  );
  const taken = new Set(stage.steps.map(({ task }) => task));
  let free = run.wish.limits.parallel - active.length;
  let now = run;
  let { naming } = stage;
  const steps = [...stage.steps];
  for (const task of free > 0 ? choose(look, taken) : []) {
    if (free <= 0) break;
    free -= 1;
    if (hasId(task)) {
      const { run: next, step } = takeUp(now, task);
      now = next;
      steps.push(step);
      if (step.doing.kind === 'held') free += 1;
    } else if (naming === null && stage.unnamed === null) {
      const { run: next, key } = withKey(now);
      now = next;
      naming = { key, line: task.line, title: task.title };
    }
  }
  return { run: now, stage: { ...stage, steps, naming } };
}

function hasId(task: PlannedTask): task is PlannedTask & { id: string } {
  return task.id !== null;
}

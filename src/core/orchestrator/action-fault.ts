import type { RunAction } from './event';
import type { PlanLook } from './plan-look';
import type { Going, Stage } from './state';
import { turnsOf } from './turns-of';

/**
 * Why what the person wants would change nothing, in a sentence for them; undefined where it does.
 * @param rests no program carries the run out: to go on with it is no small thing then
 */
export function actionFault(
  { kind, stage }: Going,
  look: PlanLook,
  action: RunAction,
  rests: boolean,
): string | undefined {
  switch (action.type) {
    case 'pause':
      return kind === 'paused' ? 'The run is paused already.' : undefined;
    case 'resume':
      if (kind !== 'going' || rests) return undefined;
      return stage.kind === 'approving'
        ? 'The plan waits for your approval.'
        : 'It goes on already.';
    case 'approve':
      return approveFault(stage, look);
    case 'replan':
      return replanFault(stage);
    case 'interrupt':
      return turnsOf(stage).length === 0 ? 'No turn runs that could be stopped.' : undefined;
    case 'skip':
    case 'mark_done':
      return stepOf(stage, action.task) === undefined ? NOT_AT_IT : undefined;
    case 'retry':
      return retryFault(stage, action.task);
    case 'more':
    case 'finish':
    case 'cancel':
    case 'rolled_back':
      return undefined;
  }
}

function approveFault(stage: Stage, look: PlanLook): string | undefined {
  if (stage.kind === 'planning') return 'There is no plan to approve yet.';
  if (stage.kind === 'executing') return 'The plan is approved already.';
  if (look.kind === 'unreadable') return `The plan can’t be approved: ${look.message}`;
  return look.tasks.length === 0 ? 'There is no task on the board to approve.' : undefined;
}

function replanFault(stage: Stage): string | undefined {
  if (stage.kind === 'executing') {
    return 'The plan is carried out already. Change it on the board, or finish the run and start another.';
  }
  return stage.kind === 'planning' && stage.doing.kind !== 'held'
    ? 'The plan is being made. Stop that turn first, then ask for another plan.'
    : undefined;
}

function retryFault(stage: Stage, task: string): string | undefined {
  const step = stepOf(stage, task);
  if (step === undefined) return NOT_AT_IT;
  const waits = step.doing.kind === 'held' || step.doing.kind === 'approval';
  return waits ? undefined : `${step.title} is being worked on, and needs no further try.`;
}

function stepOf(stage: Stage, task: string) {
  return stage.kind === 'executing' ? stage.steps.find((step) => step.task === task) : undefined;
}

const NOT_AT_IT =
  'The run is not at this task now. Change it on the board, and the run goes by that.';

import type { Happening, RunEvent } from '../event';
import type { PlanLook } from '../plan-look';
import type { Run } from '../state';
import type { Step } from '../task-step';
import { checkOver } from './check-over';
import { noteStep } from './note';
import { byBoard } from './by-board';
import { byPerson } from './by-person';
import {
  attemptOf,
  dropped,
  finish,
  finished,
  held,
  taskOf,
  work,
  writing,
  type Moved,
} from './step-moves';
import { stepTurn } from './turn-step';
import { workOver } from './work-over';

/**
 * What an event makes of one step: the person's word first, then the board's, then what was asked
 * for. What the board says may be seen at any event, which itself is not lost by that.
 */
export function moveStep(run: Run, step: Step, { event, plan }: Happening): Moved {
  const told = byPerson(run, step, event, plan);
  if (told !== undefined) return told;
  const seen = byBoard(run, step, event, plan) ?? { run, step };
  return seen.step === undefined ? seen : byAnswer(seen.run, seen.step, event, plan);
}

function byAnswer(run: Run, step: Step, event: RunEvent, look: PlanLook): Moved {
  const { doing } = step;
  switch (doing.kind) {
    case 'saving':
      return answerTo(doing.key, event, {
        done: (n) => {
          const about = n === undefined ? {} : { checkpoint: n };
          return writing(noteStep(run, 'checkpoint', step, '', about), step, { kind: 'begin' });
        },
        refused: (message) => held(run, step, 'refused', `No checkpoint: ${message}`),
        else: () => ({ run, step }),
      });
    case 'writing':
      return answerTo(doing.key, event, {
        done: () => written(run, step, doing.write, look),
        // The task is done: only the line that says what came of it is missing.
        refused: (message) =>
          doing.write.kind === 'result'
            ? unlessReopened(run, step, look)
            : held(run, step, 'refused', `The board was not written: ${message}`),
        else: () => ({ run, step }),
      });
    case 'work': {
      const next = stepTurn(doing.turn, event, run.at);
      if (next.kind === 'over') return workOver(run, step, next.result, next.rest, look);
      return { run, step: { ...step, doing: { kind: 'work', turn: next.turn } } };
    }
    case 'check': {
      const next = stepTurn(doing.turn, event, run.at);
      if (next.kind === 'over') {
        return checkOver(run, step, doing.again, next.result, next.rest, look);
      }
      return { run, step: { ...step, doing: { ...doing, turn: next.turn } } };
    }
    case 'approval':
    case 'held':
      return { run, step };
  }
}

function answerTo(
  key: string,
  event: RunEvent,
  to: {
    done: (n: number | undefined) => Moved;
    refused: (message: string) => Moved;
    else: () => Moved;
  },
): Moved {
  if (event.type === 'done' && event.key === key) return to.done(event.n);
  if (event.type === 'refused' && event.key === key) return to.refused(event.message);
  return to.else();
}

function written(
  run: Run,
  step: Step,
  write: Extract<Step['doing'], { kind: 'writing' }>['write'],
  look: PlanLook,
): Moved {
  switch (write.kind) {
    case 'begin':
    case 'reopen':
      return work(run, step);
    case 'fail': {
      const noted = noteStep(run, 'failed', step, write.reason, attemptOf(run, step));
      return held(noted, step, 'failed', write.reason);
    }
    case 'cancelled':
    case 'deferred':
      return dropped(noteStep(run, 'person', step, `${write.kind}: ${write.reason}`));
    case 'complete': {
      const task = taskOf(look, step);
      return task === undefined || task.status === 'completed'
        ? finish(noteStep(run, 'person', step, 'marked done'), step)
        : dropped(run);
    }
    case 'result':
      return unlessReopened(run, step, look);
  }
}

/** What is not done any more when its result stands was opened again meanwhile: it is the board's. */
function unlessReopened(run: Run, step: Step, look: PlanLook): Moved {
  const task = taskOf(look, step);
  return task === undefined || task.status === 'completed' ? finished(run, step) : dropped(run);
}

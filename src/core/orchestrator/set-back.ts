import type { Going, Stage } from './state';
import type { Turn } from './turn';

/**
 * A run after the clock was set back by `ms`: the moments that it has yet to reach, or counts from,
 * go back as far, so that nothing waits for the old time to come again.
 */
export function setBack(state: Going, ms: number): Going {
  const { run } = state;
  const later = { ...state, run: { ...run, at: run.at - ms } };
  // A stage is changed into one of its own kind.
  return { ...later, stage: stageBack(state.stage, ms) } as Going;
}

function stageBack(stage: Stage, ms: number): Stage {
  switch (stage.kind) {
    case 'approving':
      return stage;
    case 'planning': {
      const { doing } = stage;
      return doing.kind === 'turn'
        ? { ...stage, doing: { ...doing, turn: turnBack(doing.turn, ms) } }
        : stage;
    }
    case 'executing': {
      const steps = stage.steps.map((step) => {
        const { since, doing } = step;
        const back = { ...step, since: since - ms };
        return doing.kind === 'work' || doing.kind === 'check'
          ? { ...back, doing: { ...doing, turn: turnBack(doing.turn, ms) } }
          : back;
      });
      return { ...stage, steps };
    }
  }
}

function turnBack(turn: Turn, ms: number): Turn {
  return turn.kind === 'due' ? { ...turn, from: turn.from - ms } : turn;
}

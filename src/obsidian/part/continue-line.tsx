import type { ContinueState } from '../../core/session/auto-continue/continue-state';
import { Countdown } from './countdown';
import { useName } from './use-name';

export interface ContinueLineProps {
  readonly state: Extract<ContinueState, { kind: 'waiting' }>;
  readonly onContinue: () => void;
  readonly onStop: () => void;
}

/** "Continues in 10 s with Score by field and recency." and what can be done about it. */
export function ContinueLine({ state, onContinue, onStop }: ContinueLineProps) {
  const [named, name] = useName(`Continues with ${state.taskTitle}`);
  return (
    <div class="atb-goes-on" role="group" {...named}>
      {name}
      <span>
        Continues in <Countdown at={state.until} /> with {state.taskTitle}.
      </span>
      <div class="atb-buttons">
        <button type="button" class="atb-button" onClick={onContinue}>
          Continue now
        </button>
        <button type="button" class="atb-button-quiet" onClick={onStop}>
          Stop
        </button>
      </div>
    </div>
  );
}

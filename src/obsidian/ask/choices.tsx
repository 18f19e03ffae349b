import type { ComponentChildren } from 'preact';
import type { Step } from './step';

/** The three answers; two of them have a second step. */
export function Choices(props: {
  readonly armed: boolean;
  /** stands before the buttons: the place in the queue */
  readonly queue: ComponentChildren;
  /** whether something can be recorded */
  readonly always: boolean;
  readonly onStep: (step: Step) => void;
  readonly onAllow: () => void;
}) {
  return (
    <div class="atb-buttons atb-ask-buttons">
      {props.queue}
      <button
        type="button"
        class="atb-button-deny"
        data-reply="reject"
        disabled={!props.armed}
        onClick={() => props.onStep('deny')}
      >
        Deny…
      </button>
      {props.always && (
        <button
          type="button"
          class="atb-button"
          data-reply="always"
          disabled={!props.armed}
          onClick={() => props.onStep('always')}
        >
          Always allow…
        </button>
      )}
      <button
        type="button"
        class="mod-cta atb-button"
        data-reply="once"
        disabled={!props.armed}
        onClick={props.onAllow}
      >
        Allow once
      </button>
    </div>
  );
}

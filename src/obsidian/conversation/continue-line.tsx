import { stopWords, type ContinueState } from '../../core/session/auto-continue/continue-state';
import { Countdown } from '../part/countdown';
import { Icon } from '../part/icon';

/** What a session does by itself when a turn has ended, and the person's say in it. */
export function ContinueLine(props: {
  readonly state: ContinueState;
  readonly onContinue: () => void;
  readonly onStop: () => void;
}) {
  const { state } = props;
  switch (state.kind) {
    case 'waiting':
      return (
        <div class="atb-continue" role="status">
          <Icon name="hourglass" />
          <span>
            Continues in <Countdown at={state.until} /> with {state.taskTitle}.
          </span>
          <button type="button" class="atb-button" onClick={props.onContinue}>
            Continue now
          </button>
          <button type="button" class="atb-button-quiet" onClick={props.onStop}>
            Stop
          </button>
        </div>
      );
    case 'needs_me':
      return <Line icon="hand" text={`Goes on when you have done ${state.taskTitle}.`} />;
    case 'stopped':
      return <Line icon="circle-small" text={stopWords(state.reason)} />;
    case 'off':
    case 'on':
    case 'nothing_ready':
      return null;
  }
}

function Line(props: { readonly icon: string; readonly text: string }) {
  return (
    <div class="atb-continue" role="status">
      <Icon name={props.icon} />
      <span>{props.text}</span>
    </div>
  );
}

import { progress } from '../../core/board/facts';
import type { Board } from '../../core/board/task';
import type { Ask } from '../../core/permission/ask';
import type { Session } from '../../core/session/session';
import { Icon } from '../part/icon';
import { useName } from '../part/use-name';
import { stateLine, type StateLine } from '../sidebar/state-line';
import { ProgressBar, StateView } from '../sidebar/state-view';

/** Above a conversation: what the session does, which turn it is, how far its plan is, and Stop. */
export function ConversationBar(props: {
  readonly title: string;
  readonly session: Session | undefined;
  readonly boards: readonly Board[];
  /** what our own tools ask */
  readonly asks: readonly Ask[];
  readonly online: boolean;
  readonly today: string;
  /** number of the turn, from 1; 0: none yet */
  readonly turn: number;
  readonly onStop: () => void;
}) {
  const { session, boards, online } = props;
  const { done, total } = boards
    .map(progress)
    .reduce((sum, one) => ({ done: sum.done + one.done, total: sum.total + one.total }), {
      done: 0,
      total: 0,
    });
  const runs = session?.state.kind === 'busy' || session?.state.kind === 'retry';
  const [named, name] = useName(props.title);
  return (
    <div class="atb-talk-bar" role="toolbar" {...named}>
      {name}
      <StateView line={barLine(stateLine(session, boards, props))} />
      {props.turn > 0 && <span class="atb-talk-turn">turn {props.turn}</span>}
      <span class="atb-note-progress">
        {total > 0 && (
          <>
            {done} of {total}
            <ProgressBar done={done} total={total} />
          </>
        )}
      </span>
      {online && runs && (
        <button type="button" class="atb-button atb-talk-stop" onClick={props.onStop}>
          <Icon name="square" />
          Stop
        </button>
      )}
    </div>
  );
}

/** What is asked, and which task is at work, stand below in full. */
function barLine({ icon, text, tone, until }: StateLine): StateLine {
  const words = tone === 'needs' ? 'Waits for your answer' : icon === 'spinner' ? 'Working' : text;
  return { icon, text: words, tone, ...(until !== undefined && { until }) };
}

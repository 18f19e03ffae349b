import { progress } from '../../core/board/facts';
import type { Board } from '../../core/board/task';
import type { Session } from '../../core/session/session';
import { stateLine, type StateLine } from '../sidebar/state-line';
import { ProgressBar, StateView } from '../sidebar/state-view';

/** Above a board's note: what its session is doing, whose plan it is, how far it is. */
export function NoteBar(props: {
  readonly board: Board;
  readonly session: Session | undefined;
  readonly online: boolean;
  readonly today: string;
}) {
  const { board, session } = props;
  const { done, total } = progress(board);
  const title = session === undefined || session.title === '' ? board.title : session.title;
  return (
    <div class="atb-note-bar" role="toolbar" aria-label={board.title}>
      <StateView line={barLine(stateLine(session, [board], props))} />
      <span>
        {board.agent} · {title}
      </span>
      <span class="atb-note-progress">
        {done} of {total}
        <ProgressBar done={done} total={total} />
      </span>
    </div>
  );
}

/** The task in progress stands in the note below: the bar only says that work goes on. */
function barLine(line: StateLine): StateLine {
  return line.icon === 'spinner' ? { ...line, text: 'Working' } : line;
}

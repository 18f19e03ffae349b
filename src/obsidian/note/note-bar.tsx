import { progress } from '../../core/board/facts';
import type { Board } from '../../core/board/task';
import type { Ask } from '../../core/permission/ask';
import type { Session } from '../../core/session/session';
import { Icon } from '../part/icon';
import { useName } from '../part/use-name';
import { stateLine, type StateLine } from '../sidebar/state-line';
import { ProgressBar, StateView } from '../sidebar/state-view';

/** Above a board's note: what its session is doing, whose plan it is, how far it is. */
export function NoteBar(props: {
  readonly board: Board;
  readonly session: Session | undefined;
  readonly online: boolean;
  readonly today: string;
  /** what our own tools ask */
  readonly asks?: readonly Ask[];
  /** what another party changed just now */
  readonly news?: string | undefined;
  /** lines with two versions */
  readonly conflicts?: number;
  readonly onShowConflict?: () => void;
}) {
  const { board, session, conflicts = 0 } = props;
  const { done, total } = progress(board);
  const title = session === undefined || session.title === '' ? board.title : session.title;
  const [named, name] = useName(board.title);
  return (
    <div class="atb-note-bar" role="toolbar" {...named}>
      {name}
      {conflicts > 0 ? (
        <ConflictsLine count={conflicts} onShow={props.onShowConflict} />
      ) : (
        <>
          <StateView line={barLine(stateLine(session, [board], props))} />
          <span>{props.news ?? (title === '' ? board.agent : `${board.agent} · ${title}`)}</span>
          <span class="atb-note-progress">
            {done} of {total}
            <ProgressBar done={done} total={total} />
          </span>
        </>
      )}
    </div>
  );
}

function ConflictsLine(props: {
  readonly count: number;
  readonly onShow: (() => void) | undefined;
}) {
  return (
    <>
      <Icon name="git-merge" />
      <span class="atb-note-conflicts">
        {props.count === 1 ? '1 line has two versions' : `${props.count} lines have two versions`}
      </span>
      <button type="button" class="atb-button" onClick={props.onShow}>
        Show
      </button>
    </>
  );
}

/** The task in progress stands in the note below: the bar only says that work goes on. */
function barLine(line: StateLine): StateLine {
  return line.icon === 'spinner' ? { ...line, text: 'Working' } : line;
}

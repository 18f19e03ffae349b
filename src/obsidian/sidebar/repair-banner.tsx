import type { Board } from '../../core/board/task';
import { Banner } from '../part/banner';
import type { Intents } from './intents';

/** Says why a board's note can't be written to, and where to mend it. */
export function RepairBanner(props: {
  readonly board: Board;
  readonly intents: Pick<Intents, 'open' | 'checkAgain'>;
}) {
  const { board, intents } = props;
  if (board.broken === null) return null;
  const { line, reason } = board.broken;
  return (
    <div role="none">
      <Banner
        icon="lock"
        label="This note is read-only until it is repaired"
        title="This note is read-only until it is repaired"
        text={reason}
        buttons={[
          {
            label: line > 0 ? `Open at line ${line}` : 'Open',
            onClick: () => intents.open(board, undefined, false),
          },
          { label: 'Check again', quiet: true, onClick: () => intents.checkAgain() },
        ]}
      />
    </div>
  );
}

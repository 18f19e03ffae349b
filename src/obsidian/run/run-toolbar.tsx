import { useContext } from 'preact/hooks';
import type { RunView } from '../../core/orchestrator/runs';
import { IconButton } from '../part/icon';
import type { Deed } from './deed';
import { playOf } from './play';
import { goingOf, stepsOf } from './run-of';
import { Doing } from './use-doing';

/** The buttons above the panel. */
export function RunToolbar(props: {
  readonly view: RunView;
  readonly onDo: (deed: Deed) => void;
  readonly onMore: (event: MouseEvent) => void;
}) {
  const { view, onDo } = props;
  const free = useContext(Doing) === undefined;
  const play = playOf(view);
  const going = goingOf(view) !== undefined;
  return (
    <div class="atb-toolbar nav-buttons-container" role="toolbar" aria-label="Run">
      <IconButton
        icon={play?.icon ?? 'play'}
        label={play?.label ?? 'Resume run'}
        disabled={!free || play === undefined}
        onClick={() => play !== undefined && onDo(play.deed)}
      />
      <IconButton
        icon="skip-forward"
        label="Skip step…"
        disabled={!free || stepsOf(view).length === 0}
        onClick={() => onDo({ kind: 'skip' })}
      />
      <IconButton
        icon="bookmark-plus"
        label="Create checkpoint"
        disabled={!free || !going || view.board === undefined}
        onClick={() => onDo({ kind: 'checkpoint' })}
      />
      <IconButton
        icon="scroll-text"
        label="Open run note"
        disabled={view.note === undefined}
        onClick={() => onDo({ kind: 'note' })}
      />
      <IconButton icon="ellipsis" label="More" onClick={props.onMore} />
    </div>
  );
}

import type { BridgesState } from '../../core/session/bridges-state';
import { connectionWords } from '../part/connection-words';
import { Icon, IconButton } from '../part/icon';
import type { DeskIntents } from './intents';

/** The buttons above the list; on a phone also the state of the connection. */
export function Toolbar(props: {
  readonly connection: BridgesState;
  readonly filtering: boolean;
  readonly intents: DeskIntents;
  readonly onFilter: () => void;
  readonly onSort: (event: MouseEvent) => void;
  readonly onCollapse: () => void;
}) {
  const { intents } = props;
  const words = connectionWords(props.connection, Date.now());
  return (
    <div class="atb-toolbar nav-buttons-container" role="toolbar" aria-label="Agent tasks">
      <span class="atb-toolbar-state">
        <Icon name={words.icon} />
        {words.text}
      </span>
      <IconButton
        wideOnly
        icon="message-square-plus"
        label="Start session"
        onClick={() => intents.startSession()}
      />
      <IconButton
        icon="list-filter"
        label="Filter tasks"
        pressed={props.filtering}
        onClick={props.onFilter}
      />
      <IconButton
        wideOnly
        icon="arrow-up-narrow-wide"
        label="Sort sessions"
        onClick={props.onSort}
      />
      <IconButton wideOnly icon="chevrons-down-up" label="Fold all" onClick={props.onCollapse} />
      <IconButton icon="ellipsis" label="More" onClick={(event) => intents.moreMenu(event)} />
    </div>
  );
}

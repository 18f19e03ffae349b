import type { Status } from '../../core/board/task';
import type { BlockOf, TaskChange } from '../../core/session/transcript/block';
import { Icon } from '../part/icon';
import { Mark } from '../part/mark';
import { Disclosure } from './disclosure';

const BY = {
  agent: 'Updated the board',
  person: 'You changed the board',
  disk: 'The board was changed on disk',
} as const;

/** What became of a task, by the status it has now. */
const BECAME: Readonly<Record<Status, string>> = {
  pending: 'Open again',
  in_progress: 'Started',
  completed: 'Done',
  failed: 'Failed',
  deferred: 'Deferred',
  cancelled: 'Cancelled',
};

/** What a call, a person or another program changed on the board: its tasks as rows. */
export function BoardBlock(props: {
  readonly block: BlockOf<'board'>;
  readonly open: boolean;
  readonly onToggle: () => void;
}) {
  const { by, changes, more = 0 } = props.block;
  const count = changes.length + more;
  return (
    <Disclosure
      icon="list-checks"
      name={BY[by]}
      object={count === 1 ? '1 change' : `${count} changes`}
      state={by === 'agent' ? <Icon name="check" /> : null}
      open={props.open}
      onToggle={props.onToggle}
    >
      <ul class="atb-talk-tasks">
        {changes.map((change) => (
          <ChangeRow key={change.key} change={change} />
        ))}
      </ul>
      {more > 0 && <p class="atb-talk-note">And {more} more.</p>}
    </Disclosure>
  );
}

function ChangeRow({ change }: { readonly change: TaskChange }) {
  const { title, status = 'pending' } = change;
  const word = changeWord(change);
  const state = status === 'pending' ? 'ready' : status;
  const checked = status === 'completed' ? 'true' : status === 'in_progress' ? 'mixed' : 'false';
  return (
    <li class="atb-talk-task">
      <Mark {...{ state, checked }} label={`${title}, ${word}`} disabled onTick={() => undefined} />
      <span class="atb-talk-title" data-state={change.what === 'removed' ? 'cancelled' : status}>
        {title}
      </span>
      <span class="atb-disclosure-state">{word}</span>
    </li>
  );
}

/** The change in a word; of a new task that is at work already, the status. */
export function changeWord({ what, status = 'pending' }: TaskChange): string {
  if (what === 'removed') return 'Removed';
  if (what === 'changed') return 'Changed';
  return what === 'added' && status === 'pending' ? 'Added' : BECAME[status];
}

import { Countdown } from '../part/countdown';
import { Icon } from '../part/icon';
import { Spinner } from '../part/spinner';
import type { StateLine } from './state-line';

/** A session's state: icon and words. */
export function StateView({ line }: { readonly line: StateLine }) {
  return (
    <div class="atb-state" data-tone={line.tone}>
      {line.icon === 'spinner' ? <Spinner /> : <Icon name={line.icon} />}
      <span>
        {line.detail === undefined ? line.text : <span class="atb-state-word">{line.text}</span>}
        {line.detail !== undefined && ` · ${line.detail}`}
        {line.until !== undefined && (
          <>
            {' in '}
            <Countdown at={line.until} />
          </>
        )}
      </span>
    </div>
  );
}

/** How much is done, as a hairline. Decoration: the numbers stand beside it. */
export function ProgressBar(props: { readonly done: number; readonly total: number }) {
  const share = props.total === 0 ? 0 : (100 * props.done) / props.total;
  return (
    <div class="atb-bar" aria-hidden="true">
      <span style={{ width: `${share}%` }} />
    </div>
  );
}

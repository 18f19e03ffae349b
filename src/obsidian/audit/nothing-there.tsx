import { Spinner } from '../part/spinner';

/** In place of the list. */
export function NothingThere(props: {
  readonly loading: boolean;
  readonly narrowed: boolean;
  readonly onClear: () => void;
}) {
  if (props.loading) {
    return (
      <p class="atb-audit-nothing" role="status">
        <Spinner /> Reading the audit
      </p>
    );
  }
  if (props.narrowed) {
    return (
      <p class="atb-audit-nothing">
        No entry matches. Clear the filter.{' '}
        <button type="button" class="atb-button" onClick={props.onClear}>
          Clear
        </button>
      </p>
    );
  }
  return (
    <p class="atb-audit-nothing">
      Nothing recorded yet. Each tool call will be listed here with the rule that decided it.
    </p>
  );
}

import { Icon } from '../part/icon';

/** Before the first run. */
export function RunEmpty(props: {
  readonly canStart: boolean;
  readonly connected: boolean;
  readonly onStart: () => void;
  readonly onConnect: () => void;
}) {
  const { canStart, connected } = props;
  return (
    <div class="atb-empty atb-run-empty">
      <Icon name="goal" />
      <h3>No run yet</h3>
      <p>Give a goal; the agent plans it, you approve, and each step is checked before the next.</p>
      {canStart && connected && (
        <button type="button" class="mod-cta" onClick={props.onStart}>
          Start run
        </button>
      )}
      {canStart && !connected && (
        <>
          <p>Not connected to OpenCode. A run needs it.</p>
          <button type="button" class="mod-cta" onClick={props.onConnect}>
            Connect
          </button>
        </>
      )}
      {!canStart && <p>Runs are started on a computer. They show here as they go.</p>}
    </div>
  );
}

import type { ConnectionState } from '../../core/session/connection-state';
import type { BridgeFile } from '../model/overview';
import { Icon } from '../part/icon';
import type { DeskIntents } from './intents';

/** What to do before there is anything to show: three steps, each with its truth. */
export function EmptyState(props: {
  readonly bridge: BridgeFile;
  readonly connection: ConnectionState;
  readonly canInstall: boolean;
  readonly intents: DeskIntents;
}) {
  const installed = props.bridge === 'current' || props.bridge === 'older';
  const connected = props.connection.kind === 'connected';
  const { intents } = props;
  return (
    <div class="atb-empty">
      <Icon name="list-checks" />
      <h3>No plans yet</h3>
      <p>When an agent in OpenCode writes its plan, it shows here as it changes.</p>
      <ol class="atb-steps">
        {installed ? (
          <Step done title="Bridge installed in this vault" />
        ) : (
          <Step title="Install the bridge" text="One file in this vault; OpenCode loads it." />
        )}
        {connected ? (
          <Step done title="OpenCode connected" />
        ) : (
          <Step
            title="Start OpenCode in this vault"
            text={
              installed ? 'If it runs already, restart it: it loads the bridge when it starts.' : ''
            }
          />
        )}
        <Step title="Start a session" text="Say what you want done. Ask the agent to plan first." />
      </ol>
      {!installed && props.canInstall && (
        <button type="button" class="mod-cta" onClick={() => intents.installBridge()}>
          Install bridge
        </button>
      )}
      {installed && !connected && (
        <button type="button" class="mod-cta" onClick={() => intents.copyCommand()}>
          Copy command
        </button>
      )}
      {connected && (
        <button type="button" class="mod-cta" onClick={() => intents.startSession()}>
          Start session
        </button>
      )}
    </div>
  );
}

function Step(props: { readonly title: string; readonly text?: string; readonly done?: boolean }) {
  const done = props.done === true;
  return (
    <li data-done={done}>
      <span class="atb-mark" data-state={done ? 'completed' : 'ready'} aria-hidden="true" />
      <span>
        {props.title}
        {done && <span class="atb-unseen">, done</span>}
        {props.text !== undefined && props.text !== '' && <small>{props.text}</small>}
      </span>
    </li>
  );
}

/** Stands where rows will be, while the boards are read for the first time. */
export function Placeholders() {
  return (
    <div role="status" aria-label="Loading tasks">
      {[126, 168, 100, 147].map((width) => (
        <div class="atb-placeholder" key={width}>
          <span style={{ width: `${width}px` }} />
        </div>
      ))}
    </div>
  );
}

import { Banner, Countdown } from '../ui/banner';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { lossWords } from '../ui/text';
import { isAble, type ConnectionState } from '../../core/session/connection';
import type { BridgeFile } from '../model/overview';
import { Button, Icon } from '../ui/icon';
import type { Intents } from '../board/intents';

/** What to do before there is anything to show: three steps, each with its truth. */
export function EmptyState(props: {
  readonly bridge: BridgeFile;
  readonly connection: ConnectionState;
  readonly canInstall: boolean;
  readonly hasOpenCode: () => Promise<boolean>;
  readonly intents: Intents;
}) {
  const installed = props.bridge === 'current' || props.bridge === 'older';
  const connected = isAble(props.connection, 'start');
  const { intents } = props;
  const missing = useMissing(props.hasOpenCode, props.canInstall && !connected);
  return (
    <div class="atb-empty">
      <Icon name="list-checks" />
      <h3>No plans yet</h3>
      <p>When an agent in OpenCode writes its plan, it shows here as it changes.</p>
      <ol class="atb-steps">
        {installed ? (
          <Step done title="Bridge installed in this vault" />
        ) : (
          <Step
            title="Install the bridge"
            text={
              props.canInstall
                ? 'One file in this vault; OpenCode loads it.'
                : 'Open this vault in Obsidian on a computer, and install it there.'
            }
          />
        )}
        {connected ? (
          <Step done title="OpenCode connected" />
        ) : (
          <Step
            title="Start OpenCode in this vault"
            text={
              installed && props.canInstall && !missing
                ? 'If it runs already, restart it: it loads the bridge when it starts.'
                : ''
            }
          >
            {missing && (
              <small>
                OpenCode was not found on this computer. <a href={GET}>How to install OpenCode</a>
              </small>
            )}
          </Step>
        )}
        <Step title="Start a session" text="Say what you want done. Ask the agent to plan first." />
      </ol>
      {!installed && props.canInstall && (
        <Button kind="cta" words="Install bridge" onClick={() => intents.installBridge()} />
      )}
      {installed && !connected && props.canInstall && (
        <Button kind="cta" words="Copy command" onClick={() => intents.copyCommand()} />
      )}
      {connected && (
        <Button kind="cta" words="Start session" onClick={() => intents.startSession()} />
      )}
    </div>
  );
}

/** Where OpenCode says how it is installed. */
const GET = 'https://opencode.ai/docs/';

/** Whether no OpenCode is found; it is looked for each time that one is needed. */
function useMissing(hasOpenCode: () => Promise<boolean>, needed: boolean): boolean {
  const [missing, setMissing] = useState(false);
  useLayoutEffect(() => {
    let left = false;
    setMissing(false);
    if (needed) void hasOpenCode().then((has) => !left && setMissing(!has));
    return () => {
      left = true;
    };
  }, [hasOpenCode, needed]);
  return missing;
}

function Step(props: {
  readonly title: string;
  readonly text?: string;
  readonly done?: boolean;
  readonly children?: ComponentChildren;
}) {
  const done = props.done === true;
  return (
    <li data-done={done}>
      <span class="atb-mark" data-state={done ? 'completed' : 'ready'} aria-hidden="true" />
      <span>
        {props.title}
        {done && <span class="atb-unseen">, done</span>}
        {props.text !== undefined && props.text !== '' && <small>{props.text}</small>}
        {props.children}
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

/** Where the filter leaves no row. */
export function NoMatch(props: { readonly onClear: () => void }) {
  return (
    <Banner
      icon="list-filter"
      label="No task matches"
      text="Clear the filter to see all."
      buttons={[{ label: 'Clear', onClick: props.onClear }]}
    />
  );
}

/** What a person should know of the connection; nothing while all is well. */
export function ConnectionBanner(props: {
  readonly connection: ConnectionState;
  readonly canConnect: boolean;
  readonly intents: Pick<Intents, 'connect' | 'installBridge'>;
}) {
  const { connection, intents } = props;
  const connect = props.canConnect ? [{ label: 'Connect', onClick: () => intents.connect() }] : [];
  const failed = { icon: 'circle-alert', tone: 'error' } as const;
  switch (connection.kind) {
    case 'connected':
    case 'connecting':
      return null;
    case 'disconnected':
      return (
        <Banner
          icon="unplug"
          label="Not connected to an agent"
          text="You can still edit boards. The agent is told later."
          buttons={connect}
        />
      );
    case 'reconnecting':
      return (
        <Banner
          icon="spinner"
          label="Reconnecting"
          title={['Reconnecting in ', <Countdown key="at" at={connection.at} />]}
          text={lossWords(connection)}
          buttons={[{ label: 'Try now', onClick: () => intents.connect() }]}
        />
      );
    case 'failed':
      return connection.code === 'version' ? (
        <Banner
          {...failed}
          label="The bridge is older than the plugin"
          text="Update it, then restart OpenCode."
          buttons={[{ label: 'Update bridge', onClick: () => intents.installBridge() }]}
        />
      ) : (
        <Banner
          {...failed}
          label="Not connected to an agent"
          text={connection.message}
          buttons={connect}
        />
      );
  }
}

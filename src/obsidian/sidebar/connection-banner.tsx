import type { ConnectionState } from '../../core/session/connection-state';
import { Banner } from '../part/banner';
import { Countdown } from '../part/countdown';

/** What a person should know of the connection; nothing while all is well. */
export function ConnectionBanner(props: {
  readonly connection: ConnectionState;
  readonly canConnect: boolean;
  readonly onConnect: () => void;
  readonly onUpdate: () => void;
}) {
  const { connection } = props;
  const connect = props.canConnect ? [{ label: 'Connect', onClick: props.onConnect }] : [];
  switch (connection.kind) {
    case 'connected':
    case 'connecting':
      return null;
    case 'disconnected':
      return (
        <Banner
          icon="unplug"
          label="Not connected to OpenCode"
          title="Not connected to OpenCode"
          text="You can still edit boards. The agent is told later."
          buttons={connect}
        />
      );
    case 'reconnecting':
      return (
        <Banner
          icon="spinner"
          label="Reconnecting"
          title={
            <>
              Reconnecting in <Countdown at={connection.at} />
            </>
          }
          text={REASONS[connection.reason]}
          buttons={[{ label: 'Try now', onClick: props.onConnect }]}
        />
      );
    case 'failed':
      return connection.code === 'version' ? (
        <Banner
          icon="circle-alert"
          tone="error"
          label="The bridge is older than the plugin"
          title="The bridge is older than the plugin"
          text="Update it, then restart OpenCode."
          buttons={[{ label: 'Update bridge', onClick: props.onUpdate }]}
        />
      ) : (
        <Banner
          icon="circle-alert"
          tone="error"
          label="Not connected to OpenCode"
          title="Not connected to OpenCode"
          text={connection.message}
          buttons={connect}
        />
      );
  }
}

const REASONS = {
  unreachable: 'OpenCode does not answer.',
  closed: 'OpenCode closed the connection.',
  dead: 'OpenCode stopped answering.',
} as const;

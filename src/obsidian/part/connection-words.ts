import type { ConnectionState } from '../../core/session/connection-state';

/** The connection in words, for the status bar and the phone's toolbar. */
export function connectionWords(
  connection: ConnectionState,
  now: number,
): { readonly icon: string; readonly text: string } {
  switch (connection.kind) {
    case 'connected':
      return { icon: 'plug-zap', text: 'OpenCode connected' };
    case 'connecting':
      return { icon: 'plug-zap', text: 'Connecting' };
    case 'disconnected':
      return { icon: 'unplug', text: 'Not connected' };
    case 'reconnecting': {
      const seconds = Math.max(0, Math.ceil((connection.at - now) / 1_000));
      return { icon: 'unplug', text: `Reconnecting in ${seconds} s` };
    }
    case 'failed':
      return {
        icon: 'unplug',
        text: connection.code === 'token' ? 'Connection refused' : 'Not connected',
      };
  }
}

import type { BridgesState } from '../../core/session/bridges-state';

/** The connection in words, for the status bar and the phone's toolbar. */
export function connectionWords(
  connection: BridgesState,
  now: number,
): { readonly icon: string; readonly text: string } {
  switch (connection.kind) {
    case 'connected':
      return { icon: 'plug-zap', text: `${howMany(connection)}OpenCode connected` };
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

/** Nothing where there is one, "2 " where there are two, "1 of 2 " where one of them is missing. */
function howMany({ among }: BridgesState): string {
  if (among === undefined) return '';
  return among.up === among.of ? `${among.of} ` : `${among.up} of ${among.of} `;
}

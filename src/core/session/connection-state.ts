import type { FromBridgeOf } from '../../protocol/from-bridge';
import { CLOSE } from '../../protocol/handshake';
import type { Feature } from '../../protocol/features';
import type { ConnectionEnd } from './connection';

/** Why a connection is not tried again until something changes. */
export type FailureCode = 'token' | 'version' | 'replaced';

/** Why it is tried again. */
export type LossReason = 'unreachable' | 'closed' | 'dead';

/** `off`: nobody asked for it, or a person ended it. `no_bridge`: none found; it keeps looking. */
export type ConnectionState =
  | { readonly kind: 'disconnected'; readonly reason: 'off' | 'no_bridge' }
  | { readonly kind: 'connecting' }
  | {
      readonly kind: 'connected';
      /** versions of the bridge and of OpenCode */
      readonly bridge: string;
      readonly opencode: string;
      readonly directory: string;
      /** what it can do that older bridges can't; absent where it says nothing */
      readonly features?: readonly string[];
    }
  | {
      readonly kind: 'reconnecting';
      /** number of the coming try, from 1 */
      readonly attempt: number;
      /** when it comes, ms since the epoch */
      readonly at: number;
      readonly reason: LossReason;
    }
  | { readonly kind: 'failed'; readonly code: FailureCode; readonly message: string };

export function connectedBy(welcome: FromBridgeOf<'welcome'>['payload']): ConnectionState {
  const { bridge, opencode, directory, features } = welcome;
  const more = features === undefined ? {} : { features };
  return { kind: 'connected', bridge, opencode, directory, ...more };
}

/** Whether starts and prompts can be named by a key there, and looked at. */
export function knowsKeys(state: ConnectionState): boolean {
  return state.kind === 'connected' && state.features?.includes('keys' satisfies Feature) === true;
}

export type Failed = Extract<ConnectionState, { kind: 'failed' }>;

const FAILURES: Readonly<Record<FailureCode, string>> = {
  token: 'OpenCode did not accept this vault’s key. Restart OpenCode here, then connect.',
  version:
    'The bridge and the plugin are of different versions. Update both, then restart OpenCode.',
  replaced: 'Another window of this vault took over the connection.',
};

export function failed(code: FailureCode): Failed {
  return { kind: 'failed', code, message: FAILURES[code] };
}

/** What an ended connection leads to: a failure that only a change can mend, or another try. */
export function afterEnd(end: ConnectionEnd): Failed | LossReason {
  if (end.code === CLOSE.token || end.refusal === 'unauthorized') return failed('token');
  if (end.refusal === 'version') return failed('version');
  if (end.code === CLOSE.replaced) return failed('replaced');
  if (!end.opened) return 'unreachable';
  return end.code === CLOSE.dead ? 'dead' : 'closed';
}

/** For a retry or for a bridge; not where nobody wants a connection or one is refused. */
export function waits(state: ConnectionState): boolean {
  return (
    state.kind === 'reconnecting' || (state.kind === 'disconnected' && state.reason === 'no_bridge')
  );
}

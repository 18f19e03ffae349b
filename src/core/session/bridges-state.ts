import type { ConnectionState } from './connection-state';

/** The connections as one; `among` where there are several bridges. */
export type BridgesState = ConnectionState & {
  readonly among?: {
    /** connected now */
    readonly up: number;
    /** bridges there are */
    readonly of: number;
  };
};

/** What a person should see of several: that it works, else what comes soonest, else what is wrong. */
export function bestState(states: readonly ConnectionState[]): BridgesState {
  const [best = OFF] = [...states].sort((a, b) => rank(a) - rank(b) || waits(a) - waits(b));
  const of = states.filter(({ kind }) => kind !== 'disconnected').length;
  const up = states.filter(({ kind }) => kind === 'connected').length;
  return of > 1 ? { ...best, among: { up, of } } : best;
}

const OFF: ConnectionState = { kind: 'disconnected', reason: 'off' };

const ORDER: readonly ConnectionState['kind'][] = [
  'connected',
  'connecting',
  'reconnecting',
  'failed',
  'disconnected',
];

function rank({ kind }: ConnectionState): number {
  return ORDER.indexOf(kind);
}

function waits(state: ConnectionState): number {
  return state.kind === 'reconnecting' ? state.at : 0;
}

import type { Peer } from './peer';

/** While it joins, answers wait for the welcome. */
export type ClientPlace =
  | { readonly kind: 'away' }
  | { readonly kind: 'joining'; readonly peer: Peer; readonly waiting: string[] }
  | { readonly kind: 'here'; readonly peer: Peer };

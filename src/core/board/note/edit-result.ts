import type { Fault } from '../../fault';
import type { Note } from './note';

/** The edited note, with extra values of some edits; or why it was refused, for the caller. */
export type EditResult<Extra = unknown> = (Note & Extra) | Fault;

/** Replaces the text from `from` to `to`. */
export interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Applies splices that don't overlap, in any order; those at the same place in the order given. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  let result = '';
  let at = 0;
  for (const { from, to, text: put } of splices.toSorted(
    (a, b) => a.from - b.from || a.to - b.to,
  )) {
    result += text.slice(at, from) + put;
    at = to;
  }
  return result + text.slice(at);
}

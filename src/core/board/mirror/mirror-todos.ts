import { refuseBroken } from '../note/edit-header';
import type { EditRefusal } from '../note/edit-result';
import type { Note } from '../note/note';
import { MirrorRun, type MirrorOptions } from './mirror-run';
import type { Mirrored } from './mirrored';
import { pairTodos } from './pair-todos';
import type { WantedTask } from './read-todos';

export interface Mirroring {
  readonly ok: true;
  readonly text: string;
  /** to be handed in with the next list */
  readonly last: Mirrored;
  /** what could not be written and why, a sentence each */
  readonly left: readonly string[];
}

/**
 * Brings an agent's list onto its board. What a person changed since the last list stays; what
 * vanished from the list is cancelled, never deleted; what a person took away is not added again.
 * Pure.
 * @param last what the call before this one answered
 */
export function mirrorTodos(
  note: Note,
  list: readonly WantedTask[],
  last: Mirrored,
  options: MirrorOptions,
): Mirroring | EditRefusal {
  if (note.layout === null) return refuseBroken(note);
  const { pairs, vanished, gone } = pairTodos(note.board, list, last);
  const run = new MirrorRun(note, pairs, options);
  const items = pairs.flatMap((pair, at) => run.settle(pair, at) ?? []);
  const left = vanished.map((one) => run.cancel(one));
  return {
    ok: true,
    text: run.note.text,
    last: { items, gone: [...gone, ...left] },
    left: run.left,
  };
}

import type { AuditedCall } from './explain-call';
import type { KeptTexts } from './kept-texts';
import { changedNote, type Undoable } from './undo-change';
import type { UndoFault } from './undo-fault';

/** What a note said before and after a call; `''` for no note. */
export interface ChangeTexts {
  readonly before: string;
  readonly after: string;
}

/**
 * The texts of a change, from what is kept and what is there; undefined where one of them is no longer known.
 * @param look what `lookAtUndo` found
 */
export async function changeTexts(
  call: AuditedCall,
  look: Undoable | UndoFault,
  kept: Pick<KeptTexts, 'read'>,
): Promise<ChangeTexts | undefined> {
  const { outcome } = call;
  if (outcome === undefined || !changedNote(call)) return undefined;
  if (look.ok) return { before: look.then ?? '', after: look.now ?? '' };
  const textOf = (hash: string | undefined) => (hash === undefined ? '' : kept.read(hash));
  const [before, after] = [await textOf(outcome.before), await textOf(outcome.after)];
  return before === undefined || after === undefined ? undefined : { before, after };
}

import type { BrokenChain } from './audit-chains';
import type { CallRow } from './audit-row';
import { undoFault, type UndoFault } from './undo-fault';

/** Why nothing is undone from an entry: what stands behind one that was changed may be made up. */
export function distrusted(row: CallRow, broken: readonly BrokenChain[]): UndoFault | undefined {
  const last = row.outcome?.n ?? row.n;
  const one = broken.find(({ writer, entry }) => writer === row.writer && entry <= last);
  if (one === undefined) return undefined;
  return undoFault('untrusted', `${one.message} So nothing is undone from this entry.`);
}

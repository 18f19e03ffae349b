import type { Fault } from '../operation/read-operation';
import { detect } from './detect';
import type { ImportSource } from './import-source';
import type { ImportedPlan, ImportKind, Left } from './imported-plan';
import { readerOf } from './plan-readers';

export interface ImportedPlans {
  readonly ok: true;
  readonly kind: ImportKind;
  /** at least one; each goes on a board of its own */
  readonly plans: readonly ImportedPlan[];
  /** what belongs to none of the plans, such as a file that can't be read */
  readonly left: readonly Left[];
}

/**
 * Reads the plans of another program. Nothing is written, least of all in the source. What can't be
 * taken over is told in `left`; it fails only where there is nothing to take.
 * @param kind where it is not given, it is told from the files: `unknown_source` if that fails
 * @returns Fault `unknown_source`, `bad_source`, `empty_source` or `too_large`
 * @throws StoreError as the reader does
 */
export async function importPlan(
  source: ImportSource,
  kind?: ImportKind,
): Promise<ImportedPlans | Fault> {
  const found = kind === undefined ? await detect(source) : { ok: true as const, kind };
  if (!found.ok) return found;
  return readerOf(found.kind)(source);
}

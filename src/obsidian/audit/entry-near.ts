import type { BrokenChain } from '../../core/permission/audit/audit-chains';
import type { AuditPage } from '../../core/permission/audit/audit-reader';
import type { AuditRow } from '../../core/permission/audit/audit-row';

/** What can read back. */
interface Months {
  readonly state: { readonly page: AuditPage };
  load(month: string): Promise<void>;
}

/**
 * The entry at which a chain broke, or the nearest one after it, or else before it; months back are read
 * until it is there.
 */
export async function entryNear(
  months: Months,
  broken: BrokenChain,
): Promise<AuditRow | undefined> {
  const month = broken.file?.slice(0, 7);
  const { older } = months.state.page;
  if (month !== undefined && older !== undefined && month <= older) await months.load(month);
  const own = months.state.page.rows.filter(({ writer }) => writer === broken.writer);
  const exact = own.find((row) => isAt(row, broken));
  if (exact !== undefined) return exact;
  const byNumber = [...own].sort((a, b) => a.n - b.n);
  return byNumber.find(({ n }) => n > broken.entry) ?? byNumber.at(-1);
}

/** An outcome stands in the row of its intent. */
function isAt(row: AuditRow, { entry, file, line }: BrokenChain): boolean {
  if (row.key === `${file ?? ''}:${line}`) return true;
  return row.n === entry || (row.kind === 'call' && row.outcome?.n === entry);
}

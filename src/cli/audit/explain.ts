import { AuditReader } from '../../core/permission/audit/audit-reader';
import type { AuditRow } from '../../core/permission/audit/audit-row';
import { jsonLine } from '../../core/permission/audit/visible-text';
import { printed, type Exit } from '../exit';
import { refused } from '../refused';
import { timeOf } from '../time-of';
import type { AuditPlace } from './audit-place';
import { handleOf, rowJson, whyOf } from './row-text';

/** Of an id, so many characters are enough. */
const ENOUGH = 6;

/**
 * `agent-boards audit explain`: why a call was allowed, asked or denied, told from the record.
 * @param named the number of one of its entries, with its writer or without, or its id or that of the model
 */
export async function explain(place: AuditPlace, named: string, json: boolean): Promise<Exit> {
  const reader = new AuditReader(place.store);
  let page = await reader.refresh();
  while (page.older !== undefined) page = await reader.load(page.older);
  const found = page.rows.filter((row) => isNamed(row, named)).reverse();
  if (found.length === 0) {
    const message = `no entry of the audit is called "${named}". agent-boards audit tail lists them.`;
    return refused({ ok: false, code: 'not_found', message }, json);
  }
  if (json) {
    const calls = found.map((row) => ({ ...Object(rowJson(row)), why: whyOf(row) }) as unknown);
    return printed(0, jsonLine({ calls }));
  }
  const told = found.map((row) => `${timeOf(row.at)}  [${handleOf(row)}]\n${whyOf(row)}`);
  return printed(0, told.join('\n\n'));
}

function isNamed(row: AuditRow, named: string): boolean {
  if (isNumber(row, row.n, named)) return true;
  if (row.kind === 'damage') return false;
  if (row.outcome !== undefined && isNumber(row, row.outcome.n, named)) return true;
  const { callId, sent } = row.intent;
  if (callId === named || sent === named) return true;
  return named.length >= ENOUGH && callId.startsWith(named);
}

/** An entry's number, with its writer or without. */
function isNumber({ writer }: AuditRow, n: number, named: string): boolean {
  return handleOf({ writer, n }) === named || String(n) === named;
}

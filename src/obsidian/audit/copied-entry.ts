import type { AuditRow } from '../../core/permission/audit/audit-row';
import { explainCall } from '../../core/permission/audit/explain-call';
import { jsonLine } from '../../core/permission/audit/visible-text';
import { dayWords, timeOfDay } from './audit-times';
import { damageWords } from './audit-words';

/** What Ctrl+C takes along: what happened in a sentence, and the entries as they stand there. */
export function copiedEntry(row: AuditRow, now: number): string {
  const when = `${dayWords(row.at, now)} ${timeOfDay(row.at)}`;
  if (row.kind === 'damage') return `${when}: ${damageWords(row)}\n${jsonLine(row.text)}`;
  const entries = [row.intent, ...(row.outcome === undefined ? [] : [row.outcome])];
  return [`${when}: ${explainCall(row)}`, ...entries.map((entry) => jsonLine(entry))].join('\n');
}

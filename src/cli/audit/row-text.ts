import { explainCall } from '../../core/permission/audit/explain-call';
import type { AuditRow } from '../../core/permission/audit/audit-row';
import { endingOf } from '../../core/permission/audit/audit-filter';
import { visibleText } from '../../core/permission/audit/visible-text';
import { timeOf } from '../time-of';

/** How `explain` finds an entry again: its writer and its number there. */
export function handleOf({ writer, n }: Pick<AuditRow, 'writer' | 'n'>): string {
  return `${writer}:${n}`;
}

/** What became of a row; nobody is asked from here, so what has no outcome is open. */
export function endOf(row: AuditRow): string {
  return endingOf(row, () => false);
}

/** One line for a person, which nothing in it can break or steer. */
export function rowLine(row: AuditRow): string {
  if (row.kind === 'damage') {
    const what = row.repaired ? 'torn when its writer died' : 'not an entry';
    return visibleText(`${timeOf(row.at)}  ${what}: ${row.text.slice(0, 80)}`) + place(row);
  }
  const { agent, by, tool, path, dryRun } = row.intent;
  const who = by === 'person' ? 'you' : agent;
  const where = path === '' ? 'the vault' : path;
  const parts = [timeOf(row.at), who, dryRun ? `${tool} (dry run)` : tool, where, endWords(row)];
  return visibleText(parts.filter((part) => part !== undefined).join('  ')) + place(row);
}

function endWords(row: Extract<AuditRow, { kind: 'call' }>): string {
  const reply = row.outcome?.reply;
  return reply === undefined ? endOf(row) : `${endOf(row)} (${reply})`;
}

function place(row: AuditRow): string {
  return `  [${handleOf(row)}]`;
}

/** For programs. */
export function rowJson(row: AuditRow): unknown {
  const { writer, n } = row;
  const at = new Date(row.at).toISOString();
  if (row.kind === 'damage') {
    const { file, line, text, repaired } = row;
    return { type: 'damage', writer, n, at, file, line, text, repaired };
  }
  const { intent, outcome } = row;
  return { type: 'call', writer, n, at, ending: endOf(row), intent, outcome: outcome ?? null };
}

/** Why it was allowed, asked or denied, and what came of it. */
export function whyOf(row: AuditRow): string {
  if (row.kind === 'call') return explainCall(row);
  const where = `${row.file}, line ${row.line}`;
  if (row.repaired) {
    return visibleText(
      `The writer died while it wrote this entry (${where}). What is left: ${row.text}`,
    );
  }
  return visibleText(`This is no entry, or was changed (${where}): ${row.text}`);
}

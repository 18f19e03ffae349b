import {
  filterRows,
  type AuditFilter,
  type Ending,
} from '../../core/permission/audit/audit-filter';
import type { AuditRow } from '../../core/permission/audit/audit-row';
import type { Given } from '../given';

/** Rows that are shown unless said, and at most. */
const LINES = 20;
const MOST_LINES = 100_000;

const ENDINGS: readonly Ending[] = [
  'done',
  'preview',
  'denied',
  'failed',
  'cancelled',
  'open',
  'damaged',
];

/** Which rows are meant. */
export interface Wanted {
  readonly lines: number;
  /** ms since the epoch */
  readonly since: number | undefined;
  readonly filter: AuditFilter;
}

/** What the options say, or what is wrong with them. @param now ms since the epoch */
export function wantedOf(given: Given, now: number): Wanted | string {
  const ending = given.text('outcome');
  if (ending !== undefined && !isEnding(ending))
    return `--outcome is one of ${ENDINGS.join(', ')}.`;
  const count = given.text('lines') ?? String(LINES);
  if (!/^[1-9]\d{0,5}$/.test(count) || Number(count) > MOST_LINES) {
    return `--lines takes a number from 1 to ${MOST_LINES}.`;
  }
  const since = sinceOf(given.text('since'), now);
  if (Number.isNaN(since)) {
    return '--since takes a date or a time (2026-11-22, 2026-11-22T10:30) or how long ago (30m, 2h, 3d).';
  }
  const [session, agent, tool, task] = ['session', 'agent', 'tool', 'task'].map((name) =>
    given.text(name),
  );
  const filter = {
    ...(session !== undefined && { session }),
    ...(agent !== undefined && { agent }),
    ...(tool !== undefined && { tool: toolName(tool) }),
    ...(task !== undefined && { task }),
    ...(ending !== undefined && { ending }),
  };
  return { lines: Number(count), since, filter };
}

/** Those that fit, the latest first. */
export function fitting(rows: readonly AuditRow[], { filter, since }: Wanted): AuditRow[] {
  const found = filterRows(
    rows,
    filter,
    () => '',
    () => false,
  );
  return found.filter(({ at }) => since === undefined || at >= since);
}

function isEnding(text: string): text is Ending {
  return ENDINGS.some((one) => one === text);
}

const NOTE_TOOL =
  /^(?:obsidian[._])?(search_vault|read_note|list_notes|get_note_metadata|create_note|update_note)$/;

/** The tools for notes have dots in the audit, and none in OpenCode; their own names are enough. */
function toolName(name: string): string {
  return name.replace(NOTE_TOOL, 'obsidian.$1');
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** NaN where it can't be understood. */
function sinceOf(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  if (count !== undefined) return now - Number(count) * (UNITS[unit] ?? 0);
  if (!/^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:?\d\d)?)?$/.test(text)) return NaN;
  // A date alone would be read as one in UTC.
  return new Date(text.length === 10 ? `${text}T00:00` : text).getTime();
}

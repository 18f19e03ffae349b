import type { AuditRecord } from './audit-entry';

export type IntentRecord = Extract<AuditRecord, { kind: 'intent' }>;

export type OutcomeRecord = Extract<AuditRecord, { kind: 'outcome' }>;

/** One line in a list of the audit. */
export type AuditRow = CallRow | DamageRow;

interface RowPosition {
  /** stable across reads */
  readonly key: string;
  /** `YYYY-MM` of its file */
  readonly month: string;
  readonly writer: string;
  /** number of the entry, within its writer */
  readonly n: number;
  /** ms since the epoch */
  readonly at: number;
  /**
   * the highest time so far in this writer's month, so that a clock set back doesn't change the
   * order
   */
  readonly order: number;
}

/** A call, present from its intent on. */
export interface CallRow extends RowPosition {
  readonly kind: 'call';
  readonly intent: IntentRecord;
  /** undefined while the call runs, and if the process died during it */
  readonly outcome: OutcomeRecord | undefined;
}

/**
 * A line that is not a valid entry, or the repair entry in its place. `n` is the number it should
 * have.
 */
interface DamageRow extends RowPosition {
  readonly kind: 'damage';
  readonly file: string;
  /** from 1 */
  readonly line: number;
  /** what is left of the line */
  readonly text: string;
  /** whether the writer itself repaired the line when it restarted */
  readonly repaired: boolean;
}

/** Sorts newest first. Rows of the same writer keep the order in which they were written. */
export function compareNewestFirst(one: AuditRow, other: AuditRow): number {
  if (one.month !== other.month) return one.month < other.month ? 1 : -1;
  if (one.order !== other.order) return other.order - one.order;
  if (one.writer !== other.writer) return one.writer < other.writer ? -1 : 1;
  return other.n - one.n;
}

/** The state of a call, as shown in the filter of the audit view. */
export type AuditStatus =
  'waiting' | 'open' | 'done' | 'preview' | 'denied' | 'failed' | 'cancelled' | 'damaged';

/** An absent field matches everything. */
export interface AuditFilter {
  /** words that must all occur, ignoring case */
  readonly text?: string;
  readonly session?: string;
  readonly agent?: string;
  readonly tool?: string;
  /** task id */
  readonly task?: string;
  readonly ending?: AuditStatus;
}

/** The values that a filter offers, in the order of the list. */
export interface FilterChoices {
  readonly sessions: readonly string[];
  readonly agents: readonly string[];
  readonly tools: readonly string[];
  /** each with the session and agent of one of its calls */
  readonly tasks: readonly TaskChoice[];
}

export type TaskChoice = Pick<CallRow['intent'], 'sessionId' | 'agent'> & { readonly task: string };

/** @param waits whether the person is being asked about the call right now */
export function auditStatusOf(row: AuditRow, waits: (call: CallRow) => boolean): AuditStatus {
  if (row.kind === 'damage') return 'damaged';
  if (row.outcome !== undefined) return row.outcome.result;
  return waits(row) ? 'waiting' : 'open';
}

/**
 * Returns the rows that match the filter.
 * @param words the text that the person sees for a row
 */
export function filterRows(
  rows: readonly AuditRow[],
  filter: AuditFilter,
  words: (row: AuditRow) => string,
  waits: (call: CallRow) => boolean,
): readonly AuditRow[] {
  const { text = '', session, agent, tool, task, ending } = filter;
  const wanted = folded(text).split(/\s+/).filter(Boolean);
  const exact = [session, agent, tool, task].some((one) => one !== undefined);
  if (wanted.length === 0 && !exact && ending === undefined) return rows;
  return rows.filter((row) => {
    if (ending !== undefined && !hasStatus(row, ending, waits)) return false;
    if (exact && !isCallOf(row, filter)) return false;
    if (wanted.length === 0) return true;
    const rowText = folded(words(row));
    return wanted.every((word) => rowText.includes(word));
  });
}

/** A call with refused operations also counts as failed. */
function hasStatus(row: AuditRow, ending: AuditStatus, waits: (call: CallRow) => boolean): boolean {
  const refused = row.kind === 'call' && row.outcome?.refusals !== undefined;
  return auditStatusOf(row, waits) === ending || (ending === 'failed' && refused);
}

function isCallOf(row: AuditRow, { session, agent, tool, task }: AuditFilter): boolean {
  if (row.kind === 'damage') return false;
  const { intent } = row;
  const pairs = [
    [session, intent.sessionId],
    [agent, intent.agent],
    [tool, intent.tool],
    [task, intent.task],
  ];
  return pairs.every(([wanted, found]) => wanted === undefined || wanted === found);
}

export function filterChoices(rows: readonly AuditRow[]): FilterChoices {
  const [sessions, agents, tools] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const tasks = new Map<string, TaskChoice>();
  for (const row of rows) {
    if (row.kind === 'damage') continue;
    const { sessionId, agent, tool, task } = row.intent;
    if (sessionId !== undefined) sessions.add(sessionId);
    agents.add(agent);
    tools.add(tool);
    if (task !== undefined && !tasks.has(task)) tasks.set(task, { task, sessionId, agent });
  }
  return {
    ...{ sessions: [...sessions], agents: [...agents].sort(), tools: [...tools].sort() },
    tasks: [...tasks.values()],
  };
}

function folded(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

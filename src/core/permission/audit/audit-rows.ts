import type { AuditRecord } from './audit-entry';

export type IntentRecord = Extract<AuditRecord, { kind: 'intent' }>;

export type OutcomeRecord = Extract<AuditRecord, { kind: 'outcome' }>;

/** One thing that a list of the audit has a line for. */
export type AuditRow = CallRow | DamageRow;

interface Placed {
  /** the same whenever it is read */
  readonly key: string;
  /** `YYYY-MM` of its file */
  readonly month: string;
  readonly writer: string;
  /** number of the entry, within its writer */
  readonly n: number;
  /** ms since the epoch */
  readonly at: number;
  /** the latest time of its writer's month so far: a clock that is set back moves nothing */
  readonly order: number;
}

/** A call, from its intent on. */
export interface CallRow extends Placed {
  readonly kind: 'call';
  readonly intent: IntentRecord;
  /** undefined while it runs, and where the process died meanwhile */
  readonly outcome: OutcomeRecord | undefined;
}

/** A line that is no entry, or the entry that stands for one. `n` is the number it should have. */
interface DamageRow extends Placed {
  readonly kind: 'damage';
  readonly file: string;
  /** from 1 */
  readonly line: number;
  /** what is left of it */
  readonly text: string;
  /** the writer died while writing it, and said so when it came again */
  readonly repaired: boolean;
}

/** The latest first; each writer's own are in the order in which they were written. */
export function laterFirst(one: AuditRow, other: AuditRow): number {
  if (one.month !== other.month) return one.month < other.month ? 1 : -1;
  if (one.order !== other.order) return other.order - one.order;
  if (one.writer !== other.writer) return one.writer < other.writer ? -1 : 1;
  return other.n - one.n;
}

/** What became of a call, as a person sorts it. */
export type Ending =
  'waiting' | 'open' | 'done' | 'preview' | 'denied' | 'failed' | 'cancelled' | 'damaged';

/** What is absent is anything. */
export interface AuditFilter {
  /** words that must all be there, in any case */
  readonly text?: string;
  readonly session?: string;
  readonly agent?: string;
  readonly tool?: string;
  /** an id */
  readonly task?: string;
  readonly ending?: Ending;
}

/** What a filter can be set to, in the order of the list. */
export interface FilterChoices {
  readonly sessions: readonly string[];
  readonly agents: readonly string[];
  readonly tools: readonly string[];
  /** each with a call that was made while the agent was at it */
  readonly tasks: readonly TaskChoice[];
}

export type TaskChoice = Pick<CallRow['intent'], 'sessionId' | 'agent'> & { readonly task: string };

/** @param waits whether the person is asked about it at this moment */
export function endingOf(row: AuditRow, waits: (call: CallRow) => boolean): Ending {
  if (row.kind === 'damage') return 'damaged';
  if (row.outcome !== undefined) return row.outcome.result;
  return waits(row) ? 'waiting' : 'open';
}

/**
 * The rows that fit.
 * @param words what a row says to the person
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
    if (ending !== undefined && !endsSo(row, ending, waits)) return false;
    if (exact && !isCallOf(row, filter)) return false;
    if (wanted.length === 0) return true;
    const said = folded(words(row));
    return wanted.every((word) => said.includes(word));
  });
}

/** A call of which a part was refused is among the failed as well. */
function endsSo(row: AuditRow, ending: Ending, waits: (call: CallRow) => boolean): boolean {
  const refused = row.kind === 'call' && row.outcome?.refusals !== undefined;
  return endingOf(row, waits) === ending || (ending === 'failed' && refused);
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

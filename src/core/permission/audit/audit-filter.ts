import type { AuditRow, CallRow } from './audit-row';

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
    if (ending !== undefined && endingOf(row, waits) !== ending) return false;
    if (exact && !isCallOf(row, filter)) return false;
    if (wanted.length === 0) return true;
    const said = folded(words(row));
    return wanted.every((word) => said.includes(word));
  });
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

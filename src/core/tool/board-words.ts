import type { OperationReport } from '../board/answer/tasks-answer';
import { quoted, shortened } from '../board/operation/find-task';
import type { Status } from '../board/task';

/** What a row of the audit has room for; the entry's arguments say the rest. */
const MOST_PARTS = 5;
const LONGEST_TITLE = 40;

/** What a task became, in one word. */
const BECAME: Readonly<Record<Status, string>> = {
  pending: 'reopened',
  in_progress: 'started',
  completed: 'done',
  cancelled: 'cancelled',
  failed: 'failed',
  deferred: 'deferred',
};

const DID: ReadonlyMap<string, string> = new Map([
  ['add', 'added'],
  ['move', 'moved'],
  ['remove', 'removed'],
  ['restore', 'restored'],
]);

/** What a call did on a board, in a few words for the person: "#4 done, #5 started". */
export function boardWords(results: readonly OperationReport[]): string {
  const done = results.flatMap((report) => (report.success ? wordsOf(report) : []));
  const failures = results.filter(({ success }) => !success).length;
  const said = [...new Set(done)];
  const shown = said.slice(0, MOST_PARTS);
  if (said.length > shown.length) shown.push(`${said.length - shown.length} more`);
  if (failures > 0) shown.push(`${failures} refused`);
  return shown.length === 0 ? 'Board read' : shown.join(', ');
}

function wordsOf({ operation, result }: OperationReport): readonly string[] {
  if (result === undefined) return [];
  if ('made' in result) return [result.made ? 'Board made' : 'Board titled'];
  if ('archived' in result) return [`${result.archived.length} archived`];
  if ('undone' in result) return ['Last call taken back'];
  if (!('status' in result)) return [];
  const type = fieldOf(operation, 'type');
  if (type === 'get') return [];
  const { n, title, status } = result;
  const name = n === null ? quoted(shortened(title, LONGEST_TITLE)) : `#${n}`;
  const became = ['complete', 'claim'].includes(type) || fieldOf(operation, 'status') !== '';
  const word = DID.get(type) ?? (became ? BECAME[status] : 'changed');
  return [`${name} ${word}`];
}

/** Of an operation as it was sent. */
function fieldOf(operation: unknown, name: string): string {
  if (typeof operation !== 'object' || operation === null) return '';
  const value = (operation as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' ? value : '';
}

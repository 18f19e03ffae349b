import { TASKS_DESCRIPTION } from '../board/tasks-schema';
import type { TodoManager } from '../board/todo-manager';
import { callContext, type BoardOutcome, type Tool, type ToolCall } from './tool';
import type { OperationReport } from '../board/answer/write-answer';
import { quoted, shortened } from '../board/find-task';
import type { Status } from '../board/task';

/**
 * The tool `tasks`. The manager validates each operation separately, so that an invalid one doesn't
 * refuse the others.
 */
export function tasksTool(boards: Pick<TodoManager, 'call'>): Tool {
  return {
    name: 'tasks',
    description: TASKS_DESCRIPTION,
    plan: (call) => ({ kind: 'board', run: () => run(boards, call) }),
  };
}

async function run(boards: Pick<TodoManager, 'call'>, call: ToolCall): Promise<BoardOutcome> {
  const context = callContext(call);
  const { refused, title, output, metadata, result } = await boards.call(context, call.args);
  if (refused !== undefined) return { ok: false, error: refused };
  const did = boardWords(result.results);
  const { refusals } = metadata;
  return { ok: true, title, output, metadata: { ...metadata }, did, refusals };
}

/** Limits of a row in the audit view; the entry's arguments have the rest. */
const MAX_PARTS = 5;

const LONGEST_TITLE = 40;

/** What an operation that sets a status did, in one word. */
const STATUS_VERBS: Readonly<Record<Status, string>> = {
  pending: 'reopened',
  in_progress: 'started',
  completed: 'done',
  cancelled: 'cancelled',
  failed: 'failed',
  deferred: 'deferred',
};

const OPERATION_VERBS: ReadonlyMap<string, string> = new Map([
  ['add', 'added'],
  ['move', 'moved'],
  ['remove', 'removed'],
  ['restore', 'restored'],
]);

/** What a call did on a board, in a few words for the person: "#4 done, #5 started". */
function boardWords(results: readonly OperationReport[]): string {
  const done = results.flatMap((report) => (report.success ? wordsOf(report) : []));
  const failures = results.filter(({ success }) => !success).length;
  const said = [...new Set(done)];
  const shown = said.slice(0, MAX_PARTS);
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
  const is = 'review' in result ? 'for review' : STATUS_VERBS[status];
  const word = OPERATION_VERBS.get(type) ?? (became ? is : changedWords(type, operation));
  return [`${name} ${word}`];
}

/** Describes an operation that changed neither place nor status of a task. */
function changedWords(type: string, operation: unknown): string {
  if (type === 'depend' || type === 'undepend') {
    const ids = prerequisites(operation).map((id) => (/^\d+$/.test(id) ? `#${id}` : id));
    return `${type === 'depend' ? 'waits' : 'no longer waits'} for ${ids.join(', ') || 'another'}`;
  }
  const named = typeof operation === 'object' && operation !== null ? Object.keys(operation) : [];
  return `${named.filter((field) => FIELDS.has(field)).join(', ')} changed`.trim();
}

/** Task fields that an update may change. */
const FIELDS: ReadonlySet<string> = new Set([
  ...['title', 'dependsOn', 'parent', 'phase', 'priority', 'owner', 'scope', 'risk', 'impact'],
  ...['level', 'estimate', 'approve', 'due', 'waitsFor', 'body'],
]);

function prerequisites(operation: unknown): readonly string[] {
  if (typeof operation !== 'object' || operation === null) return [];
  const { dependsOn } = operation as { readonly dependsOn?: unknown };
  const all: readonly unknown[] = Array.isArray(dependsOn) ? dependsOn : [dependsOn];
  return all.flatMap((id) => (typeof id === 'string' || typeof id === 'number' ? [`${id}`] : []));
}

/** A text field of an operation as sent; empty if absent. */
function fieldOf(operation: unknown, name: string): string {
  if (typeof operation !== 'object' || operation === null) return '';
  const value = (operation as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' ? value : '';
}

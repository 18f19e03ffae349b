import { boardFacts } from '../facts';
import { criticalTasks } from '../graph/critical-tasks';
import type { Board, Task } from '../task';

/** Columns that say what the task's line says, in the order in which they stand. */
const COLUMNS = [
  'id',
  'title',
  'status',
  'phase',
  'parent',
  'dependsOn',
  'priority',
  'owner',
  'scope',
  'risk',
  'impact',
  'level',
  'reason',
  'estimate',
  'due',
  'done',
  'cancelled',
  'waitsFor',
  'body',
] as const;

/**
 * A board as CSV of RFC 4180: a first line of names, CRLF between lines, a field in quotes where it
 * has commas, quotes or line breaks. Lists are joined by a blank. A field that a spreadsheet would take
 * for a formula (`=`, `+`, `-`, `@`, a tab or CR in front) has an apostrophe before it.
 */
export function csvText(board: Board): string {
  const facts = boardFacts(board);
  const critical = criticalTasks(board.tasks);
  const rows = board.tasks.map((task) => {
    const known = facts.get(task.key);
    return [
      ...COLUMNS.map((column) => valueOf(task, column)),
      known?.ready === true ? 'yes' : 'no',
      (known?.blockedBy ?? []).join(' '),
      critical.has(task.key) ? 'yes' : 'no',
    ];
  });
  const names = [...COLUMNS, 'ready', 'blockedBy', 'critical'];
  return [names, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function valueOf(task: Task, column: (typeof COLUMNS)[number]): string {
  if (column === 'body') return task.body.join('\n');
  if (column === 'dependsOn') return task.dependsOn.join(' ');
  return task[column] ?? '';
}

function cell(value: string): string {
  const safe = /^'*[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

import { parseNote } from '../board/note/parse-note';
import type { Note } from '../board/note/note';
import { splitNote } from './split-notes';
import { dotText, mermaidText } from './export-graph';
import { refuseChange } from '../board/change-faults';
import type { Fault } from '../fault';
import { boardFacts, isUnderReview } from '../board/facts';
import { criticalTasks } from '../board/graph/schedule';
import type { Board, Task } from '../board/task';
import { lineExtras, taskLineText } from '../board/note/line-extras';
import { escapeHeading } from '../board/note/escape';
import { groupByKey } from '../board/group-by-key';
import { bodyLines } from './plan-lines';

/** Formats of an export. `notes` is a folder with one note per task. */
export const EXPORT_KINDS = ['json', 'csv', 'mermaid', 'dot', 'kanban', 'notes'] as const;

export type ExportKind = (typeof EXPORT_KINDS)[number];

/** One file of an export. `path` is relative; only `notes` has folders. */
export interface ExportedFile {
  readonly path: string;
  readonly text: string;
}

const EXTENSIONS = {
  json: '.json',
  csv: '.csv',
  mermaid: '.mmd',
  dot: '.dot',
  kanban: '.kanban.md',
} as const;

/**
 * Converts a board into another format: one file, or several for `notes`. Pure.
 * @param path of the board's note, which the files are named after
 * @param text of the board's note
 * @returns Fault `broken_note` if the note can't be parsed
 */
export function exportBoard(
  path: string,
  text: string,
  kind: ExportKind,
): { readonly ok: true; readonly files: readonly ExportedFile[] } | Fault {
  const note = parseNote(path, text);
  const { broken } = note.board;
  if (broken !== null) {
    const values = { path, why: [broken.reason, broken.said] as const };
    return refuseChange('broken_note', 'exportRepairFirst', values);
  }
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '');
  if (kind === 'notes') {
    const split = splitNote(note);
    if (!split.ok) return split;
    return {
      ok: true,
      files: split.files.map((file) => ({ path: `${name}/${file.path}`, text: file.text })),
    };
  }
  return {
    ok: true,
    files: [{ path: `${name}${EXTENSIONS[kind]}`, text: formatNote(note, kind) }],
  };
}

function formatNote(note: Note, kind: Exclude<ExportKind, 'notes'>): string {
  const { board } = note;
  if (kind === 'json') return jsonText(note);
  if (kind === 'csv') return csvText(board);
  if (kind === 'mermaid') return mermaidText(board);
  if (kind === 'dot') return dotText(board);
  return kanbanText(note);
}

/** Columns with the values of a task's line, in this order. */
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
 * A board as CSV (RFC 4180): a header line, CRLF line breaks, and quotes around fields with commas,
 * quotes or line breaks. Lists are joined by blanks. A field that a spreadsheet would take for a
 * formula (starting with `=`, `+`, `-`, `@`, a tab or CR) gets an apostrophe in front.
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
      isUnderReview(task) ? 'yes' : 'no',
    ];
  });
  const names = [...COLUMNS, 'ready', 'blockedBy', 'critical', 'review'];
  return [names, ...rows].map(csvLine).join('');
}

/** One line of CSV, with its line break. */
export function csvLine(fields: readonly string[]): string {
  return `${fields.map(cell).join(',')}\r\n`;
}

function valueOf(task: Task, column: (typeof COLUMNS)[number]): string {
  if (column === 'body') return task.body.join('\n');
  if (column === 'dependsOn') return task.dependsOn.join(' ');
  return task[column] ?? '';
}

/** Spreadsheets of some languages take full-width signs for ASCII, and split at `;` or a tab. */
function cell(value: string): string {
  const safe = /^'*[=+\-@＝＋－＠\t\r\n]/.test(value) ? `'${value}` : value;
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Identifies the format in a board's JSON. */
export const JSON_FORMAT = 'agent-task-boards';

export const JSON_VERSION = 1;

/**
 * A board as JSON, indented by two blanks: `{"format": "agent-task-boards", "version": 1, "board":
 * {path, session, agent, title, prefix, rev}, "tasks": […]}`. A task has all values of its line
 * (see `Task` and `LineExtras`), and those computed from the board: `blocked`, `ready`, `blockedBy`
 * (ids), `blocks` and `parent` (keys), `frees`, `critical`.
 */
export function jsonText(note: Note): string {
  const { board } = note;
  const { path, session, agent, title, prefix, rev } = board;
  const facts = boardFacts(board);
  const critical = criticalTasks(board.tasks);
  const tasks = board.tasks.map((task, at) => {
    const known = facts.get(task.key);
    return {
      ...task,
      ...lineExtras(note, at),
      blocked: known?.blocked ?? false,
      ready: known?.ready ?? false,
      blockedBy: known?.blockedBy ?? [],
      blocks: known?.blocks ?? [],
      frees: known?.frees ?? 0,
      critical: critical.has(task.key),
    };
  });
  const head = { format: JSON_FORMAT, version: JSON_VERSION };
  const whole = { ...head, board: { path, session, agent, title, prefix, rev }, tasks };
  return `${JSON.stringify(whole, null, 2)}\n`;
}

/** Front matter key of our own exports. Their cards are read as task lines. */
export const OWN_KANBAN_KEY = 'agent-task-boards';

/** Name of the lane for tasks without a heading. */
const NO_PHASE = 'Tasks';

/**
 * A board as a note of the Kanban plugin: a lane per phase, a card per task, with subtasks and
 * text in its card. Fields, ids and dates are kept, so that it can be imported again.
 */
function kanbanText(note: Note): string {
  const cards = note.board.tasks.map((task, at) => ({ ...task, words: cardLine(note, at) }));
  const children = groupByKey(cards, ({ parent }) => parent);
  const lanes = groupByKey(children.get(null) ?? [], ({ phase }) => phase ?? NO_PHASE);
  const lines = ['---', '', 'kanban-plugin: board', `${OWN_KANBAN_KEY}: 1`, '', '---', ''];
  for (const [lane, tasks] of lanes) {
    lines.push('', `## ${escapeHeading(lane)}`, '', ...cardLines(tasks, children, ''), '');
  }
  return `${lines.join('\n')}\n`;
}

type Card = Task & { readonly words: string };

function cardLines(
  cards: readonly Card[],
  children: ReadonlyMap<string | null, readonly Card[]>,
  indent: string,
): readonly string[] {
  const inner = `${indent}\t`;
  return cards.flatMap((card) => [
    `${indent}- ${card.words}`,
    ...bodyLines(card.body).lines.map((line) => (line === '' ? '' : inner + line)),
    ...cardLines(children.get(card.key) ?? [], children, inner),
  ]);
}

/** The task's line. If several tasks have the same id, only the first keeps it. */
function cardLine(note: Note, at: number): string {
  const task = note.board.tasks[at] as Task;
  return taskLineText({
    ...task,
    ...lineExtras(note, at),
    id: task.id === task.key ? task.id : null,
  });
}

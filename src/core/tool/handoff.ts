import { openTaskLines } from '../board/answer/board-lines';
import { byteLength } from '../board/answer/text-budget';
import { isFinished, progress } from '../board/facts';
import { shortened, nameWithTitle } from '../board/find-task';
import type { Board, Task } from '../board/task';
import type { AuditRow } from '../permission/audit/audit-rows';

/** In quarters of a token; makes 2,000 tokens. */
const MAX_COST = 8_000;

/** Room for open tasks if other parts have entries too. */
const MAX_OF_TASKS = 5_000;

/** Room for the sentence about what is left out. */
const OMISSIONS_COST = 600;

/** Room for one task's body: 600 ASCII characters. */
const MAX_BODY_COST = 1_800;

const LINE_END_COST = 3;

interface Part {
  readonly heading: string;
  readonly entries: readonly string[];
  /** noun for one entry, used in the sentence that counts those left out */
  readonly one: string;
  readonly many: string;
}

/**
 * The summary with which an agent takes over the plan of another: open tasks, those in progress
 * first; decisions and results in its tasks; the notes that were used. At most 2,000 tokens; says
 * what was left out.
 * @param rows of the audit, newest first
 * @param lead says who reads it and why
 */
export function handoffText(
  board: Board,
  rows: readonly AuditRow[],
  lead = `You take over the work of another agent (${short(board.agent)}, session ${short(board.session)}). This is what is known of it.\n\n`,
): string {
  const title = `Plan "${short(board.title)}" (board of ${short(board.agent)})`;
  if (board.broken !== null) {
    return `${lead}${title} can't be read: ${shortened(board.broken.reason, 200)} The person has to repair it.`;
  }
  const { done, total } = progress(board);
  const head = `${lead}${title}: ${total === 0 ? 'no tasks yet' : `${done} of ${total} done`}.`;
  const parts = [openPart(board), bodyPart(board.tasks), notePart(board, rows)];
  return fitParts(head, parts);
}

/** Fills the room with as many entries of each part as fit, and says how many are left out. */
function fitParts(head: string, parts: readonly Part[]): string {
  const lines = [head];
  const omitted: string[] = [];
  let room = MAX_COST - OMISSIONS_COST - cost(head);
  for (const [at, part] of parts.entries()) {
    const more = parts.slice(at + 1).some(({ entries }) => entries.length > 0);
    const shown = fittingEntries(part, at === 0 && more ? Math.min(room, MAX_OF_TASKS) : room);
    const missing = part.entries.length - shown.length;
    if (missing > 0) omitted.push(`${missing} ${missing === 1 ? part.one : part.many}`);
    if (shown.length === 0) continue;
    room -= costOf(part.heading, shown);
    lines.push('', part.heading, ...shown);
  }
  if (omitted.length > 0) lines.push('', `Left out for length: ${omitted.join(', ')}.`);
  return [...lines, '', 'The tool `tasks` shows all of the board: {"type": "list"}.'].join('\n');
}

function fittingEntries({ heading, entries }: Part, room: number): readonly string[] {
  let used = costOf(heading, []);
  const end = entries.findIndex((entry) => (used += cost(entry) + LINE_END_COST) > room);
  return end < 0 ? entries : entries.slice(0, end);
}

/** Cost of a heading with an empty line before it, and of its entries. */
function costOf(heading: string, entries: readonly string[]): number {
  return entries.reduce(
    (sum, line) => sum + cost(line) + LINE_END_COST,
    cost(heading) + 2 * LINE_END_COST,
  );
}

/**
 * Upper bound for the tokens of a text, in quarters of a token, for byte-level vocabularies
 * (o200k_base). Random ASCII has three quarters of a token per character, English a quarter; all
 * else has at most one per byte.
 */
function cost(text: string): number {
  const ascii = text.replace(/[^\0-\x7f]+/g, '').length;
  return 3 * ascii + 4 * (byteLength(text) - ascii);
}

function openPart(board: Board): Part {
  const open = board.tasks.filter((task) => !isFinished(task));
  return {
    ...{ heading: 'Open tasks:', one: 'open task', many: 'open tasks' },
    entries: openTaskLines(board, open),
  };
}

/** Tasks that have a body or a reason, last ones first, since the latest work matters most. */
function bodyPart(tasks: readonly Task[]): Part {
  const describedTasks = tasks.filter(({ body, reason }) => body.length > 0 || reason !== null);
  const entries = [...describedTasks].reverse().map((task) => {
    const words = [...(task.reason === null ? [] : [`Why: ${task.reason}`]), ...task.body];
    return `${nameWithTitle(task)} (${task.status})\n${shortBody(words.join('\n'))}`;
  });
  return {
    ...{ heading: 'Decisions and results, as the tasks say:', entries },
    ...{ one: 'task with decisions or results', many: 'tasks with decisions or results' },
  };
}

/** The notes that its session used, and other sessions for its tasks; last used first. */
function notePart({ session, tasks }: Board, rows: readonly AuditRow[]): Part {
  const ids = new Set(tasks.flatMap(({ id }) => id ?? []));
  const paths = rows.flatMap((row) => {
    if (row.kind !== 'call') return [];
    const { path, operation, task, sessionId } = row.intent;
    if (sessionId !== session && !(task !== undefined && ids.has(task))) return [];
    if (path === undefined || path === '' || operation === 'tasks') return [];
    return row.outcome?.result === 'done' ? [`- ${path}`] : [];
  });
  const entries = [...new Set(paths)];
  return { heading: 'Notes that were used:', entries, one: 'note', many: 'notes' };
}

function short(text: string): string {
  return shortened(text, 60);
}

function shortBody(text: string): string {
  return shortened(
    text,
    Math.floor((MAX_BODY_COST * text.length) / Math.max(cost(text), MAX_BODY_COST)),
  );
}

import {
  boardFacts,
  isFinished,
  isInProgress,
  isUnderReview,
  progress,
  type TaskFacts,
} from '../facts';
import { nameOf, quoted, shortened, nameWithTitle } from '../find-task';
import { readCompletionLines, markOf } from '../note/task-block';
import type { Board, Task } from '../task';
import { byteLength, fits, type Extent } from './text-budget';
import type { TaskChange } from '../digest';

/** Shortened length of titles: enough to recognise a task. */
const SHORT_TITLE = 60;

/**
 * Formats a board as lines for a model that fit the room: first finished tasks are left out, then
 * titles shortened, then lines left out at the end. What is left out is counted.
 */
export function boardLines(board: Board, room: Extent): readonly string[] {
  const formatter = new BoardFormatter(board);
  const all = formatter.lines(board.tasks, Infinity);
  if (fits(all, room)) return all;
  const open = formatter.openOnly();
  const folded = board.tasks.length - open.length;
  const count = folded === 0 ? [] : [`(${folded} finished tasks are not shown)`];
  const reducedRoom: Extent = { lines: room.lines - 2, bytes: room.bytes - 200 };
  const shown = formatter.lines(open, Infinity);
  if (fits(shown, reducedRoom)) return [...shown, ...count];
  return [...truncateLines(formatter.lines(open, SHORT_TITLE), reducedRoom), ...count];
}

/** As many lines as fit, and the number of tasks left out. */
function truncateLines(lines: readonly string[], room: Extent): readonly string[] {
  let bytes = 0;
  let kept = 0;
  for (const line of lines) {
    bytes += byteLength(line) + 1;
    if (bytes > room.bytes || kept >= room.lines) break;
    kept += 1;
  }
  const rest = lines.slice(kept).filter((line) => !line.startsWith('## ')).length;
  return rest === 0 ? lines : [...lines.slice(0, kept), `(${rest} more open tasks are not shown)`];
}

/** A line for each task: first those being worked on, then ready ones, then the others. */
export function openTaskLines(board: Board, tasks: readonly Task[]): readonly string[] {
  const formatter = new BoardFormatter(board);
  const rank = (task: Task): number => (isInProgress(task) ? 0 : formatter.isReady(task) ? 1 : 2);
  return tasks
    .map((task) => ({ task, at: rank(task) }))
    .sort((a, b) => a.at - b.at)
    .map(({ task }) => `- ${formatter.line({ ...task, depth: 0 }, SHORT_TITLE)}`);
}

class BoardFormatter {
  private readonly facts: ReadonlyMap<string, TaskFacts>;
  private readonly names: ReadonlyMap<string | null, string>;

  constructor(private readonly board: Board) {
    this.facts = boardFacts(board);
    this.names = new Map(board.tasks.map((task) => [task.id, nameOf(task)]));
  }

  /** Unfinished tasks, and those with unfinished subtasks. */
  openOnly(): readonly Task[] {
    const keep = new Set<string>();
    const parents = new Map(this.board.tasks.map(({ key, parent }) => [key, parent]));
    for (const task of this.board.tasks) {
      if (isFinished(task)) continue;
      for (
        let at: string | null = task.key;
        at !== null && !keep.has(at);
        at = parents.get(at) ?? null
      ) {
        keep.add(at);
      }
    }
    return this.board.tasks.filter(({ key }) => keep.has(key));
  }

  lines(tasks: readonly Task[], longest: number): readonly string[] {
    const lines: string[] = [];
    let phase: string | null = null;
    for (const task of tasks) {
      if (task.phase !== phase && task.phase !== null) lines.push(`## ${task.phase}`);
      phase = task.phase;
      lines.push(this.line(task, longest));
    }
    return lines;
  }

  line(task: Task, longest: number): string {
    const facts = this.factsOf(task);
    const id = task.id === null ? '' : `${nameOf(task)} `;
    const behind = facts.length === 0 ? '' : ` (${facts.join('; ')})`;
    const title = shortened(task.title, longest);
    return `${'  '.repeat(Math.min(task.depth, 20))}[${markOf(task.status)}] ${id}${title}${behind}`;
  }

  isReady(task: Task): boolean {
    return isReady(task, this.facts);
  }

  private nameOf(id: string): string {
    const name = this.names.get(id);
    if (name === undefined) return `${id}, which is not here`;
    return this.board.unchecked?.has(id) === true ? `${name}, which is not checked yet` : name;
  }

  private factsOf(task: Task): readonly string[] {
    const facts: string[] = [];
    if (!['pending', 'completed'].includes(task.status)) facts.push(task.status);
    if (isUnderReview(task)) facts.push("waits for the person's review");
    if (task.priority !== 'normal') facts.push(task.priority);
    if (task.reason !== null) facts.push(shortened(task.reason, 100));
    const waits = this.facts.get(task.key)?.blockedBy ?? [];
    if (waits.length > 0 && !isFinished(task)) {
      const names = waits.slice(0, 6).map((id) => this.nameOf(id));
      const more = waits.length > 6 ? ` and ${waits.length - 6} more` : '';
      facts.push(`waits for ${names.join(', ')}${more}`);
    }
    if (task.owner !== null) facts.push(task.owner === 'me' ? "the person's" : `of ${task.owner}`);
    if (task.due !== null) facts.push(`due ${task.due}`);
    return facts;
  }
}

/** Lines per group: four groups with their headings and the two lines around them stay under 40. */
const MAX_GROUP_LINES = 6;

/**
 * Maximum size of the whole text in UTF-8 bytes, for any board and any titles. No token of a
 * byte-level vocabulary (o200k_base) is shorter than a byte, so this also limits the tokens;
 * English needs about a quarter.
 */
const MAX_BYTES = 4_096;

/**
 * Formats the summary of an agent's board for each prompt and for compaction: tasks in progress,
 * ready and failed tasks, and a person's changes. At most 40 lines and 4,096 bytes.
 * @param own if the board is another session's: the only tasks that may be changed, with `under`
 * also their subtasks
 */
export function boardSummaryText(
  board: Board,
  changes: readonly TaskChange[],
  own?: BoundTasks,
): string {
  const head = `Your task board "${shortened(board.title, 100)}" (board of ${board.agent})`;
  if (board.broken !== null) {
    const why = shortened(board.broken.reason, 500);
    return `${head} can't be read: ${why} The person has to repair it.`;
  }
  const facts = boardFacts(board);
  for (let most = MAX_GROUP_LINES; most > 0; most--) {
    const text = [
      `${head}: ${doneCountText(board)}.`,
      ...groupLines('In progress', board.tasks, isInProgress, most),
      ...groupLines("Waits for the person's review", board.tasks, isUnderReview, most),
      ...groupLines('Ready to start', board.tasks, (task) => isReady(task, facts), most),
      ...groupLines('Failed', board.tasks, ({ status }) => status === 'failed', most),
      ...waitingCountLine(board, facts),
      ...(changes.length === 0 ? [] : ['Changed by the person since you last looked:']),
      ...changeLines(changes, most),
      closingLine(own),
    ].join('\n');
    if (byteLength(text) <= MAX_BYTES) return text;
  }
  return `${head}: ${doneCountText(board)}. ${closingLine(own)}`;
}

function doneCountText(board: Board): string {
  const { done, total } = progress(board);
  return total === 0 ? 'no tasks yet' : `${done} of ${total} done`;
}

function waitingCountLine(board: Board, facts: ReadonlyMap<string, TaskFacts>): readonly string[] {
  const { length } = board.tasks.filter(
    ({ key, status }) => status === 'pending' && facts.get(key)?.blocked === true,
  );
  return length === 0 ? [] : [`Waiting for others: ${length}.`];
}

interface BoundTasks {
  readonly tasks: readonly Task[];
  /** whether their subtasks are included */
  readonly under: boolean;
}

/** Maximum number of tasks named in the last line; `list` shows the others. */
const MAX_NAMED = 10;

function closingLine(own: BoundTasks | undefined): string {
  const all = '{"type": "list"} shows all of it.';
  if (own === undefined) return `Keep it up to date with the tool \`tasks\`; ${all}`;
  const { tasks, under } = own;
  if (tasks.length === 0) return `You may read it with the tool \`tasks\`; ${all}`;
  const more = tasks.length > MAX_NAMED ? ` and ${tasks.length - MAX_NAMED} more` : '';
  const listed = (name: (task: Task) => string) =>
    tasks.slice(0, MAX_NAMED).map(name).join(', ') + more;
  const it = tasks.length === 1 ? 'it' : 'them';
  const mine = `You were started for ${listed(nameWithTitle)}: keep ${it} up to date with the tool \`tasks\``;
  const below = under ? ` and what stands under ${it}` : '';
  return `${mine}, and change nothing but ${listed(nameOf)}${below}; ${all}`;
}

function isReady({ key }: Task, facts: ReadonlyMap<string, TaskFacts>): boolean {
  return facts.get(key)?.ready === true;
}

function groupLines(
  name: string,
  tasks: readonly Task[],
  fits: (task: Task) => boolean,
  most: number,
): readonly string[] {
  const found = tasks.filter(fits);
  if (found.length === 0) return [];
  const more = found.length > most ? [`- and ${found.length - most} more`] : [];
  return [`${name}:`, ...found.slice(0, most).map((task) => `- ${nameWithTitle(task)}`), ...more];
}

/** A person's changes, one line per field; `most` lines, the others counted. */
export function changeLines(changes: readonly TaskChange[], most: number): readonly string[] {
  const entries = changes.some(({ field }) => field === 'review') ? withReviews(changes) : changes;
  const lines = entries
    .slice(0, most)
    .map((one) => `- ${typeof one === 'string' ? one : changeSentence(one)}`);
  if (entries.length <= most) return lines;
  return [...lines, `- and ${entries.length - most} more changes; see the board`];
}

/** Merges the end of a review and the changes of the task caused by it into one sentence. */
function withReviews(changes: readonly TaskChange[]): readonly (TaskChange | string)[] {
  const named = ({ id, title }: TaskChange): string => JSON.stringify([id, title]);
  const ends = new Map<string, ReviewEnd>();
  for (const change of changes) {
    const { field, before, after } = change;
    const end = field === 'review' && before !== null && after === null;
    if (end) ends.set(named(change), { status: null, words: [] });
  }
  for (const change of changes) {
    const end = ends.get(named(change));
    if (end !== undefined && change.field === 'status') end.status = change.after;
    if (end !== undefined && change.field === 'body') end.words = newlySentBack(change);
  }
  return changes.flatMap((change): readonly (TaskChange | string)[] => {
    const end = ends.get(named(change));
    if (end === undefined) return [change];
    if (change.field === 'review') return [reviewSentence(change, end)];
    const isMerged = change.field === 'status' || (change.field === 'body' && end.words.length > 0);
    return isMerged ? [] : [change];
  });
}

interface ReviewEnd {
  /** null: unchanged, in progress */
  status: string | null;
  words: readonly string[];
}

/** The lines that a person wrote when sending a task back; empty if its text changed otherwise. */
function newlySentBack({ before, after }: TaskChange): readonly string[] {
  const linesOf = (text: string | null) => (text === null ? [] : text.split('\n'));
  const [was, is] = [linesOf(before), linesOf(after)];
  if (is.length < was.length || was.some((line, at) => line !== is[at])) return [];
  const added = is.slice(was.length);
  const { sentBack } = readCompletionLines({ body: added });
  return sentBack.length === added.length ? sentBack : [];
}

function reviewSentence(change: TaskChange, { status, words }: ReviewEnd): string {
  const name = nameWithTitle(change);
  if (status === 'completed') return `accepted ${name}: it is completed`;
  if (status !== null) return `${name}: ${status}, and its review is over`;
  const why = words.map((one) => `: ${quoted(one)}`).join('');
  return `sent ${name} back to you${why}. It is in progress again: work on it, then complete it again`;
}

function changeSentence(change: TaskChange): string {
  const { field, before, after } = change;
  const name = nameWithTitle(change);
  if (field === 'added') return `added ${name}${change.id === null ? NO_ID : ''}`;
  if (field === 'removed') return `removed ${name}`;
  if (field === 'board title') {
    return `the board is called ${valueOf(after)}, was ${valueOf(before)}`;
  }
  if (field === 'title') return `${name}: was called ${valueOf(before)}`;
  if (field === 'status') return `${name}: ${after ?? ''}, was ${before ?? ''}`;
  if (field === 'review') return `${name}: waits for the person's review`;
  return `${name}: ${field} ${valueOf(after)}, was ${valueOf(before)}`;
}

const NO_ID = ' (no id yet: name it by its title)';

function valueOf(value: string | null): string {
  return value === null ? 'nothing' : quoted(value);
}

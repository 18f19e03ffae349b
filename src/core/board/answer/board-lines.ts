import { boardFacts, type TaskFacts } from '../facts';
import { nameOf, shortened } from '../operation/find-task';
import type { Board, Task } from '../task';
import { byteLength, fits, type Extent } from './text-budget';

const MARKS: Readonly<Record<Task['status'], string>> = {
  pending: '[ ]',
  in_progress: '[/]',
  completed: '[x]',
  cancelled: '[-]',
  failed: '[!]',
  deferred: '[>]',
};

/** A title this long is recognised; more of it is only shown where there is room. */
const SHORT_TITLE = 60;

/**
 * A board as lines for a model, in as much room as there is: finished tasks are folded away first,
 * then titles shortened, then lines left out at the end. What is not shown is counted.
 */
export function boardLines(board: Board, room: Extent): readonly string[] {
  const drawn = new Drawing(board);
  const all = drawn.lines(board.tasks, Infinity);
  if (fits(all, room)) return all;
  const open = drawn.openOnly();
  const folded = board.tasks.length - open.length;
  const count = folded === 0 ? [] : [`(${folded} finished tasks are not shown)`];
  const left: Extent = { lines: room.lines - 2, bytes: room.bytes - 200 };
  const shown = drawn.lines(open, Infinity);
  if (fits(shown, left)) return [...shown, ...count];
  return [...cut(drawn.lines(open, SHORT_TITLE), left), ...count];
}

/** As many lines as there is room for, and how many tasks that leaves out. */
function cut(lines: readonly string[], room: Extent): readonly string[] {
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

class Drawing {
  private readonly facts: ReadonlyMap<string, TaskFacts>;
  private readonly names: ReadonlyMap<string | null, string>;

  constructor(private readonly board: Board) {
    this.facts = boardFacts(board);
    this.names = new Map(board.tasks.map((task) => [task.id, nameOf(task)]));
  }

  /** Tasks that are not finished, or have one under them that is not. */
  openOnly(): readonly Task[] {
    const keep = new Set<string>();
    const parents = new Map(this.board.tasks.map(({ key, parent }) => [key, parent]));
    for (const { key, status } of this.board.tasks) {
      if (status === 'completed' || status === 'cancelled') continue;
      for (
        let at: string | null = key;
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

  private line(task: Task, longest: number): string {
    const facts = this.factsOf(task);
    const id = task.id === null ? '' : `${nameOf(task)} `;
    const behind = facts.length === 0 ? '' : ` (${facts.join('; ')})`;
    const title = shortened(task.title, longest);
    return `${'  '.repeat(Math.min(task.depth, 20))}${MARKS[task.status]} ${id}${title}${behind}`;
  }

  private factsOf(task: Task): readonly string[] {
    const facts: string[] = [];
    if (!['pending', 'completed'].includes(task.status)) facts.push(task.status);
    if (task.priority !== 'normal') facts.push(task.priority);
    if (task.reason !== null) facts.push(shortened(task.reason, 100));
    const waits = this.facts.get(task.key)?.blockedBy ?? [];
    if (waits.length > 0 && task.status !== 'completed' && task.status !== 'cancelled') {
      const names = waits.slice(0, 6).map((id) => this.names.get(id) ?? `${id}, which is not here`);
      const more = waits.length > 6 ? ` and ${waits.length - 6} more` : '';
      facts.push(`waits for ${names.join(', ')}${more}`);
    }
    if (task.owner !== null) facts.push(task.owner === 'me' ? "the person's" : `of ${task.owner}`);
    if (task.due !== null) facts.push(`due ${task.due}`);
    return facts;
  }
}

import { archivedIds } from '../archive/archived-numbers';
import type { Board, Problem, Task } from '../task';
import { BlockScan, type Scan } from './blocks';
import { CONFLICT, readHeader, type Header } from './header';
import type { Heading } from './escape';
import { ReadLayout, type Note } from './note';
import { BOARD_ID, numberOf } from './ids';
import { buildTask, idOf, type Surroundings, type TaskBlock } from './task-block';
import { PlainLine, plainTask } from './plain-line';
import { readTaskLine, type TaskLine } from './task-line';

/** Reads a board note. Never throws: a note that can't be parsed has `board.broken` set, and no tasks. */
export function parseNote(path: string, text: string): Note {
  const read = readHeader(text);
  if (!read.ok) return brokenNote(path, text, read.problem);
  const { header } = read;
  const scan = new BlockScan(text, header.end, header.lines);
  if (scan.conflict > 0) {
    const reason = `Line ${scan.conflict}: ${CONFLICT}.`;
    return brokenNote(path, text, { line: scan.conflict, reason }, header);
  }
  const { session, agent, prefix, rev, continued, shelved } = header.data;
  const title = titleOf(header, scan.headings);
  const found = new TaskList(text, scan, prefix, titleHeading(scan.headings, title));
  const board: Board = {
    path,
    session,
    agent,
    title,
    prefix,
    rev,
    ...archivedIds(header.values.get('archived')?.text, prefix),
    ...(continued !== undefined && { continued }),
    ...(shelved === 'true' && { shelved: true as const }),
    tasks: found.tasks,
    problems: [...header.problems, ...found.problems],
    broken: null,
  };
  const { tasks, otherIds } = found;
  return { board, text, layout: new ReadLayout(header, scan, lineEndOf(text), tasks, otherIds) };
}

/** Index of the heading that is the board's own title, -1 for none. */
export function titleHeading(headings: readonly Heading[], title: string): number {
  const same = headings.findIndex((heading) => heading.level === 1 && heading.text === title);
  if (same >= 0) return same;
  const alone = headings.filter((heading) => heading.level === 1).length === 1;
  return alone && headings[0]?.level === 1 ? 0 : -1;
}

function titleOf(header: Header, headings: readonly Heading[]): string {
  const own = header.data.title?.replace(/\s*[\r\n]\s*/g, ' ').trim() ?? '';
  if (own !== '') return own;
  return headings[0]?.level === 1 ? headings[0].text : '';
}

function brokenNote(path: string, text: string, problem: Problem, header?: Header): Note {
  const board: Board = {
    path,
    session: header?.data.session ?? '',
    agent: header?.data.agent ?? '',
    title: header?.data.title ?? '',
    prefix: header?.data.prefix ?? '',
    rev: header?.data.rev ?? 0,
    tasks: [],
    problems: [],
    broken: problem,
  };
  return { board, text, layout: null };
}

/** The line end of a note: its first one. */
export function lineEndOf(text: string): string {
  return /\r\n?|\n/.exec(text)?.[0] ?? '\n';
}

/** The tasks of a scanned note, in the order of their lines. */
class TaskList {
  readonly tasks: Task[] = [];
  readonly problems: Problem[] = [];
  readonly otherIds = new Map<number, readonly string[]>();
  /** of the ids so far: 1 at each small number; the others, as numbers and as text */
  private readonly small: Uint8Array;
  private readonly taken = new Set<number | string>();

  /** @param title index of the heading that is the board's own title, -1 for none */
  constructor(text: string, scan: Scan, prefix: string, title: number) {
    const { blocks } = scan;
    const reader = new TaskReader(text);
    this.small = new Uint8Array(2 * blocks.length + 64);
    const phases = phasesOf(scan, title);
    for (const block of blocks) {
      const id = reader.open(block);
      const n = id === null ? null : numberOf(id, prefix);
      const task = reader.task(block, {
        key: id === null || this.isTaken(id, n) ? `@${block.line}` : id,
        id,
        n,
        parent: block.parent < 0 ? null : (this.tasks[block.parent] as Task).key,
        phase: block.heading < 0 ? null : (phases[block.heading] as string | null),
      });
      this.tasks.push(task);
      reader.look(task, this);
    }
  }

  /** Whether an earlier task has this id; it is taken now. A number costs less to look up than its id. */
  private isTaken(id: string, n: number | null): boolean {
    if (n !== null && n < this.small.length) {
      const taken = this.small[n] === 1;
      this.small[n] = 1;
      return taken;
    }
    const before = this.taken.size;
    return this.taken.add(n ?? id).size === before;
  }
}

/** The phase that each heading begins; null for the board's own title and an empty one. */
function phasesOf({ headings }: Scan, title: number): readonly (string | null)[] {
  return headings.map(({ text }, at) => (at === title || text === '' ? null : text));
}

/** What is seen in task lines, next to what the tasks say. */
interface Seen {
  /** what a person should look at */
  readonly problems: Problem[];
  /** by line, ids that are neither the task's own nor one of its prerequisites */
  readonly otherIds: Map<number, readonly string[]>;
}

/** Reads task lines one by one: first the id of each (`open`), then all of it (`task`), then what to tell of it. */
export class TaskReader {
  private readonly plain = new PlainLine();
  /** the line that is open, undefined where it is a plain one */
  private line: TaskLine | undefined = undefined;

  constructor(private readonly text: string) {}

  /** The id that a block's line has. */
  open({ after, lineEnd }: TaskBlock): string | null {
    const { text, plain } = this;
    if (plain.read(text, after, lineEnd)) {
      this.line = undefined;
      return plain.id;
    }
    this.line = readTaskLine(text, after, lineEnd);
    return idOf(text, this.line);
  }

  /** The task of the line that was opened last. */
  task(block: TaskBlock, around: Surroundings): Task {
    const { text, plain, line } = this;
    return line === undefined
      ? plainTask(text, block, plain, around)
      : buildTask(text, block, line, around);
  }

  /** Tells what else that line holds. */
  look(task: Task, seen: Seen): void {
    const { plain, line } = this;
    const { id, key } = task;
    if (line !== undefined) this.lookClosely(task, line, seen);
    if (id !== null && key !== id) seen.problems.push(duplicate(task));
    const blockId = line === undefined ? plain : blockIdOf(line);
    if (blockId.blockId >= 0) this.lookAtBlockId(task, blockId.blockId, blockId.blockIdEnd, seen);
  }

  private lookClosely(task: Task, { dataview }: TaskLine, { problems, otherIds }: Seen): void {
    const { id, line, malformed } = task;
    if (malformed !== null) problems.push({ line, reason: malformed });
    for (const { kind, from, to } of dataview) {
      const other = this.text.slice(from, to);
      if (kind !== 'id' || other === id) continue;
      otherIds.set(line, [...(otherIds.get(line) ?? []), other]);
      const reason = `Line ${line}: the ids ${id} and ${other} differ. ${id} counts; remove the other.`;
      problems.push({ line, reason });
    }
  }

  /** One that is not the task's id; on a line without an id, or in a person's own form, it is only a link's end. */
  private lookAtBlockId({ id, line }: Task, from: number, to: number, seen: Seen): void {
    if (id !== null && id.length === to - from && this.text.startsWith(id, from)) return;
    const blockId = this.text.slice(from, to);
    seen.otherIds.set(line, [...(seen.otherIds.get(line) ?? []), blockId]);
    if (id === null || !BOARD_ID.test(blockId)) return;
    const reason = `Line ${line}: 🆔 ${id} and ^${blockId} differ. 🆔 counts; change the other.`;
    seen.problems.push({ line, reason });
  }
}

function blockIdOf({ tail }: TaskLine): Pick<PlainLine, 'blockId' | 'blockIdEnd'> {
  const { blockId } = tail;
  return blockId
    ? { blockId: blockId.start + 1, blockIdEnd: blockId.end }
    : { blockId: -1, blockIdEnd: -1 };
}

function duplicate({ id, n, line }: Task): Problem {
  const name = n === null ? id : `#${n}`;
  return { line, reason: `Two tasks are ${name}. Give the second a new number.` };
}

import { archivedIds } from '../archive/archived-numbers';
import type { Board, Problem, Task } from '../task';
import { BlockScan } from './block-scan';
import { buildTask, idOf } from './build-task';
import { CONFLICT, readHeader, type Header } from './header';
import type { Heading } from './heading';
import { numberOf } from './ids';
import type { Note } from './note';
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
  const { session, agent, prefix, rev } = header.data;
  const title = titleOf(header, scan.headings);
  const found = new Tasks(text, scan, prefix, titleHeading(scan.headings, title));
  const board: Board = {
    path,
    session,
    agent,
    title,
    prefix,
    rev,
    ...archivedIds(header.values.get('archived')?.text, prefix),
    tasks: found.tasks,
    problems: found.problems,
    broken: null,
  };
  const next = Math.max(header.data.next, found.highest + 1);
  return { board, text, layout: { header, scan, next, eol: lineEndOf(text) } };
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

/** The tasks of a scanned note, in the order of their lines. */
class Tasks {
  readonly tasks: Task[] = [];
  readonly problems: Problem[] = [];
  /** the highest n that any id of the board's prefix has, wherever it stands; 0 for none */
  highest = 0;
  private readonly taken = new Set<string>();

  constructor(
    private readonly text: string,
    scan: BlockScan,
    private readonly prefix: string,
    title: number,
  ) {
    for (const block of scan.blocks) {
      const line = readTaskLine(text, block.after, block.lineEnd);
      const id = idOf(text, line);
      const named = block.heading >= 0 && block.heading !== title;
      const heading = named ? scan.headings[block.heading] : undefined;
      const task = buildTask(text, block, line, id, {
        key: this.keyFor(id, block.line),
        parent: block.parent < 0 ? null : (this.tasks[block.parent]?.key ?? null),
        phase: heading && heading.text !== '' ? heading.text : null,
        prefix,
      });
      this.tasks.push(task);
      this.look(task, line);
    }
  }

  private keyFor(id: string | null, line: number): string {
    const before = this.taken.size;
    if (id === null || this.taken.add(id).size === before) return `@${line}`;
    return id;
  }

  private look(task: Task, line: TaskLine): void {
    const { id } = task;
    if (task.n !== null) this.count(task.n);
    for (const other of task.dependsOn) this.count(numberOf(other, this.prefix));
    if (task.malformed !== null) this.problems.push({ line: task.line, reason: task.malformed });
    if (id !== null && task.key !== id) {
      const name = task.n === null ? id : `#${task.n}`;
      this.problem(task.line, `Two tasks are ${name}. Give the second a new number.`);
    }
    if (line.tail.blockId) this.lookAtBlockId(task, line.tail.blockId.start + 1, line);
    for (const { kind, from, to } of line.dataview) {
      if (kind === 'id') this.lookAtOtherId(task, this.text.slice(from, to));
    }
  }

  private lookAtBlockId({ id, line: at }: Task, from: number, line: TaskLine): void {
    const end = line.tail.blockId?.end ?? from;
    if (id !== null && id.length === end - from && this.text.startsWith(id, from)) return;
    const blockId = this.text.slice(from, end);
    this.count(numberOf(blockId, this.prefix));
    if (id === null) return;
    this.problem(at, `Line ${at}: 🆔 ${id} and ^${blockId} differ. 🆔 counts; change the other.`);
  }

  /** An id in the Dataview dialect, beside one that counts. */
  private lookAtOtherId({ id, line }: Task, other: string): void {
    this.count(numberOf(other, this.prefix));
    if (other === id) return;
    this.problem(
      line,
      `Line ${line}: the ids ${id} and ${other} differ. ${id} counts; remove the other.`,
    );
  }

  private count(n: number | null): void {
    if (n !== null && n > this.highest) this.highest = n;
  }

  private problem(line: number, reason: string): void {
    this.problems.push({ line, reason });
  }
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

function lineEndOf(text: string): string {
  return /\r\n?|\n/.exec(text)?.[0] ?? '\n';
}

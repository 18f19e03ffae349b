import { archivedIds } from '../archive/archived-numbers';
import {
  noteProblem,
  REVIEW_MODES,
  type Board,
  type KeptLine,
  type NoteFault,
  type Problem,
  type Task,
} from '../task';
import { BlockScan, type Scan } from './blocks';
import { readHeader, type Header } from './header';
import type { Heading } from './escape';
import { applySplices, type Splice } from './edit-result';
import type { Note } from './note';
import { BOARD_ID, numberOf } from './ids';
import { textAfterIdProblem, buildTask, idOf } from './task-block';
import { readTaskLine, type TaskLine } from './task-line';

/** Parses a board note. Never throws: an invalid note has `board.broken` set, and no tasks. */
export function parseNote(path: string, text: string): Note {
  const read = readHeader(text);
  if (!read.ok) return brokenNote(path, text, read.problem);
  const { header } = read;
  const scan = new BlockScan(text, header.end, header.lines);
  if (scan.conflict > 0) {
    return brokenNote(path, text, noteProblem(scan.conflict, 'twoVersions'), header);
  }
  const { session, agent, prefix, rev, continued, shelved } = header.data;
  const review = REVIEW_MODES.find((mode) => mode === header.data.review);
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
    ...(review !== undefined && { review }),
    tasks: found.tasks,
    ...emptyPhases(scan, titleHeading(scan.headings, title), found.tasks),
    problems: [...header.problems, ...found.problems],
    ...conflictsOf(text, found.tasks),
    broken: null,
  };
  const next = Math.max(header.data.next, found.highest + 1);
  return { ok: true, board, text, layout: { header, scan, next, eol: lineEndOf(text) } };
}

/** Marks a line that a merge kept beside the other version of it. */
export const CONFLICT_MARK = '[conflict:: theirs]';

function conflictsOf(text: string, tasks: readonly Task[]): Pick<Board, 'conflicts'> {
  if (!text.includes(CONFLICT_MARK)) return {};
  const lines = text.split(/\r\n?|\n/);
  const marked = (line: number) => lines[line - 1]?.includes(CONFLICT_MARK) === true;
  return {
    conflicts: lines.flatMap((line, at): KeptLine | [] => {
      if (!marked(at + 1)) return [];
      const own = ownVersionOf(at + 1, tasks, marked);
      const beside = own && { title: own.title, line: own.line, text: lines[own.line - 1] ?? '' };
      return { line: at + 1, text: line, ...(beside && { beside }) };
    }),
  };
}

/** A merge inserts the other version after the task and its subtasks: ours precedes it. */
function ownVersionOf(
  line: number,
  tasks: readonly Task[],
  marked: (line: number) => boolean,
): Task | undefined {
  const at = tasks.findIndex((one) => one.line === line);
  const kept = tasks[at];
  if (kept === undefined || kept.body.length > 0 || tasks[at + 1]?.parent === kept.key) {
    return undefined;
  }
  const { parent, phase } = kept;
  const own = tasks.slice(0, at).findLast((one) => one.parent === parent && !marked(one.line));
  return own?.phase === phase && own.malformed === null ? own : undefined;
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
  return { ok: true, board, text, layout: null };
}

/** The first line end of a note, used for new lines. */
function lineEndOf(text: string): string {
  return /\r\n?|\n/.exec(text)?.[0] ?? '\n';
}

/** The note with another text; the same object if the text is the same. */
export function withText(note: Note, text: string): Note {
  return text === note.text ? note : parseNote(note.board.path, text);
}

/** The note with these splices applied. Parsed when more than its text is read. */
export function withSplices(note: Note, splices: readonly Splice[]): Note {
  if (splices.every(({ from, to, text }) => note.text.slice(from, to) === text)) return note;
  const text = applySplices(note.text, splices);
  let read: Note | undefined;
  const parsed = (): Note => (read ??= parseNote(note.board.path, text));
  return {
    ok: true,
    text,
    get board() {
      return parsed().board;
    },
    get layout() {
      return parsed().layout;
    },
  };
}

/** The tasks of a scanned note, in the order of their lines. */
class TaskList {
  readonly tasks: Task[] = [];
  /** problems to show to a person */
  readonly problems: Problem[] = [];
  /** the highest number of an id of this board in any task line */
  highest = 0;
  private readonly taken = new Set<number | string>();

  /** @param title index of the heading that is the board's own title, -1 for none */
  constructor(
    private readonly text: string,
    scan: Scan,
    private readonly prefix: string,
    title: number,
  ) {
    const phases = phasesOf(scan, title);
    for (const block of scan.blocks) {
      const line = readTaskLine(text, block.after, block.lineEnd);
      const id = idOf(text, line);
      const n = id === null ? null : this.count(id);
      const task = buildTask(text, block, line, {
        key: id === null || this.isTaken(n ?? id) ? `@${block.line}` : id,
        id,
        n,
        parent: block.parent < 0 ? null : (this.tasks[block.parent] as Task).key,
        phase: block.heading < 0 ? null : (phases[block.heading] as string | null),
      });
      for (const other of task.dependsOn) this.count(other);
      this.tasks.push(task);
      this.reportProblems(task, line);
    }
  }

  /** Whether an earlier task has this id (its number if it has one). Marks the id as taken. */
  private isTaken(id: number | string): boolean {
    const before = this.taken.size;
    return this.taken.add(id).size === before;
  }

  /** The number of an id, null if it has another form. Raises `highest`. */
  private count(id: string): number | null {
    const n = numberOf(id, this.prefix);
    if (n !== null && n > this.highest) this.highest = n;
    return n;
  }

  /** Reports the problems of a task line. */
  private reportProblems(task: Task, { dataview, tail, stray }: TaskLine): void {
    const { id, key, line } = task;
    const report = (fault: NoteFault, values: Readonly<Record<string, string>>): void =>
      void this.problems.push(noteProblem(line, fault, values));
    if (stray !== null) this.problems.push(textAfterIdProblem(line, stray));
    for (const { kind, from, to } of dataview) {
      const other = this.text.slice(from, to);
      if (kind !== 'id' || other === id) continue;
      this.count(other);
      report('idsDiffer', { id: `${id}`, other });
    }
    if (id !== null && key !== id) {
      report('sameId', { name: task.n === null ? id : `#${task.n}` });
    }
    if (tail.blockId === null) return;
    const blockId = this.text.slice(tail.blockId.start + 1, tail.blockId.end);
    if (blockId === id) return;
    this.count(blockId);
    // Without an id on the line, or in a form of the person's own, it is only a link target.
    if (id === null || !BOARD_ID.test(blockId)) return;
    report('linkDiffers', { id, other: blockId });
  }
}

function emptyPhases(
  scan: Scan,
  title: number,
  tasks: readonly Task[],
): Pick<Board, 'emptyPhases'> {
  const used = new Set(tasks.map(({ phase }) => phase));
  const empty = phasesOf(scan, title).flatMap((phase) => (used.has(phase) ? [] : (phase ?? [])));
  return empty.length === 0 ? {} : { emptyPhases: [...new Set(empty)] };
}

/** The phase that each heading begins; null for the board's own title and an empty one. */
function phasesOf({ headings }: Scan, title: number): readonly (string | null)[] {
  return headings.map(({ text }, at) => (at === title || text === '' ? null : text));
}

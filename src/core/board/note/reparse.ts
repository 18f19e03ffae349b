import type { Board, Problem, Task } from '../task';
import { applySplices, type EditedText, type Splice } from './edit-result';
import { readHeader, type Header } from './header';
import { markClose } from './lines';
import { ReadLayout, type Note, type OtherIds } from './note';
import { lineEndOf, parseNote, TaskReader } from './parse-note';
import type { Dangling, Scan } from './blocks';
import type { TaskBlock } from './task-block';
import type { Heading } from './escape';

/**
 * The note after an edit, as `parseNote` reads it. Where the edit lies in one task line, behind its list
 * marker, and in the values of `rev` and `next`, only those are read again; anything else is parsed whole.
 */
export function reparse(note: Note, { text, splices }: EditedText): Note {
  // Texts are compared only where nothing else tells: that reads all of both.
  if (splices === undefined && text === note.text) return note;
  if (splices?.length === 0) return note;
  const quick = splices && afterSplices(note, text, splices);
  return quick ?? parseNote(note.board.path, text);
}

function afterSplices(note: Note, text: string, splices: readonly Splice[]): Note | undefined {
  const { layout, board } = note;
  if (!(layout instanceof ReadLayout)) return undefined;
  if (splices.some((splice) => /[\r\n]/.test(splice.text))) return undefined;
  const { end } = layout.header;
  const header = afterHeader(
    note.text,
    layout.header,
    splices.filter(({ to }) => to < end),
  );
  if (header === undefined) return undefined;
  const grown = header.end - end;
  const scan = grown === 0 ? layout.scan : shiftedFrom(layout.scan, end, grown);
  const state: State = { board: { ...board, rev: header.data.rev }, header, scan, grown };
  const inLine = splices.filter(({ to }) => to >= end);
  if (inLine.length > 0) return afterLine(note, layout, text, state, inLine);
  const { otherIds } = layout;
  return {
    board: state.board,
    text,
    layout: new ReadLayout(header, scan, lineEndOf(text), board.tasks, otherIds),
  };
}

/** What the header says now, and the scan as it stands behind it. */
interface State {
  readonly board: Board;
  readonly header: Header;
  readonly scan: Scan;
  /** by so much everything behind the header moved */
  readonly grown: number;
}

/** The header after an edit of nothing but `rev` and `next`. */
function afterHeader(text: string, header: Header, splices: readonly Splice[]): Header | undefined {
  if (splices.length === 0) return header;
  if (splices.some(({ from, to }) => from < 0 || to > header.close)) return undefined;
  const read = readHeader(applySplices(text.slice(0, header.end), splices));
  if (!read.ok || read.header.lines !== header.lines) return undefined;
  const { values } = read.header;
  if (header.problems.length + read.header.problems.length > 0) return undefined;
  const same = [...values].every(
    ([key, { text: said }]) =>
      key === 'rev' || key === 'next' || header.values.get(key)?.text === said,
  );
  return same && values.size === header.values.size ? read.header : undefined;
}

function afterLine(
  note: Note,
  layout: ReadLayout,
  text: string,
  { board, header, scan, grown }: State,
  splices: readonly Splice[],
): Note | undefined {
  const index = blockAt(layout.scan, board.tasks.length, splices[0]?.from ?? 0);
  const old = layout.scan.block(index);
  const task = board.tasks[index];
  if (!old || !task) return undefined;
  if (splices.some(({ from, to }) => from <= old.box || to > old.lineEnd)) return undefined;
  const written = applySplices(note.text.slice(old.start, old.lineEnd), moved(splices, -old.start));
  const read = readAgain(old, task, written);
  // Problems stand in the order of the tasks: where there are some, all are read.
  if (!read || board.problems.some(({ line }) => line === task.line)) return undefined;
  const by = written.length - (old.lineEnd - old.start);
  const after = old.start + grown + read.after;
  const lines = new ShiftedScan(scan, { from: old.lineEnd + grown, by, index, after });
  const tasks = board.tasks.with(index, read.task);
  const otherIds = withLine(layout.otherIds, task.line, read.otherIds);
  return {
    board: { ...board, tasks },
    text,
    layout: new ReadLayout(header, lines, lineEndOf(text), tasks, otherIds),
  };
}

interface LineRead {
  readonly task: Task;
  /** where the mark ends in the line */
  readonly after: number;
  readonly otherIds: readonly string[] | undefined;
}

/** The task of a line as it is written now; undefined where it is no task any more, another one, or has problems. */
function readAgain(old: TaskBlock, task: Task, written: string): LineRead | undefined {
  const box = old.box - old.start;
  const after = markClose(written, box, written.length) + 1;
  if (after === 0) return undefined;
  const reader = new TaskReader(written);
  const block = { ...old, start: 0, marker: 0, box, after, lineEnd: written.length };
  const { key, id, n, parent, phase } = task;
  if (reader.open(block) !== id) return undefined;
  const now = reader.task(block, { key, id, n, parent, phase });
  const problems: Problem[] = [];
  const otherIds = new Map<number, readonly string[]>();
  reader.look(now, { problems, otherIds });
  return problems.length > 0 ? undefined : { task: now, after, otherIds: otherIds.get(now.line) };
}

/** Index of the last block that begins at `at` or before; -1 for none. */
function blockAt(scan: Scan, length: number, at: number): number {
  let from = 0;
  let to = length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((scan.block(middle)?.start ?? 0) <= at) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}

function shiftedFrom(scan: Scan, from: number, by: number): Scan {
  return new ShiftedScan(scan, { from, by, index: -1, after: 0 });
}

function moved(splices: readonly Splice[], by: number): readonly Splice[] {
  return splices.map(({ from, to, text }) => ({ from: from + by, to: to + by, text }));
}

function withLine(ids: OtherIds, line: number, now: readonly string[] | undefined): OtherIds {
  if (now === undefined && !ids.has(line)) return ids;
  const all = new Map(ids);
  if (now === undefined) all.delete(line);
  else all.set(line, now);
  return all;
}

/** An edit in one line: how far what stands behind it moved. */
interface Shift {
  /** what stood here or behind */
  readonly from: number;
  /** moved by so much */
  readonly by: number;
  /** index of the task whose line it was, -1 for none, and where its mark ends now */
  readonly index: number;
  readonly after: number;
}

/** More of them cost more than moving all blocks once. */
const MOST = 16;

/**
 * A scan after edits in lines that left its blocks and headings as they were: what another scan found,
 * moved when it is asked for.
 */
export class ShiftedScan implements Scan {
  private readonly base: Scan;
  private readonly shifts: readonly Shift[];
  private moved: readonly TaskBlock[] | undefined;

  constructor(before: Scan, shift: Shift) {
    const chained = before instanceof ShiftedScan && before.shifts.length < MOST;
    this.base = chained ? before.base : before;
    this.shifts = chained ? [...before.shifts, shift] : [shift];
  }

  get blocks(): readonly TaskBlock[] {
    return (this.moved ??= this.base.blocks.map((block, at) => this.shifted(block, at)));
  }

  get headings(): readonly Heading[] {
    return this.base.headings.map((heading) => this.shifts.reduce(movedHeading, heading));
  }

  get dangling(): readonly Dangling[] {
    return this.base.dangling.map((block) => this.shifts.reduce(movedDangling, block));
  }

  block(index: number): TaskBlock | undefined {
    if (this.moved !== undefined) return this.moved[index];
    const block = this.base.block(index);
    return block && this.shifted(block, index);
  }

  private shifted(block: TaskBlock, at: number): TaskBlock {
    return this.shifts.reduce((now, shift) => movedBlock(now, at, shift), block);
  }
}

function movedBlock(block: TaskBlock, at: number, shift: Shift): TaskBlock {
  const { from, by, index, after } = shift;
  if (at === index) return { ...block, after, lineEnd: block.lineEnd + by, end: block.end + by };
  if (block.start < from) return block.end < from ? block : { ...block, end: block.end + by };
  return {
    ...block,
    start: block.start + by,
    marker: block.marker + by,
    box: block.box + by,
    after: block.after + by,
    lineEnd: block.lineEnd + by,
    end: block.end + by,
  };
}

function movedHeading(heading: Heading, { from, by }: Shift): Heading {
  if (heading.start < from) return heading;
  const { level, text } = heading;
  const place = { start: heading.start + by, end: heading.end + by };
  return { level, text, ...place, from: heading.from + by, to: heading.to + by };
}

function movedDangling(block: Dangling, { from, by }: Shift): Dangling {
  const { start, end } = block;
  return {
    ...block,
    start: start < from ? start : start + by,
    end: end < from ? end : end + by,
  };
}

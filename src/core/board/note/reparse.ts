import type { Board, Problem, Task } from '../task';
import type { EditedText } from './edit-result';
import { readHeader, type Header } from './header';
import { markClose } from './list-item';
import type { Note } from './note';
import { lineEndOf, parseNote } from './parse-note';
import { ReadLayout, type OtherIds } from './read-layout';
import type { Scan } from './scan';
import { ShiftedScan } from './shifted-scan';
import { applySplices, type Splice } from './splice';
import type { TaskBlock } from './task-block';
import { TaskReader } from './task-reader';

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

import type { Task } from '../task';
import { idOf } from './build-task';
import type { Span } from './code-spans';
import { isDataview } from './dataview';
import { refuseBroken } from './edit-header';
import { refuse, type EditRefusal, type EditResult } from './edit-result';
import { lineFacts, type LineFacts } from './line-facts';
import { isBlank, skipBlanks, trimBlanks } from './list-item';
import type { Layout, Note } from './note';
import { applySplices, type Splice } from './splice';
import type { TaskBlock } from './task-block';
import { readTaskLine, type TaskLine } from './task-line';

/** A task of a note with all that is needed to edit its line. */
export interface Found {
  readonly ok: true;
  readonly task: Task;
  readonly index: number;
  readonly block: TaskBlock;
  readonly layout: Layout;
}

export interface FoundLine extends Found {
  readonly line: TaskLine;
}

export function findTask(note: Note, key: string): Found | EditRefusal {
  const { layout, board } = note;
  if (!layout) return refuseBroken(note);
  const index = board.tasks.findIndex((task) => task.key === key);
  const task = board.tasks[index];
  const block = layout.scan.block(index);
  if (!task || !block) return refuse('unknown_task', `There is no task ${key} on this board.`);
  return { ok: true, task, index, block, layout };
}

/** The task and the parts of its line; refused where its tail can't be read. */
export function findLine(note: Note, key: string): FoundLine | EditRefusal {
  const found = findTask(note, key);
  if (!found.ok) return found;
  const { task, block } = found;
  if (task.malformed === null) {
    return { ...found, line: readTaskLine(note.text, block.after, block.lineEnd) };
  }
  const written = note.text.slice(block.marker, block.lineEnd);
  return refuse('malformed_tail', `${task.malformed} The line is: ${written}`);
}

/** What a line shall say after an edit; what is left out shall say what it did. */
export interface Expected extends Partial<LineFacts> {
  readonly title?: string;
  readonly id?: string;
}

/**
 * Applies splices inside one task line, and reads the line again: an edit that would change what else
 * it says (a stray backtick somewhere may pair with a new one) is refused, never written.
 */
export function editLine(
  note: Note,
  found: FoundLine,
  splices: readonly Splice[],
  expected: Expected = {},
): EditResult {
  if (splices.length === 0) return { ok: true, text: note.text };
  const { block, task } = found;
  const text = applySplices(note.text, splices);
  const { start } = block;
  const own = splices.map(({ from, to, text: put }) => ({
    from: from - start,
    to: to - start,
    text: put,
  }));
  const edited = applySplices(note.text.slice(start, block.lineEnd), own);
  const line = readTaskLine(edited, block.after - start, edited.length);
  const facts = lineFacts(edited, line);
  const same =
    line.stray === null &&
    line.title === (expected.title ?? task.title) &&
    idOf(edited, line) === (expected.id ?? task.id) &&
    sameFacts(facts, { ...task, ...expected });
  if (same) return { ok: true, text, splices };
  const written = note.text.slice(block.marker, block.lineEnd);
  const message = `Line ${block.line} can't be edited without changing more than was asked. The line is: ${written}`;
  return refuse('malformed_tail', message);
}

/** `words` as a new part of the line at `at`, with a blank where one is needed. */
export function insertWords(text: string, found: FoundLine, at: number, words: string): Splice {
  const before = isBlank(text.charCodeAt(at - 1)) ? '' : ' ';
  const behind = at < found.block.lineEnd && !isBlank(text.charCodeAt(at)) ? ' ' : '';
  return { from: at, to: at, text: before + words + behind };
}

/** Takes a part out of the line, with the blanks before it. */
export function removePart(text: string, found: FoundLine, start: number, end: number): Splice {
  return { from: trimBlanks(text, found.line.from, start), to: end, text: '' };
}

/** Takes a field out, with the comma that Tasks allows behind one in the Dataview dialect. */
export function removeField(text: string, found: FoundLine, { start, end }: Span): Splice {
  const comma = skipBlanks(text, end, found.block.lineEnd);
  const separates =
    isDataview(text, { start }) &&
    text.charCodeAt(comma) === 0x2c &&
    !found.line.pieces.some((piece) => piece.start === comma);
  return removePart(text, found, start, separates ? comma + 1 : end);
}

/** Where a new field at the end of the tail goes: before the block id. */
export function tailEnd(text: string, { line }: FoundLine): number {
  const { blockId, end } = line.tail;
  return blockId ? trimBlanks(text, line.from, blockId.start) : end;
}

function sameFacts({ dependsOn, ...single }: LineFacts, wanted: LineFacts): boolean {
  if (dependsOn.join(',') !== wanted.dependsOn.join(',')) return false;
  return Object.entries(single).every(
    ([name, value]) => value === wanted[name as keyof typeof single],
  );
}

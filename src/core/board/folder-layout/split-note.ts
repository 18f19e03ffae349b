import { fault } from '../operation/outcome';
import type { Fault } from '../operation/read-operation';
import { Lines } from '../note/lines';
import type { Layout, Note } from '../note/note';
import { fileNames } from './file-names';
import { segmentsOf, type Segment } from './segments';
import { taskFileText } from './task-file';
import { textMark } from './text-mark';

/** A note of the layout with one note per task. */
export interface LayoutFile {
  /** name in the folder */
  readonly path: string;
  readonly text: string;
}

export const INDEX = 'index.md';
/**
 * The key that marks an index: the word that marks the places of tasks in it, and the mark of the text
 * that was split.
 */
export const LAYOUT_KEY = 'agent-boards-layout';

export interface SplitNote {
  readonly ok: true;
  /** the index first */
  readonly files: readonly LayoutFile[];
  /** names of the tasks' notes, in the order of the board's tasks */
  readonly names: readonly string[];
}

/**
 * A board as a folder: a note per task, and an index with all that is no task, in which a link stands
 * for the lines of each. `joinNotes` makes the same board of it again, byte by byte.
 */
export function splitNote(note: Note): SplitNote | Fault {
  const { board, layout, text } = note;
  if (layout === null) {
    return fault('broken_note', `The board needs repair first. ${board.broken?.reason ?? ''}`);
  }
  const names = fileNames(board.tasks);
  const segments = segmentsOf(text, layout);
  const places = new Map(board.tasks.map(({ key }, at) => [key, names[at] ?? '']));
  const own = board.tasks.map((): string[] => []);
  for (const segment of segments) own[segment.task]?.push(segment.text);
  const notes = board.tasks.map((task, at): LayoutFile => {
    const parent = task.parent === null ? null : (places.get(task.parent) ?? null);
    const file = { task, order: at + 1, parent, segments: own[at] ?? [] };
    return { path: `${names[at] ?? ''}.md`, text: taskFileText(file) };
  });
  const index = { path: INDEX, text: indexText(text, layout, segments, names) };
  return { ok: true, files: [index, ...notes], names };
}

function indexText(
  text: string,
  layout: Layout,
  segments: readonly Segment[],
  names: readonly string[],
): string {
  const word = freeWord(text);
  const opened = new Lines(text, 0, 0);
  opened.advance();
  const head = `${text.slice(0, opened.next)}${LAYOUT_KEY}: ${word} ${textMark(text)}\n`;
  const body = segments.map(({ task, part, text: lines }) => {
    const name = names[task];
    if (name === undefined) return lines;
    const indent = /^[ \t]*/.exec(lines)?.[0] ?? '';
    const link = part === 0 ? `- [[${name}]] ` : '';
    return `${indent}${link}%%${word} ${name} ${part}%%\n`;
  });
  return `${head}${text.slice(opened.next, layout.header.end)}${body.join('')}`;
}

/** A word that no line of the note has. */
function freeWord(text: string): string {
  let word = 'task';
  while (text.includes(`%%${word} `)) word += 'x';
  return word;
}

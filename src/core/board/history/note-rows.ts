import { Lines } from '../note/lines';
import type { Note } from '../note/note';

/** A line with what ends it. Lines with one key are the same line in two states of a note. */
export interface Row {
  /** id of the task whose line it is; else the text itself */
  readonly key: string;
  readonly text: string;
  /** index in `board.tasks` of the task whose line it is */
  readonly task: number | undefined;
}

/** No line's key: counters of the header go their own way. */
const COUNTER = '\0';

export function noteRows(note: Note): readonly Row[] {
  const { board, text, layout } = note;
  const tasks = new Map(board.tasks.map((task, index) => [task.line, index]));
  const rows: Row[] = [];
  const lines = new Lines(text, 0, 0);
  while (lines.advance()) {
    const written = text.slice(lines.start, lines.next);
    const index = tasks.get(lines.number);
    const task = index === undefined ? undefined : board.tasks[index];
    const counter = lines.number <= (layout?.header.lines ?? 0) && isCounter(written);
    const own = task !== undefined && task.id === task.key ? task.id : written;
    rows.push({ key: counter ? COUNTER : own, text: written, task: index });
  }
  return rows;
}

export function isCounterRow({ key }: Row): boolean {
  return key === COUNTER;
}

function isCounter(line: string): boolean {
  return /^["']?(?:rev|next|archived)["']?[ \t]*:/.test(line);
}

import { columnOf, ownLines } from './block-lines';
import { bodyMeaning } from './body-meaning';
import { findTask } from './edit-line';
import { refuse, type EditResult } from './edit-result';
import { columnAfter } from './list-item';
import type { Layout, Note } from './note';
import { reparse } from './reparse';
import { sameTasks } from './same-tasks';
import { applySplices } from './splice';
import type { TaskBlock } from './task-block';
import { checkTitle } from './title';

/**
 * Writes what came of a task: `Result: …` as the last line of its text, or as its first. `result` is one
 * line of at most 500 characters. Refused with `bad_body` where it would not be read as that.
 */
export function addResult(note: Note, key: string, result: string): EditResult {
  const found = findTask(note, key);
  if (!found.ok) return found;
  const checked = checkTitle(result, 'result');
  if (!checked.ok) return { ...checked, code: 'bad_value' };
  const { block, layout, task, index } = found;
  const { at, indent } = placeBehind(note.text, layout, block, index);
  const eol = lineEndAt(note.text, block.lineEnd) ?? layout.eol;
  const put = { from: at, to: at, text: `${eol}${indent}Result: ${checked.title}` };
  const text = applySplices(note.text, [put]);
  const after = reparse(note, { text }).board.tasks;
  const now = after[index];
  const rest = after.map((one, i) => (i === index ? { ...one, body: task.body } : one));
  const read =
    now?.body.at(-1) === `Result: ${checked.title}` &&
    bodyMeaning(now).results.at(-1) === checked.title &&
    sameTasks(note.board.tasks, rest, true);
  if (read) return { ok: true, text, splices: [put] };
  const message = `The result of "${task.title}" would not be read as its text: something under it is not closed. Correct that in the note.`;
  return refuse('bad_body', message);
}

/** Behind the last line of the task's own text, indented as that is; else right behind the task line. */
function placeBehind(
  text: string,
  { scan }: Layout,
  block: TaskBlock,
  index: number,
): { readonly at: number; readonly indent: string } {
  const own = ownLines(text, scan, index).filter((line) => columnOf(text, line) > block.column);
  const [first, last] = [own[0], own.at(-1)];
  if (first && last) {
    return { at: last.end, indent: /^[ \t]*/.exec(text.slice(first.start, first.end))?.[0] ?? '' };
  }
  let indent = text.slice(block.start, block.marker);
  let column = block.column;
  do {
    indent += '\t';
    column = columnAfter(column, 0x09);
  } while (column < block.contentColumn);
  return { at: block.lineEnd, indent };
}

function lineEndAt(text: string, at: number): string | undefined {
  return /^(?:\r\n|\r|\n)/.exec(text.slice(at, at + 2))?.[0];
}

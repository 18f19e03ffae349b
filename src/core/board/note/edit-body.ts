import { columnOf, linesOf, ownLines, type LineSpan } from './block-lines';
import { findTask, type Found } from './edit-line';
import { refuse, type EditResult } from './edit-result';
import { columnAfter } from './list-item';
import type { Layout, Note } from './note';
import { parseNote } from './parse-note';
import { sameTasks } from './same-tasks';
import { applySplices, type Splice } from './splice';

/** Longest text under a task, in characters. */
const LONGEST = 20_000;

/**
 * Replaces the text under a task (its lines that are no sub-tasks) by `body`; an empty one takes it
 * away. Refused where the text would not stay text: task lines, a code block or comment that nothing
 * closes, control characters.
 */
export function setTaskBody(note: Note, key: string, body: string): EditResult {
  const found = findTask(note, key);
  if (!found.ok) return found;
  const wanted = bodyLines(body);
  if (typeof wanted === 'string') return refuse('bad_body', wanted);
  const { task, layout, block, index } = found;
  const said = wanted.filter((line) => line !== '');
  if (said.join('\n') === task.body.filter((line) => line !== '').join('\n')) {
    return { ok: true, text: note.text };
  }
  // The unindented rest of a paragraph is nobody's body, and stays.
  const old = ownLines(note.text, layout.scan, index).filter(
    (line) => columnOf(note.text, line) > block.column,
  );
  const text = applySplices(note.text, [
    ...removals(note.text, old),
    ...insertion(note, layout, found, wanted),
  ]);
  const read = parseNote(note.board.path, text);
  const after = read.board.tasks;
  const open = (read.layout?.scan.dangling.length ?? 0) > layout.scan.dangling.length;
  const now = after[index];
  const same =
    now !== undefined && now.body.filter((line) => line !== '').join('\n') === said.join('\n');
  const rest = after.map((one, at) => (at === index ? { ...one, body: task.body } : one));
  if (same && !open && sameTasks(note.board.tasks, rest, true)) return { ok: true, text };
  return refuse('bad_body', `The body of "${task.title}" would not be read as its text. ${HINT}`);
}

const HINT =
  'Send plain lines: no "- [ ]" (add sub-tasks with parent), and close code blocks and comments.';

/** Without the indentation that all lines share, and without blank lines around; or what is wrong. */
function bodyLines(body: string): readonly string[] | string {
  if (body.length > LONGEST) return `The body has over ${LONGEST} characters. Send less.`;
  if (/[^\P{Cc}\t\r\n]|\p{Surrogate}/u.test(body)) return 'The body has control characters.';
  const lines = body.split(/\r\n|\r|\n/).map((line) => line.trimEnd());
  while (lines[0] === '') lines.shift();
  while (lines[lines.length - 1] === '') lines.pop();
  const filled = lines.filter((line) => line !== '');
  const margin = Math.min(...filled.map((line) => line.length - line.trimStart().length));
  return lines.map((line, at) => (at === 0 ? line.trimStart() : line.slice(margin)));
}

/** Takes lines out whole; blank lines between two of them go too. */
function removals(text: string, lines: readonly LineSpan[]): readonly Splice[] {
  return lines.map((line, at) => {
    const next = lines[at + 1];
    const gap = next && /^\s*$/.test(text.slice(line.next, next.start));
    return { from: line.start, to: gap ? next.start : line.next, text: '' };
  });
}

function insertion(
  { text }: Note,
  layout: Layout,
  { block }: Found,
  lines: readonly string[],
): readonly Splice[] {
  if (lines.length === 0) return [];
  const [line] = linesOf(text, block.start, block.lineEnd + 1);
  const eol = text.slice(block.lineEnd, line?.next) || layout.eol;
  let indent = text.slice(block.start, block.marker);
  let column = block.column;
  do {
    indent += '\t';
    column = columnAfter(column, 0x09);
  } while (column < block.contentColumn);
  const put = lines.map((one) => eol + (one === '' ? '' : indent + one)).join('');
  return [{ from: block.lineEnd, to: block.lineEnd, text: put }];
}

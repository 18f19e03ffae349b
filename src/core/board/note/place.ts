import { refuse, type EditRefusal } from './edit-result';
import { escapeHeading, type Heading } from './heading';
import { columnAfter } from './list-item';
import { Lines } from './lines';
import type { Layout, Note } from './note';
import type { Scan } from './scan';
import type { TaskBlock } from './task-block';

/** Where a new task line goes, and in which form. */
export interface Place {
  readonly ok: true;
  /** offset of the end of the line that it follows */
  readonly at: number;
  /** what ends lines there */
  readonly eol: string;
  /** lines that go before it */
  readonly before: readonly string[];
  readonly indent: string;
  readonly marker: string;
}

interface Wanted {
  readonly after?: string;
  readonly parent?: string;
  readonly phase?: string;
}

/**
 * After the task named; else after the last sub-task of the parent; else after the last task of the
 * phase, a new phase being made at the note's end; else after the last task of the board.
 */
export function placeFor(note: Note, layout: Layout, wanted: Wanted): Place | EditRefusal {
  const { scan } = layout;
  const { tasks } = note.board;
  const named = wanted.after ?? wanted.parent;
  if (named !== undefined) {
    const index = tasks.findIndex((task) => task.key === named);
    const block = scan.blocks[index];
    if (!block) return refuse('unknown_task', `There is no task ${named} on this board.`);
    if (wanted.after !== undefined) return besides(note, layout, block);
    const child = scan.blocks.findLast((other) => other.parent === index);
    return child ? besides(note, layout, child) : under(note, layout, block);
  }
  const { phase } = wanted;
  const last = scan.blocks.findLast(
    (block, i) => block.parent < 0 && (phase === undefined || tasks[i]?.phase === phase),
  );
  if (last) return besides(note, layout, last);
  if (phase === undefined) return atEnd(note, layout, note.text.length, ['']);
  const heading = scan.headings.findLast(({ text, level }) => {
    return text === phase && !(level === 1 && text === note.board.title);
  });
  if (heading) return atEnd(note, layout, sectionEnd(scan, heading, note.text), ['']);
  return atEnd(note, layout, note.text.length, ['', `## ${escapeHeading(phase)}`, '']);
}

/** As the next sibling of a task, behind all that belongs to it. */
function besides(note: Note, layout: Layout, block: TaskBlock): Place | EditRefusal {
  const { text } = note;
  const indent = text.slice(block.start, block.marker);
  const marker = nextMarker(text.slice(block.marker, block.box).trimEnd());
  return place(note, layout, block.end, block.column, { before: [], indent, marker });
}

/** As the first sub-task: indented by a tab, or by as many as it takes to stand inside. */
function under(note: Note, layout: Layout, block: TaskBlock): Place | EditRefusal {
  const { text } = note;
  let indent = text.slice(block.start, block.marker);
  let column = block.column;
  do {
    indent += '\t';
    column = columnAfter(column, 0x09);
  } while (column < block.contentColumn);
  const bullet = text.charAt(block.marker);
  const marker = '-*+'.includes(bullet) ? bullet : '-';
  return place(note, layout, block.end, column, { before: [], indent, marker });
}

/** At the left edge, behind the last line before `end` that is not blank. */
function atEnd(
  note: Note,
  layout: Layout,
  end: number,
  before: readonly string[],
): Place | EditRefusal {
  const at = lastTextEnd(note.text, layout, end);
  return place(note, layout, at, 0, { before, indent: '', marker: '-' });
}

/** End of the last line before `end` that is not blank, at least of the header. */
function lastTextEnd(text: string, layout: Layout, end: number): number {
  const least = lineEndBefore(text, layout.header.end);
  let at = end;
  while (at > least && /[ \t\r\n]/.test(text.charAt(at - 1))) at -= 1;
  while (at < end && /[^\r\n]/.test(text.charAt(at))) at += 1;
  return at;
}

/** A list marker has at most nine digits. */
const HIGHEST_NUMBER = 999_999_999;

type Form = Pick<Place, 'before' | 'indent' | 'marker'>;

/**
 * A new line inside a fence or comment that nobody closed would be none; it goes before that. It is
 * refused where an indented line behind it, until now nobody's, would then hang under the new task.
 */
function place(
  note: Note,
  layout: Layout,
  at: number,
  column: number,
  form: Form,
): Place | EditRefusal {
  const { text } = note;
  const free = beforeDangling(text, layout, at, column);
  const line = deeperLineBehind(text, free, column);
  if (line === undefined)
    return { ok: true, at: free, eol: eolAt(text, free) ?? layout.eol, ...form };
  const message = `Line ${line} is indented, so it would become a part of the new task. Take its indentation away (and close the code block or comment, if it opens one), then add the task.`;
  return refuse('no_place', message);
}

/** Before each of the open blocks that a line at `at` would stand in; one may follow another. */
function beforeDangling(text: string, layout: Layout, at: number, column: number): number {
  let free = at;
  for (const block of layout.scan.dangling.toReversed()) {
    const inside = free >= block.start && free <= block.end && column >= block.column;
    if (inside) free = lastTextEnd(text, layout, block.start);
  }
  return free;
}

/** Number of the next line with text behind `at`, if it is indented deeper than `column`. */
function deeperLineBehind(text: string, at: number, column: number): number | undefined {
  const behind = /[^ \t\r\n]/.exec(text.slice(at));
  if (!behind) return undefined;
  const first = at + behind.index;
  const lines = new Lines(text, 0, 0);
  while (lines.advance() && lines.next <= first);
  let deep = 0;
  for (let i = lines.start; i < first; i += 1) deep = columnAfter(deep, text.charCodeAt(i));
  return deep > column ? lines.number : undefined;
}

/** `- ` stays, `3. ` becomes `4. `. */
function nextMarker(marker: string): string {
  const number = Number.parseInt(marker, 10);
  if (Number.isNaN(number)) return marker;
  return `${Math.min(number + 1, HIGHEST_NUMBER)}${marker.slice(-1)}`;
}

function sectionEnd(scan: Scan, heading: Heading, text: string): number {
  const next = scan.headings[scan.headings.indexOf(heading) + 1];
  return next?.start ?? text.length;
}

/** End of the line before the one that starts at `start`. */
function lineEndBefore(text: string, start: number): number {
  if (text.charAt(start - 1) === '\n') start -= 1;
  else if (text.charAt(start - 1) !== '\r') return start;
  else return start - 1;
  return text.charAt(start - 1) === '\r' ? start - 1 : start;
}

function eolAt(text: string, at: number): string | undefined {
  if (text.startsWith('\r\n', at)) return '\r\n';
  const char = text.charAt(at);
  return char === '\n' || char === '\r' ? char : undefined;
}

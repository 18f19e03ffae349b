import { refuseChange } from '../change-faults';
import { fault, type Fault } from '../../fault';
import type { Status } from '../task';
import { readCompletionLines, markOf, type TaskBlock } from './task-block';
import { refuseBroken } from './edit-header';
import type { EditResult } from './edit-result';
import {
  checkFields,
  formatFields,
  locateTask,
  differsOnlyInBody,
  statusDate,
  type FieldValues,
  type LocatedTask,
} from './edit-task';
import { escapeHeading, escapeText, type Heading } from './escape';
import { nextTaskId } from './give-id';
import { ANY_ID } from './ids';
import { priorityEmoji, writtenField } from './line-facts';
import { sameTasks, type Layout, type Note } from './note';
import { checkTitle } from './title';
import type { TypedTask } from './typed-task';
import {
  afterLineEnd,
  columnOf,
  cutLines,
  indentInside,
  ownLines,
  reindented,
  type Scan,
} from './blocks';
import { withSplices, withText } from './parse-note';
import { columnAfter, LineScanner } from './lines';

export interface NewTask extends TaskPlace {
  readonly title: string;
  readonly dependsOn?: readonly string[];
  readonly status?: Status | undefined;
  readonly fields?: FieldValues;
  /** local date, `YYYY-MM-DD` */
  readonly today: string;
}

export interface TaskPlace {
  /** key of the parent task */
  readonly parent?: string | undefined;
  /** key of the task to put it in front of, as its sibling; overrides the others */
  readonly before?: string | undefined;
  /** key of the task to put it after, as its sibling; overrides `parent` and `phase` */
  readonly after?: string | undefined;
  /** text of a heading; created at the note's end if there is none */
  readonly phase?: string | undefined;
}

/** Adds a task with the next id, which is also its key, and raises `next`. */
export function addTask(note: Note, spec: NewTask): EditResult<{ id: string }> {
  const title = checkTitle(spec.title);
  if (!title.ok) return title;
  const fields = checkFields(spec.fields ?? {});
  if (!fields.ok) return fields;
  const place = checkPhase(spec);
  if (!place.ok) return place;
  const bad = spec.dependsOn?.find((id) => !ANY_ID.test(id));
  if (bad !== undefined) return fault('bad_id', `"${bad}" can't be the id of a task.`);
  return addLine(note, place, (id) => lineFor(spec, title.title, fields.values, id));
}

/** Adds a task as a person typed it, and puts the next id before the fields at its end. */
export function addTypedTask(
  note: Note,
  { line, text }: TypedTask,
  wanted: TaskPlace,
): EditResult<{ id: string }> {
  const place = checkPhase(wanted);
  if (!place.ok) return place;
  const tail = text.slice(line.tail.start, line.tail.end);
  return addLine(note, place, (id) =>
    ['[ ]', text.slice(0, line.headEnd), writtenField(line, 'id', id), tail, `^${id}`]
      .filter((part) => part !== '')
      .join(' '),
  );
}

/** @param words the line from its checkbox on */
function addLine(
  note: Note,
  wanted: TaskPlace,
  words: (id: string) => string,
): EditResult<{ id: string }> {
  const { layout } = note;
  if (!layout) return refuseBroken(note);
  const place = placeFor(note, layout, wanted);
  if (!place.ok) return place;
  const { id, header } = nextTaskId(note, layout);
  const line = `${place.indent}${place.marker} ${words(id)}`;
  const put = [...place.before, line].map((each) => place.eol + each).join('');
  return { ...withSplices(note, [...header, { from: place.at, to: place.at, text: put }]), id };
}

/** Checks the phase of a place and trims it as headings do. */
function checkPhase<P extends Pick<TaskPlace, 'phase'>>(place: P): ({ ok: true } & P) | Fault {
  if (place.phase === undefined) return { ok: true, ...place };
  const checked = checkTitle(place.phase, 'phase', 'bad_phase');
  return checked.ok ? { ...place, ok: true, phase: checked.title } : checked;
}

/** The line from its checkbox on. */
function lineFor(spec: NewTask, title: string, fields: FieldValues, id: string): string {
  const status = spec.status ?? 'pending';
  const dependsOn = [...new Set(spec.dependsOn)].join(',');
  const { priority, due } = fields;
  return [
    `[${markOf(status)}]`,
    escapeText(title),
    formatFields(fields),
    `🆔 ${id}`,
    dependsOn === '' ? '' : `⛔ ${dependsOn}`,
    (priority && priorityEmoji(priority)) ?? '',
    due === undefined || due === null ? '' : `📅 ${due}`,
    statusDate(status, spec.today) ?? '',
    `^${id}`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

/** Where to move a task: exactly one of these. */
export interface MoveTarget {
  /** key of the task to put it after, as its sibling */
  readonly after?: string;
  /** key of the task to put it in front of, as its sibling */
  readonly before?: string;
  /** key of the task to make it the last subtask of */
  readonly parent?: string;
  /** text of the heading to put it under, as the last task */
  readonly phase?: string;
}

/**
 * Moves a task with all lines that belong to it. Only their indentation changes; all other lines
 * stay in place.
 */
export function moveTask(note: Note, key: string, target: MoveTarget): EditResult {
  const found = locateTask(note, key);
  if (!found.ok) return found;
  const checked = checkTarget(note, found, target);
  if (!checked.ok) return checked;
  const { block, task, index } = found;
  const { text, board } = note;
  const rest = withText(note, cutLines(text, block.start, afterLineEnd(text, block.end)));
  if (!rest.layout) return refuseChange('bad_place', 'moveChangesOthers');
  const place = placeFor(rest, rest.layout, checked);
  if (!place.ok) return place;
  const lines = [...place.before, reindented(text, block, place.indent)];
  const put = lines.map((line) => place.eol + line).join('');
  const now = withSplices(rest, [{ from: place.at, to: place.at, text: put }]);
  const size = subtreeSize(found);
  const at = now.board.tasks.findIndex(({ id }) => id === task.id);
  const family = now.board.tasks.slice(at, at + size);
  const others = now.board.tasks.filter((_, i) => i < at || i >= at + size);
  const fits =
    rest.board.tasks.length + size === now.board.tasks.length &&
    sameTasks(board.tasks.slice(index, index + size), family, false) &&
    sameTasks(rest.board.tasks, others, true) &&
    sameTasks(board.tasks.toSpliced(index, size), others, true) &&
    isInPlace(now, family[0]?.parent ?? null, checked);
  return fits ? now : refuseChange('bad_place', 'moveChangesOthers');
}

function checkTarget(
  note: Note,
  { index, task, layout }: LocatedTask,
  target: MoveTarget,
): ({ ok: true } & MoveTarget) | Fault {
  if (target.phase !== undefined) return checkPhase({ phase: target.phase });
  const named = note.board.tasks.findIndex(({ key }) => key === neighbourOf(target));
  for (let at = named; at >= 0; at = layout.scan.blocks[at]?.parent ?? -1) {
    if (at !== index) continue;
    const name = named === index ? 'moveUnderItself' : 'moveUnderOwn';
    return refuseChange('bad_place', name, { task: task.title });
  }
  return { ok: true, ...target };
}

/** Number of tasks in a block, its own included; they are consecutive. */
export function subtreeSize({ index, block, layout }: LocatedTask): number {
  const { blocks } = layout.scan;
  let end = index + 1;
  while ((blocks[end]?.depth ?? 0) > block.depth) end += 1;
  return end - index;
}

function neighbourOf({ after, before, parent }: TaskPlace): string | undefined {
  return before ?? after ?? parent;
}

/** Whether a task with this parent is in the wanted place. */
export function isInPlace(now: Note, parent: string | null, place: TaskPlace): boolean {
  const sibling = place.before ?? place.after;
  if (sibling === undefined) return parent === (place.parent ?? null);
  return now.board.tasks.find(({ key }) => key === sibling)?.parent === parent;
}

/**
 * What happens to subtasks: they are removed too, or take the task's place. The text of the task
 * is removed in both cases.
 */
export type Removal = 'cascade' | 'promote';

/**
 * Removes a task's line. Refuses a task with subtasks (`has_children`) or text under it
 * (`has_body`) unless `how` says what happens to them.
 */
export function removeTask(note: Note, key: string, how?: Removal): EditResult {
  const found = locateTask(note, key);
  if (!found.ok) return found;
  const { task, block, index, layout } = found;
  const children = layout.scan.blocks.filter((other) => other.parent === index).length;
  const { text } = note;
  if (how === undefined && children > 0) {
    const many = children === 1 ? '1 subtask' : `${children} subtasks`;
    return fault(
      'has_children',
      `"${task.title}" has ${many}. Send "cascade": true to remove them too, or "promote": true to keep them in its place.`,
    );
  }
  if (how === undefined && block.hasText) {
    const message = `"${task.title}" has text under it. Send "cascade": true to remove it too.`;
    return fault('has_body', message);
  }
  const kept = how === 'promote' ? promoted(note, found) : '';
  const without =
    kept === ''
      ? cutLines(
          text,
          block.start,
          afterLineEnd(text, how === undefined ? block.lineEnd : block.end),
        )
      : text.slice(0, block.start) + kept + text.slice(block.end);
  return withoutTask(note, found, without, how ?? 'cascade');
}

/** The blocks of the direct subtasks, indented like the task, without the last line end. */
function promoted({ text }: Note, { block, index, layout }: LocatedTask): string {
  const indent = text.slice(block.start, block.marker);
  const children = layout.scan.blocks.filter((other) => other.parent === index);
  return children
    .map((child, at) => {
      const end = text.slice(child.end, afterLineEnd(text, child.end)) || layout.eol;
      return reindented(text, child, indent) + (at < children.length - 1 ? end : '');
    })
    .join('');
}

/** Refuses the new text if it changes any other task. */
function withoutTask(note: Note, found: LocatedTask, text: string, how: Removal): EditResult {
  const { tasks } = note.board;
  const { index, task } = found;
  const rest =
    how === 'cascade'
      ? tasks.toSpliced(index, subtreeSize(found))
      : tasks
          .map((one) => (one.parent === task.key ? { ...one, parent: task.parent } : one))
          .toSpliced(index, 1);
  const now = withText(note, text);
  if (sameTasks(rest, now.board.tasks, true)) return now;
  return refuseChange('bad_place', 'removeChangesOthers', { task: task.title });
}

/** Where a new task line goes, and its form. */
interface Place {
  readonly ok: true;
  /** offset of the end of the line before it */
  readonly at: number;
  /** the line end used there */
  readonly eol: string;
  /** lines to insert before it */
  readonly before: readonly string[];
  readonly indent: string;
  readonly marker: string;
}

/**
 * Finds the place for a new task: before or after the named task; else after the last subtask of
 * the parent; else after the last task of the phase, which is created at the note's end if missing;
 * else after the last task of the board.
 */
export function placeFor(note: Note, layout: Layout, wanted: TaskPlace): Place | Fault {
  const { scan } = layout;
  const { tasks } = note.board;
  const named = neighbourOf(wanted);
  if (named !== undefined) {
    const index = tasks.findIndex((task) => task.key === named);
    const block = scan.blocks[index];
    if (!block) return fault('unknown_task', `There is no task ${named} on this board.`);
    if (wanted.before !== undefined) return placeBefore(note, layout, block);
    if (wanted.after !== undefined) return placeAfter(note, layout, block);
    const child = scan.blocks.findLast((other) => other.parent === index);
    return child ? placeAfter(note, layout, child) : placeUnder(note, layout, block);
  }
  const { phase } = wanted;
  const last = scan.blocks.findLast(
    (block, i) => block.parent < 0 && (phase === undefined || tasks[i]?.phase === phase),
  );
  if (last) return placeAfter(note, layout, last);
  if (phase === undefined) return placeAtEnd(note, layout, note.text.length, ['']);
  const heading = scan.headings.findLast(({ text, level }) => {
    return text === phase && !(level === 1 && text === note.board.title);
  });
  if (heading) return placeAtEnd(note, layout, sectionEnd(scan, heading, note.text), ['']);
  return placeAtEnd(note, layout, note.text.length, ['', `## ${escapeHeading(phase)}`, '']);
}

/** As the next sibling of a task, after all lines that belong to it. */
function placeAfter(note: Note, layout: Layout, block: TaskBlock): Place | Fault {
  return placeOutsideBlocks(note, layout, block.end, block.column, siblingForm(note.text, block));
}

/** As the previous sibling of a task. */
function placeBefore({ text }: Note, layout: Layout, block: TaskBlock): Place {
  const at = lineEndBefore(text, block.start);
  return { ok: true, at, eol: eolAt(text, at) ?? layout.eol, ...siblingForm(text, block) };
}

function siblingForm(text: string, block: TaskBlock): LineForm {
  const indent = text.slice(block.start, block.marker);
  const marker = nextMarker(text.slice(block.marker, block.box).trimEnd());
  return { before: [], indent, marker };
}

/** As the first subtask: indented by one tab, or by as many as reach the content of its parent. */
function placeUnder(note: Note, layout: Layout, block: TaskBlock): Place | Fault {
  const { text } = note;
  const { indent, column } = indentInside(text, block);
  const bullet = text.charAt(block.marker);
  const marker = '-*+'.includes(bullet) ? bullet : '-';
  return placeOutsideBlocks(note, layout, block.end, column, { before: [], indent, marker });
}

/** Unindented, after the last non-blank line before `end`. */
function placeAtEnd(
  note: Note,
  layout: Layout,
  end: number,
  before: readonly string[],
): Place | Fault {
  const at = lastTextEnd(note.text, layout, end);
  return placeOutsideBlocks(note, layout, at, 0, { before, indent: '', marker: '-' });
}

/** End of the last non-blank line before `end`, or of the header if there is none. */
function lastTextEnd(text: string, layout: Layout, end: number): number {
  const least = lineEndBefore(text, layout.header.end);
  let at = end;
  while (at > least && /[ \t\r\n]/.test(text.charAt(at - 1))) at -= 1;
  while (at < end && /[^\r\n]/.test(text.charAt(at))) at += 1;
  return at;
}

/** A list marker has at most nine digits. */
const HIGHEST_NUMBER = 999_999_999;

type LineForm = Pick<Place, 'before' | 'indent' | 'marker'>;

/**
 * Puts a new line before an unclosed fence or comment, since inside it the line would be no task.
 * Refused if an indented line that belonged to no task would become part of the new task.
 */
function placeOutsideBlocks(
  note: Note,
  layout: Layout,
  at: number,
  column: number,
  form: LineForm,
): Place | Fault {
  const { text } = note;
  const free = beforeDangling(text, layout, at, column, form.before[0] === '');
  const line = deeperLineAfter(text, free, column);
  if (line === undefined)
    return { ok: true, at: free, eol: eolAt(text, free) ?? layout.eol, ...form };
  return refuseChange('no_place', 'lineIndented', { line: String(line) });
}

/**
 * Moves the offset before each unclosed block that a line at `at` would be inside of; one block may
 * follow another.
 * @param apart whether a blank line goes before the new line
 */
function beforeDangling(
  text: string,
  layout: Layout,
  at: number,
  column: number,
  apart: boolean,
): number {
  let free = at;
  for (const block of layout.scan.dangling.toReversed()) {
    const inside = free >= block.start && free <= block.end && column >= block.column;
    if (inside && !(apart && block.untilBlank)) free = lastTextEnd(text, layout, block.start);
  }
  return free;
}

/** Number of the next line with text after `at`, if it is indented deeper than `column`. */
function deeperLineAfter(text: string, at: number, column: number): number | undefined {
  const behind = /[^ \t\r\n]/.exec(text.slice(at));
  if (!behind) return undefined;
  const first = at + behind.index;
  const lines = new LineScanner(text, 0, 0);
  while (lines.advance() && lines.next <= first);
  let deep = 0;
  for (let i = lines.start; i < first; i += 1) deep = columnAfter(deep, text.charCodeAt(i));
  return deep > column ? lines.number : undefined;
}

/** The marker after this one: `- ` stays, `3. ` becomes `4. `. */
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

/** Words that begin a line with a meaning in a task's text, by their field in `readCompletionLines`. */
const COMPLETION_FIELDS = { Result: 'results', 'Sent back': 'sentBack' } as const;

/**
 * Adds `Result: …`, the outcome of a task, or `Sent back: …`, what the person found missing, as the
 * last line of the task's text. `said` is one line of at most 500 characters. Refused with
 * `bad_body` if it would not be read as that.
 */
export function addCompletionLine(
  note: Note,
  key: string,
  word: keyof typeof COMPLETION_FIELDS,
  said: string,
): EditResult {
  const found = locateTask(note, key);
  if (!found.ok) return found;
  const checked = checkTitle(said, word === 'Result' ? 'result' : 'text', 'bad_value');
  if (!checked.ok) return checked;
  const { block, layout, task, index } = found;
  const { at, indent } = placeAfterBody(note.text, layout, block, index);
  const eol = lineEndAt(note.text, block.lineEnd) ?? layout.eol;
  const line = `${word}: ${checked.title}`;
  const edited = withSplices(note, [{ from: at, to: at, text: eol + indent + line }]);
  const now = edited.board.tasks[index];
  const read =
    now?.body.at(-1) === line &&
    readCompletionLines(now)[COMPLETION_FIELDS[word]].at(-1) === checked.title &&
    differsOnlyInBody(note, edited, index);
  if (read) return edited;
  const message = `The line "${word}: …" of "${task.title}" would not be read as its text: something under it is not closed. Correct that in the note.`;
  return fault('bad_body', message);
}

/**
 * After the last line of the task's own text, with that text's indentation; else right after the
 * task line.
 */
function placeAfterBody(
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
  return { at: block.lineEnd, indent: indentInside(text, block).indent };
}

function lineEndAt(text: string, at: number): string | undefined {
  return /^(?:\r\n|\r|\n)/.exec(text.slice(at, at + 2))?.[0];
}

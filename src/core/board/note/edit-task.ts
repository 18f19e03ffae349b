import { refuseChange } from '../change-faults';
import { fault, type Fault } from '../../fault';
import type { Priority, Status, Task } from '../task';
import { idOf, markOf, textAfterIdProblem, type TaskBlock } from './task-block';
import { applySplices, type EditResult, type Splice } from './edit-result';
import { isDataview, priorityWord, type TailField } from './field-syntax';
import { escapeFieldValue, escapeText } from './escape';
import { ANY_ID } from './ids';
import {
  lineFacts,
  OWN_FIELDS,
  priorityEmoji,
  writtenField,
  writtenPriority,
  type LineFacts,
  type OwnField,
} from './line-facts';
import { sameTasks, type Layout, type Note } from './note';
import { fieldsOf, readTaskLine, type TaskLine } from './task-line';
import { checkTitle } from './title';
import type { TypedField, TypedTask } from './typed-task';
import { columnOf, indentInside, lineSpansBetween, ownLines, type LineSpan } from './blocks';
import { isBlank, skipBlanks, trimBlanks } from './lines';
import { withSplices } from './parse-note';
import type { Span } from './code-spans';
import { refuseBroken } from './edit-header';

/** Changes to a task; missing fields stay as they are. */
export interface TaskEdit {
  readonly status?: Status | undefined;
  /** set with a status: the date since when the task waits for the person's review */
  readonly review?: string | undefined;
  readonly title?: string | undefined;
  readonly dependsOn?: readonly string[] | undefined;
  readonly fields: FieldValues;
  /** empty: removes the body */
  readonly body?: string | undefined;
}

/** Edits a task, all of it or nothing. @param typed the title as a person typed it, and its fields */
export function applyTaskEdit(
  note: Note,
  key: string,
  { status, review, title, dependsOn, fields, body }: TaskEdit,
  today: string,
  typed?: TypedTask,
): EditResult {
  const { reason, ...others } = fields;
  const givenReason = typeof reason === 'string' && reason.trim() !== '' ? reason : undefined;
  // Each edit parses the note again, so a lone reason is set together with the status.
  const why =
    Object.keys(others).length === 0 && givenReason !== undefined ? { reason: givenReason } : {};
  const edits: Edit[] = [];
  if (dependsOn !== undefined) edits.push((now) => setTaskDependsOn(now, key, dependsOn));
  const whole = status === undefined || !('reason' in why);
  if (whole && Object.keys(fields).length > 0) edits.push((now) => setTaskFields(now, key, fields));
  const end = { today, ...why, ...(review !== undefined && { review }) };
  if (status !== undefined) edits.push((now) => setTaskStatus(now, key, status, end));
  if (typed !== undefined) edits.push(...typedEdits(key, typed));
  else if (title !== undefined) edits.push((now) => setTaskTitle(now, key, title));
  if (body !== undefined) edits.push((now) => setTaskBody(now, key, body));
  return applyEdits(note, edits);
}

type Edit = (note: Note) => EditResult;

/** Applies edits one after another, each to the result of the one before; all of them or none. */
export function applyEdits(note: Note, edits: readonly Edit[]): EditResult {
  let now: EditResult = note;
  for (const edit of edits) if (now.ok) now = edit(now);
  return now;
}

const DATE_OF = { completed: ['done', '✅'], cancelled: ['cancelled', '❌'] } as const;

/** `✅ 2026-11-20` or `❌ 2026-11-20` for a status that has a date, else undefined. */
export function statusDate(status: Status, today: string): string | undefined {
  if (status !== 'completed' && status !== 'cancelled') return undefined;
  return `${DATE_OF[status][1]} ${today}`;
}

/**
 * Sets a task's checkbox, the date of ✅ / ❌ (`today`, `YYYY-MM-DD`), and `reason` if given. Setting
 * any status ends a review, even the status that the task already has, unless `review` is given. A
 * task that already has the status keeps its checkbox and dates.
 */
export function setTaskStatus(
  note: Note,
  key: string,
  status: Status,
  opts: { readonly today: string; readonly reason?: string; readonly review?: string },
): EditResult {
  const found = locateTaskLine(note, key);
  if (!found.ok) return found;
  const { block, task } = found;
  const { today, reason, review = null } = opts;
  const why = reason === undefined ? undefined : checkTitle(reason, 'reason', 'bad_reason');
  if (why?.ok === false) return why;
  const values = { review, ...(why !== undefined && { reason: why.title }) };
  const splices: Splice[] = [];
  let dates = {};
  if (task.status !== status) {
    splices.push({ from: block.box + 1, to: block.after - 1, text: markOf(status) });
    splices.push(...dateSplices(note.text, found, status, today));
    const on = (kept: Status): string | null => (status === kept ? today : null);
    dates = { done: on('completed'), cancelled: on('cancelled') };
  }
  splices.push(...ownSplices(note.text, found, values));
  return editLine(note, found, splices, { ...dates, ...values });
}

/** Replaces a task's title (tags included); its fields stay. */
export function setTaskTitle(note: Note, key: string, title: string): EditResult {
  const found = locateTaskLine(note, key);
  if (!found.ok) return found;
  const checked = checkTitle(title);
  if (!checked.ok) return checked;
  return writeTitle(note, found, checked.title, escapeText(checked.title));
}

/** Replaces a task's title by what a person typed, and the fields that were typed with it. */
function typedEdits(key: string, { title, written, fields, facts }: TypedTask): readonly Edit[] {
  return [
    (note) => {
      const found = locateTaskLine(note, key);
      return found.ok ? writeTitle(note, found, title, written) : found;
    },
    ...fields.map((field) => (note: Note) => writeTypedField(note, key, field, facts)),
  ];
}

/** @param written the title with its escapes */
function writeTitle(
  note: Note,
  found: LocatedTaskLine,
  title: string,
  written: string,
): EditResult {
  if (title === found.task.title) return note;
  const { line } = found;
  const first = line.pieces.find((piece) => piece.start < line.tail.start);
  const splices = line.pieces
    .filter((piece) => piece !== first)
    .map((piece) => removePart(note.text, found, piece.start, piece.end));
  if (first) splices.push({ from: first.start, to: first.end, text: written });
  else splices.push(insertWords(note.text, found, line.from, written));
  return editLine(note, found, splices, { title });
}

/** Replaces the field if the line has it; else inserts it before the tail or at the tail's end. */
function writeTypedField(
  note: Note,
  key: string,
  { kind, text: words }: TypedField,
  facts: LineFacts,
): EditResult {
  const found = locateTaskLine(note, key);
  if (!found.ok) return found;
  const { line } = found;
  const named = typeof kind === 'object';
  const [effective, ...others] = named
    ? line.fields.filter((field) => field.key === kind.name)
    : fieldsOf(line, kind);
  const splices = others.map((field) => removeField(note.text, found, field));
  if (effective) splices.push({ from: effective.start, to: effective.end, text: words });
  else {
    const at = named || isDataview(words, { start: 0 }) ? line.headEnd : tailEnd(note.text, found);
    splices.push(insertWords(note.text, found, at, words));
  }
  const name = named ? kind.name : kind;
  const expected = Object.fromEntries(Object.entries(facts).filter(([fact]) => fact === name));
  return editLine(note, found, splices, expected);
}

/**
 * Replaces all prerequisites (`⛔`), in the order given, without duplicates; an empty list removes
 * the field. Callers have to check for cycles.
 */
export function setTaskDependsOn(note: Note, key: string, ids: readonly string[]): EditResult {
  const found = locateTaskLine(note, key);
  if (!found.ok) return found;
  const bad = ids.find((id) => !ANY_ID.test(id));
  if (bad !== undefined) return fault('bad_id', `"${bad}" can't be the id of a task.`);
  const { line, task } = found;
  const wanted = [...new Set(ids)].join(',');
  if (wanted === task.dependsOn.join(',')) return note;
  const [last, ...others] = fieldsOf(line, 'dependsOn');
  const [id] = fieldsOf(line, 'id');
  const splices = others.map((field) => removeField(note.text, found, field));
  if (last && wanted === '') splices.push(removeField(note.text, found, last));
  else if (last) splices.push({ from: last.from, to: last.to, text: wanted });
  else {
    const words = writtenField(line, 'dependsOn', wanted);
    splices.push(insertWords(note.text, found, id?.end ?? line.headEnd, words));
  }
  return editLine(note, found, splices, { dependsOn: [...new Set(ids)] });
}

function dateSplices(
  text: string,
  found: LocatedTaskLine,
  status: Status,
  today: string,
): readonly Splice[] {
  const kind = status === 'completed' || status === 'cancelled' ? DATE_OF[status][0] : undefined;
  const dates = fieldsOf(found.line, 'done', 'cancelled');
  const kept = dates.find((field) => field.kind === kind);
  const splices = dates
    .filter((field) => field !== kept)
    .map((field) => removeField(text, found, field));
  if (kept) splices.push({ from: kept.from, to: kept.to, text: today });
  else if (kind !== undefined) {
    const words = writtenField(found.line, kind, today);
    splices.push(insertWords(text, found, tailEnd(text, found), words));
  }
  return splices;
}

/** Values to set; null removes a field, missing ones stay as they are. */
export interface FieldValues extends Readonly<Partial<Record<OwnField, string | null>>> {
  readonly priority?: Priority;
  /** `YYYY-MM-DD` */
  readonly due?: string | null;
}

/**
 * Sets fields of a task line in place. New bracket fields go before the tail, the priority after id
 * and prerequisites, the due date at the tail's end.
 */
export function setTaskFields(note: Note, key: string, given: FieldValues): EditResult {
  const found = locateTaskLine(note, key);
  if (!found.ok) return found;
  const checked = checkFields(given);
  if (!checked.ok) return checked;
  const { values } = checked;
  const splices = [
    ...ownSplices(note.text, found, values),
    ...prioritySplices(note.text, found, values.priority),
    ...dueSplices(note.text, found, values.due),
  ];
  return editLine(note, found, splices, values);
}

/** Checks that values have one line and trims them; an empty one becomes null. */
export function checkFields(given: FieldValues): { ok: true; values: FieldValues } | Fault {
  const values: Partial<Record<OwnField | 'due', string | null>> = {};
  for (const name of [...OWN_FIELDS, 'due'] as const) {
    const value = given[name];
    if (value === undefined) continue;
    if (value === null || value.trim() === '') {
      values[name] = null;
      continue;
    }
    const checked = checkTitle(value, name, name === 'reason' ? 'bad_reason' : 'bad_value');
    if (!checked.ok) return checked;
    values[name] = checked.title;
  }
  const { due } = values;
  if (due !== undefined && due !== null && !/^\d{4}-\d\d-\d\d$/.test(due)) {
    return fault('bad_value', `"${due}" is not a date. Send it as 2026-11-28.`);
  }
  const { priority } = given;
  return { ok: true, values: { ...values, ...(priority !== undefined && { priority }) } };
}

/** The set fields as text, such as `[owner:: me] [risk:: high]`, in the order of `OWN_FIELDS`. */
export function formatFields(values: FieldValues, names: readonly OwnField[] = OWN_FIELDS): string {
  return names
    .flatMap((name) => {
      const value = values[name];
      return value === undefined || value === null
        ? []
        : [`[${name}:: ${escapeFieldValue(value)}]`];
    })
    .join(' ');
}

function ownSplices(text: string, found: LocatedTaskLine, values: FieldValues): readonly Splice[] {
  const splices: Splice[] = [];
  const added: OwnField[] = [];
  for (const name of OWN_FIELDS) {
    const value = values[name];
    if (value === undefined || value === found.task[name]) continue;
    const existing = found.line.fields.filter(({ key }) => key === name);
    const [first] = existing;
    if (value === null) {
      splices.push(...existing.map(({ start, end }) => removePart(text, found, start, end)));
    } else if (first) {
      splices.push({ from: first.from, to: first.to, text: escapeFieldValue(value) });
    } else added.push(name);
  }
  const words = formatFields(values, added);
  return words === '' ? splices : [...splices, insertWords(text, found, found.line.headEnd, words)];
}

function prioritySplices(
  text: string,
  found: LocatedTaskLine,
  priority: Priority | undefined,
): readonly Splice[] {
  if (priority === undefined || priority === found.task.priority) return [];
  const { line } = found;
  const written = writtenPriority(line, priority);
  const existing = fieldsOf(line, 'priority');
  const [last] = existing;
  if (written === undefined) return removeFields(text, found, existing);
  if (last && isDataview(text, last)) {
    return [{ from: last.from, to: last.to, text: priorityWord(priority) ?? '' }];
  }
  if (last) {
    const size = String.fromCodePoint(text.codePointAt(last.start) ?? 0).length;
    return [{ from: last.start, to: last.start + size, text: priorityEmoji(priority) ?? '' }];
  }
  const [behind] = fieldsOf(line, 'id', 'dependsOn').toSorted((a, b) => b.end - a.end);
  return [insertWords(text, found, behind?.end ?? line.headEnd, written)];
}

function dueSplices(
  text: string,
  found: LocatedTaskLine,
  due: string | null | undefined,
): readonly Splice[] {
  if (due === undefined || due === found.task.due) return [];
  const existing = fieldsOf(found.line, 'due');
  const [last] = existing;
  if (due === null) return removeFields(text, found, existing);
  if (last) return [{ from: last.from, to: last.to, text: due }];
  return [insertWords(text, found, tailEnd(text, found), writtenField(found.line, 'due', due))];
}

function removeFields(
  text: string,
  found: LocatedTaskLine,
  fields: readonly TailField[],
): readonly Splice[] {
  return fields.map((field) => removeField(text, found, field));
}

/** Maximum length of the text under a task, in UTF-16 code units. */
const LONGEST = 20_000;

/**
 * Replaces the text under a task (its lines other than subtasks) by `body`; an empty one removes
 * it. Refuses text that would not be read as text: task lines, an unclosed code block or comment,
 * control characters.
 */
export function setTaskBody(note: Note, key: string, body: string): EditResult {
  const found = locateTask(note, key);
  if (!found.ok) return found;
  const wanted = bodyLines(body);
  if (typeof wanted === 'string') return fault('bad_body', wanted);
  const { task, layout, block, index } = found;
  const said = wanted.filter((line) => line !== '');
  if (said.join('\n') === bodyText(task)) return note;
  // The unindented rest of a paragraph belongs to no body, so it stays.
  const old = ownLines(note.text, layout.scan, index).filter(
    (line) => columnOf(note.text, line) > block.column,
  );
  const now = withSplices(note, [
    ...removals(note.text, old),
    ...insertion(note, layout, found, wanted),
  ]);
  const open = countUnclosed(now.layout) > countUnclosed(layout);
  const same = bodyText(now.board.tasks[index]) === said.join('\n');
  if (same && !open && differsOnlyInBody(note, now, index)) return now;
  return fault(
    'bad_body',
    `The body of "${task.title}" would not be read as its text. ${BODY_HINT}`,
  );
}

function bodyText(task: Task | undefined): string | undefined {
  return task?.body.filter((line) => line !== '').join('\n');
}

/** Whether all tasks are equal, except for the body of the one at `index`. */
export function differsOnlyInBody({ board }: Note, now: Note, index: number): boolean {
  const body = board.tasks[index]?.body ?? [];
  const rest = now.board.tasks.map((one, at) => (at === index ? { ...one, body } : one));
  return sameTasks(board.tasks, rest, true);
}

/** Number of unclosed blocks that not even a blank line ends. */
function countUnclosed(layout: Layout | null): number {
  return layout?.scan.dangling.filter(({ untilBlank }) => !untilBlank).length ?? 0;
}

const BODY_HINT =
  'Send plain lines: no "- [ ]" (add subtasks with parent), and close code blocks and comments.';

/**
 * The lines without their common indentation and without blank lines around them; or a message that
 * says what is wrong.
 */
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

/** Removes whole lines, and blank lines between two of them. */
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
  { block }: LocatedTask,
  lines: readonly string[],
): readonly Splice[] {
  if (lines.length === 0) return [];
  const [line] = lineSpansBetween(text, block.start, block.lineEnd + 1);
  const eol = text.slice(block.lineEnd, line?.next) || layout.eol;
  const { indent } = indentInside(text, block);
  const put = lines.map((one) => eol + (one === '' ? '' : indent + one)).join('');
  return [{ from: block.lineEnd, to: block.lineEnd, text: put }];
}

/** A task of a note with its position, which an edit of its line needs. */
export interface LocatedTask {
  readonly ok: true;
  readonly task: Task;
  readonly index: number;
  readonly block: TaskBlock;
  readonly layout: Layout;
}

export interface LocatedTaskLine extends LocatedTask {
  readonly line: TaskLine;
}

export function locateTask(note: Note, key: string): LocatedTask | Fault {
  const { layout, board } = note;
  if (!layout) return refuseBroken(note);
  const index = board.tasks.findIndex((task) => task.key === key);
  const task = board.tasks[index];
  const block = layout.scan.blocks[index];
  if (!task || !block) return fault('unknown_task', `There is no task ${key} on this board.`);
  return { ok: true, task, index, block, layout };
}

/** Finds a task and the parts of its line; refused if its tail is malformed. */
export function locateTaskLine(note: Note, key: string): LocatedTaskLine | Fault {
  const found = locateTask(note, key);
  if (!found.ok) return found;
  const { block } = found;
  const line = readTaskLine(note.text, block.after, block.lineEnd);
  if (line.stray === null) return { ...found, line };
  const { reason, said } = textAfterIdProblem(block.line, line.stray);
  const text = note.text.slice(block.marker, block.lineEnd);
  return refuseChange('malformed_tail', 'malformed', { why: [reason, said], text });
}

/**
 * Applies splices inside one task line and parses the line again. Refuses an edit that would change
 * anything else in it (a stray backtick may pair with a new one).
 * @param expected values that the line must have afterwards; all others must be unchanged
 * @param header splices of the note's header, applied together with them
 */
export function editLine(
  note: Note,
  { block, task }: LocatedTaskLine,
  splices: readonly Splice[],
  expected: Partial<LineFacts> & { readonly title?: string; readonly id?: string } = {},
  header: readonly Splice[] = [],
): EditResult {
  if (splices.length === 0) return note;
  const { start } = block;
  const own = splices.map(({ from, to, text }) => ({ from: from - start, to: to - start, text }));
  const edited = applySplices(note.text.slice(start, block.lineEnd), own);
  const line = readTaskLine(edited, block.after - start, edited.length);
  const facts = lineFacts(edited, line);
  const same =
    line.stray === null &&
    line.title === (expected.title ?? task.title) &&
    idOf(edited, line) === (expected.id ?? task.id) &&
    sameFacts(facts, { ...task, ...expected });
  if (same) return withSplices(note, [...header, ...splices]);
  const written = note.text.slice(block.marker, block.lineEnd);
  return refuseChange('malformed_tail', 'lineNotEdited', {
    line: String(block.line),
    text: written,
  });
}

/** Inserts `words` into the line at `at`, with a blank on each side that has none. */
export function insertWords(
  text: string,
  found: LocatedTaskLine,
  at: number,
  words: string,
): Splice {
  const before = isBlank(text.charCodeAt(at - 1)) ? '' : ' ';
  const behind = at < found.block.lineEnd && !isBlank(text.charCodeAt(at)) ? ' ' : '';
  return { from: at, to: at, text: before + words + behind };
}

/** Removes a part of the line and the blanks before it. */
function removePart(text: string, found: LocatedTaskLine, start: number, end: number): Splice {
  return { from: trimBlanks(text, found.line.from, start), to: end, text: '' };
}

/** Removes a field, and the comma that the Tasks plugin allows after a Dataview field. */
function removeField(text: string, found: LocatedTaskLine, { start, end }: Span): Splice {
  const comma = skipBlanks(text, end, found.block.lineEnd);
  const separates =
    isDataview(text, { start }) &&
    text.charCodeAt(comma) === 0x2c &&
    !found.line.pieces.some((piece) => piece.start === comma);
  return removePart(text, found, start, separates ? comma + 1 : end);
}

/** Where a new field at the end of the tail goes: before the block id, if there is one. */
function tailEnd(text: string, { line }: LocatedTaskLine): number {
  const { blockId, end } = line.tail;
  return blockId ? trimBlanks(text, line.from, blockId.start) : end;
}

function sameFacts({ dependsOn, ...single }: LineFacts, wanted: LineFacts): boolean {
  if (dependsOn.join(',') !== wanted.dependsOn.join(',')) return false;
  return Object.entries(single).every(
    ([name, value]) => value === wanted[name as keyof typeof single],
  );
}

/**
 * A task's title as written in the note: markdown with its escapes, which a markdown renderer shows
 * as the title. Undefined if the line can't be read.
 */
export function writtenTitle(note: Note, key: string): string | undefined {
  const found = locateTaskLine(note, key);
  if (!found.ok) return undefined;
  return found.line.pieces.map(({ start, end }) => note.text.slice(start, end)).join(' ');
}

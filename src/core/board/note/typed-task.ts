import { codeSpans, maskCode } from './code-spans';
import { escapeText, opensComment } from './escape';
import { FIRST_EMOJI_UNIT, tailKind, type TailKind } from './field-syntax';
import { lineFacts, type LineFacts } from './line-facts';
import { fieldsOf, readTaskLine, type TaskLine } from './task-line';
import type { Board, Task } from '../task';
import type { Fault } from '../../fault';
import { refuseChange } from '../change-faults';
import { checkTitle } from './title';

/** A task as typed by a person, in the syntax of the note: title and fields. */
export interface TypedTask {
  readonly ok: true;
  /** trimmed */
  readonly text: string;
  readonly line: TaskLine;
  readonly title: string;
  /** the title with its escapes, without the fields */
  readonly written: string;
  readonly fields: readonly TypedField[];
  readonly facts: LineFacts;
  /** a sentence for the person about field emoji that are part of the title here */
  readonly remark: string | undefined;
}

export interface TypedField {
  /** kind of an emoji field or its Dataview form; else the name of the bracket field */
  readonly kind: TailKind | { readonly name: string };
  /** as it was typed */
  readonly text: string;
}

/** Reads what a person typed as the text of a task line; refused if it is no valid task. */
export function readTypedTask(given: string): TypedTask | Fault {
  const checked = checkTitle(given);
  if (!checked.ok) return checked;
  const text = checked.title;
  const line = readTaskLine(text, 0, text.length);
  const { title } = line;
  if (fieldsOf(line, 'id').length > 0 || line.stray !== null || line.tail.blockId !== null) {
    return refuseChange('bad_title', 'typedId');
  }
  if (title === '') return refuseChange('bad_title', 'typedNoTitle');
  if (opensComment(text)) {
    return refuseChange('bad_title', 'typedComment');
  }
  const fields = typedFields(text, line);
  const wrongDay = fields
    .map((field) => /\d{4}-\d\d-\d\d/.exec(field.text)?.[0])
    .find(isInvalidDate);
  if (wrongDay !== undefined) {
    return refuseChange('bad_value', 'typedDate', { date: wrongDay });
  }
  const written = line.pieces.map(({ start, end }) => text.slice(start, end)).join(' ');
  const facts = lineFacts(text, line);
  return { ok: true, text, line, title, written, fields, facts, remark: remarkOn(written) };
}

/**
 * A title as offered for editing to a person who renames the task; typing it unchanged gives the
 * same title.
 */
export function titleForEditing(title: string): string {
  const read = readTypedTask(title);
  return read.ok && read.title === title && read.fields.length === 0 ? title : escapeText(title);
}

function typedFields(text: string, { tail, fields, dataview }: TaskLine): readonly TypedField[] {
  const kinds = new Map([...tail.fields, ...dataview].map(({ start, kind }) => [start, kind]));
  return [...tail.fields, ...fields]
    .toSorted((a, b) => a.start - b.start)
    .map((field) => ({
      kind: kinds.get(field.start) ?? { name: 'key' in field ? field.key : '' },
      text: text.slice(field.start, field.end),
    }));
}

function isInvalidDate(date: string | undefined): boolean {
  if (date === undefined) return false;
  const day = new Date(`${date}T00:00:00Z`);
  return Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== date;
}

function remarkOn(written: string): string | undefined {
  const masked = maskCode(written, codeSpans(written, true));
  const emoji = [...new Set(masked)].filter((char) => {
    const code = char.codePointAt(0) ?? 0;
    return code >= FIRST_EMOJI_UNIT && tailKind(code) !== undefined;
  });
  if (emoji.length === 0) return undefined;
  const are = emoji.length === 1 ? 'is' : 'are';
  return `${emoji.join(' ')} ${are} part of the title: fields stand at its end, as in ⛔ k3f9-2 📅 2026-11-28 ⏫.`;
}

/** Finds the task that a change of the board added from what was typed. */
export function addedTask(before: Board, now: Board, text: string): Task | undefined {
  const typed = readTypedTask(text);
  const old = new Set(before.tasks.map(({ id }) => id));
  const added = now.tasks.filter(
    ({ id, title }) => !old.has(id) && typed.ok && title === typed.title,
  );
  return added.toSorted((a, b) => (b.n ?? 0) - (a.n ?? 0))[0];
}

/** Text that a notice appends about what was typed: a blank and a sentence, or nothing. */
export function typedRemark(text: string): string {
  const typed = readTypedTask(text);
  return typed.ok && typed.remark !== undefined ? ` ${typed.remark}` : '';
}

/** Reads what a person typed as a task of this board; refused if it would be malformed there. */
export function checkTypedTask(board: Board, text: string): TypedTask | Fault {
  const typed = readTypedTask(text);
  if (!typed.ok) return typed;
  const unknown = typed.facts.dependsOn.find((id) => board.tasks.every((task) => task.id !== id));
  if (unknown === undefined) return typed;
  const meant = `${board.prefix}-${unknown}`;
  const there = board.tasks.some(({ id }) => id === meant);
  if (there) return refuseChange('unknown_task', 'typedNumber', { meant });
  const example = board.tasks.find(({ id }) => id !== null)?.id ?? meant;
  return refuseChange('unknown_task', 'typedUnknown', { id: unknown, example });
}

import { codeSpans, maskCode } from './code-spans';
import { escapeText, opensComment } from './escape';
import { FIRST_EMOJI_UNIT, tailKind, type TailKind } from './field-syntax';
import { lineFacts, type LineFacts } from './line-facts';
import { fieldsOf, readTaskLine, type TaskLine } from './task-line';
import type { Board, Task } from '../task';
import { type Fault, fault } from '../../fault';
import { checkTitle } from './title';

/** What a person typed as a task, in the syntax of the note: title and fields. */
export interface TypedTask {
  readonly ok: true;
  /** without the white space around it */
  readonly text: string;
  readonly line: TaskLine;
  readonly title: string;
  /** the title with its escapes, without the fields that stand in it */
  readonly written: string;
  readonly fields: readonly TypedField[];
  readonly facts: LineFacts;
  /** a sentence for the person about emoji of fields that begin none here */
  readonly remark: string | undefined;
}

export interface TypedField {
  /** of an emoji field or its Dataview form; else the name of the bracket field */
  readonly kind: TailKind | { readonly name: string };
  /** as it was typed */
  readonly text: string;
}

/** Reads what a person typed as the text of a task line; refused where the line would not say it. */
export function readTyped(given: string): TypedTask | Fault {
  const checked = checkTitle(given);
  if (!checked.ok) return checked;
  const text = checked.title;
  const line = readTaskLine(text, 0, text.length);
  const { title } = line;
  if (fieldsOf(line, 'id').length > 0 || line.stray !== null || line.tail.blockId !== null) {
    return fault(
      'bad_title',
      'The board numbers its tasks: leave out 🆔 and ^ with an id. A title that ends with ^x is typed \\^x.',
    );
  }
  if (title === '')
    return fault('bad_title', 'This has no title, only fields. Type what is to be done.');
  if (opensComment(text)) {
    return fault(
      'bad_title',
      'A comment (<!-- or %%) is opened and not closed. Close it, or type a backslash before it.',
    );
  }
  const fields = typedFields(text, line);
  const wrongDay = fields.map((field) => /\d{4}-\d\d-\d\d/.exec(field.text)?.[0]).find(isNoDay);
  if (wrongDay !== undefined) {
    return fault('bad_value', `${wrongDay} is not a date. Type it as in 📅 2026-11-28.`);
  }
  const written = line.pieces.map(({ start, end }) => text.slice(start, end)).join(' ');
  const facts = lineFacts(text, line);
  return { ok: true, text, line, title, written, fields, facts, remark: remarkOn(written) };
}

/** A title as it is offered to a person who renames the task: read as typed, it is the same title. */
export function typedForm(title: string): string {
  const read = readTyped(title);
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

function isNoDay(date: string | undefined): boolean {
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

/** What is wrong with what a person types as a task of this board, in a sentence. */
export function typedProblem(board: Board, text: string): string | undefined {
  const typed = checkTyped(board, text);
  return typed.ok ? undefined : typed.message;
}

/** The task that was added as it was typed, by a change of the board. */
export function addedTask(before: Board, now: Board, text: string): Task | undefined {
  const typed = readTyped(text);
  const old = new Set(before.tasks.map(({ id }) => id));
  const added = now.tasks.filter(
    ({ id, title }) => !old.has(id) && typed.ok && title === typed.title,
  );
  return added.toSorted((a, b) => (b.n ?? 0) - (a.n ?? 0))[0];
}

/** What the notice of a change adds about what was typed; a sentence behind a blank, or nothing. */
export function typedRemark(text: string): string {
  const typed = readTyped(text);
  return typed.ok && typed.remark !== undefined ? ` ${typed.remark}` : '';
}

/** What a person types as a task of this board; refused where it would be malformed there. */
export function checkTyped(board: Board, text: string): TypedTask | Fault {
  const typed = readTyped(text);
  if (!typed.ok) return typed;
  const unknown = typed.facts.dependsOn.find((id) => board.tasks.every((task) => task.id !== id));
  if (unknown === undefined) return typed;
  const meant = `${board.prefix}-${unknown}`;
  const there = board.tasks.some(({ id }) => id === meant);
  return fault(
    'unknown_task',
    there
      ? `⛔ takes ids. Did you mean ⛔ ${meant}?`
      : `⛔ names no task ${unknown} of this board. Type the id of one, as in ⛔ ${board.tasks.find(({ id }) => id !== null)?.id ?? meant}.`,
  );
}

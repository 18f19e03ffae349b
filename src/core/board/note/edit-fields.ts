import type { Priority } from '../task';
import {
  editLine,
  findLine,
  insertWords,
  removeField,
  removePart,
  tailEnd,
  type FoundLine,
} from './edit-line';
import { refuse, type EditRefusal, type EditResult } from './edit-result';
import { isDataview, priorityWord } from './dataview';
import { escapeFieldValue } from './escape';
import { OWN_FIELDS, priorityEmoji, type OwnField } from './line-facts';
import type { Note } from './note';
import type { Splice } from './splice';
import type { TailField } from './tail';
import { fieldsOf } from './task-line';
import { checkTitle } from './title';
import { writtenField, writtenPriority } from './written-field';

/** Values to set; null takes a field away, what is left out stays. */
export interface FieldValues extends Readonly<Partial<Record<OwnField, string | null>>> {
  readonly priority?: Priority;
  /** `YYYY-MM-DD` */
  readonly due?: string | null;
}

/**
 * Sets fields of a task line, each where it stands; new bracket fields go before the tail, the
 * priority behind id and prerequisites, the due date at the tail's end.
 */
export function setTaskFields(note: Note, key: string, given: FieldValues): EditResult {
  const found = findLine(note, key);
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

/** Values of one line each, white space around them taken off; an empty one is null. */
export function checkFields(given: FieldValues): { ok: true; values: FieldValues } | EditRefusal {
  const values: Partial<Record<OwnField | 'due', string | null>> = {};
  for (const name of [...OWN_FIELDS, 'due'] as const) {
    const value = given[name];
    if (value === undefined) continue;
    if (value === null || value.trim() === '') {
      values[name] = null;
      continue;
    }
    const checked = checkTitle(value, name);
    if (!checked.ok) return { ...checked, code: name === 'reason' ? 'bad_reason' : 'bad_value' };
    values[name] = checked.title;
  }
  const { due } = values;
  if (due !== undefined && due !== null && !/^\d{4}-\d\d-\d\d$/.test(due)) {
    return refuse('bad_value', `"${due}" is no date. Send it as 2026-11-28.`);
  }
  const { priority } = given;
  return { ok: true, values: { ...values, ...(priority !== undefined && { priority }) } };
}

/** `[owner:: me] [risk:: high]` of all that are set, in the order of `OWN_FIELDS`. */
export function fieldWords(values: FieldValues, names: readonly OwnField[] = OWN_FIELDS): string {
  return names
    .flatMap((name) => {
      const value = values[name];
      return value === undefined || value === null
        ? []
        : [`[${name}:: ${escapeFieldValue(value)}]`];
    })
    .join(' ');
}

function ownSplices(text: string, found: FoundLine, values: FieldValues): readonly Splice[] {
  const splices: Splice[] = [];
  const added: OwnField[] = [];
  for (const name of OWN_FIELDS) {
    const value = values[name];
    if (value === undefined || value === found.task[name]) continue;
    const standing = found.line.fields.filter(({ key }) => key === name);
    const [first] = standing;
    if (value === null) {
      splices.push(...standing.map(({ start, end }) => removePart(text, found, start, end)));
    } else if (first) {
      splices.push({ from: first.from, to: first.to, text: escapeFieldValue(value) });
    } else added.push(name);
  }
  const words = fieldWords(values, added);
  return words === '' ? splices : [...splices, insertWords(text, found, found.line.headEnd, words)];
}

function prioritySplices(
  text: string,
  found: FoundLine,
  priority: Priority | undefined,
): readonly Splice[] {
  if (priority === undefined || priority === found.task.priority) return [];
  const { line } = found;
  const written = writtenPriority(line, priority);
  const standing = fieldsOf(line, 'priority');
  const [last] = standing;
  if (written === undefined) return removed(text, found, standing);
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
  found: FoundLine,
  due: string | null | undefined,
): readonly Splice[] {
  if (due === undefined || due === found.task.due) return [];
  const standing = fieldsOf(found.line, 'due');
  const [last] = standing;
  if (due === null) return removed(text, found, standing);
  if (last) return [{ from: last.from, to: last.to, text: due }];
  return [insertWords(text, found, tailEnd(text, found), writtenField(found.line, 'due', due))];
}

function removed(text: string, found: FoundLine, fields: readonly TailField[]): readonly Splice[] {
  return fields.map((field) => removeField(text, found, field));
}

import type { Priority } from '../task';
import type { TailKind } from './field-emoji';
import { isFieldValue } from './field-value';
import { skipBlanks, trimBlanks } from './list-item';
import type { BracketField } from './head';
import type { TailField } from './tail';

/** The names that the Obsidian Tasks plugin gives its fields in the Dataview dialect: `[due:: 2026-11-28]`. */
const KIND_OF: ReadonlyMap<string, TailKind> = new Map([
  ['id', 'id'],
  ['dependsOn', 'dependsOn'],
  ['priority', 'priority'],
  ['created', 'created'],
  ['start', 'start'],
  ['scheduled', 'scheduled'],
  ['due', 'due'],
  ['completion', 'done'],
  ['cancelled', 'cancelled'],
  ['repeat', 'recurrence'],
  ['onCompletion', 'onCompletion'],
]);

const NAME_OF: ReadonlyMap<TailKind, string> = new Map(
  [...KIND_OF].map(([name, kind]) => [kind, name]),
);

const PRIORITY_OF: ReadonlyMap<string, Priority> = new Map([
  ['highest', 'critical'],
  ['high', 'high'],
  ['medium', 'medium'],
  ['low', 'low'],
  ['lowest', 'lowest'],
]);

const WORD_OF: ReadonlyMap<Priority, string> = new Map(
  [...PRIORITY_OF].map(([word, priority]) => [priority, word]),
);

const REPEAT = /^[A-Za-z0-9, !]+$/;
const NO_FIELDS: readonly TailField[] = [];

/** Those of the bracket fields that say in the Dataview dialect what an emoji field says; from left to right. */
export function dataviewFields(
  text: string,
  fields: readonly BracketField[],
): readonly TailField[] {
  if (fields.length === 0) return NO_FIELDS;
  return fields.flatMap(({ key, start, end, from, to }) => {
    const kind = dataviewKind(key, text, from, to);
    return kind === undefined ? [] : [{ kind, start, end, from, to }];
  });
}

export function isDataviewField(text: string, { key, from, to }: BracketField): boolean {
  return dataviewKind(key, text, from, to) !== undefined;
}

/** What a field of that name and value says, undefined where it is no field of the dialect. */
function dataviewKind(name: string, text: string, from: number, to: number): TailKind | undefined {
  const kind = KIND_OF.get(name);
  if (kind === undefined) return undefined;
  if (kind === 'priority') return PRIORITY_OF.has(text.slice(from, to)) ? kind : undefined;
  if (kind === 'recurrence') return REPEAT.test(text.slice(from, to)) ? kind : undefined;
  return isFieldValue(kind, text, from, to) ? kind : undefined;
}

/** `(due:: 2026-11-28)` that begins at `start`: a field of the dialect whose value fits, else undefined. */
export function readParenField(text: string, start: number, end: number): BracketField | undefined {
  if (!opensParenField(text, start, end)) return undefined;
  const colons = text.indexOf('::', start);
  let close = colons + 2;
  while (close < end && !'()[]\\`'.includes(text.charAt(close))) close += 1;
  if (close >= end || text.charCodeAt(close) !== 0x29) return undefined;
  const key = text.slice(start + 1, colons).trim();
  const from = skipBlanks(text, colons + 2, close);
  const to = trimBlanks(text, from, close);
  if (dataviewKind(key, text, from, to) === undefined) return undefined;
  return { key, start, end: close + 1, from, to };
}

/** Whether `(` at `at` begins with a name of the dialect and `::`; only then can it be a field. */
export function opensParenField(text: string, at: number, end: number): boolean {
  if (text.charCodeAt(at) !== 0x28) return false;
  const from = skipBlanks(text, at + 1, end);
  let to = from;
  while (to < end && isLetter(text.charCodeAt(to))) to += 1;
  const colons = skipBlanks(text, to, end);
  if (colons + 1 >= end || text.charCodeAt(colons) !== 0x3a) return false;
  return text.charCodeAt(colons + 1) === 0x3a && KIND_OF.has(text.slice(from, to));
}

/** Whether a field stands in brackets or parentheses: in the Dataview dialect. */
export function isDataview(text: string, { start }: { readonly start: number }): boolean {
  const first = text.charCodeAt(start);
  return first === 0x5b || first === 0x28;
}

/** `[due:: 2026-11-28]` */
export function dataviewWords(kind: TailKind, value: string): string {
  return `[${NAME_OF.get(kind) ?? kind}:: ${value}]`;
}

export function dataviewPriority(word: string): Priority | undefined {
  return PRIORITY_OF.get(word);
}

/** The word for a priority, undefined for the normal one. */
export function priorityWord(priority: Priority): string | undefined {
  return WORD_OF.get(priority);
}

function isLetter(char: number): boolean {
  return (char >= 0x61 && char <= 0x7a) || (char >= 0x41 && char <= 0x5a);
}

import type { Span } from './code-spans';
import { skipBlanks, trimBlanks } from './lines';
import type { Priority } from '../task';

/**
 * Kinds of the fields in the tail of a task line, each begun by an emoji (the syntax of the
 * Obsidian Tasks plugin).
 */
export type TailKind =
  | 'id'
  | 'dependsOn'
  | 'priority'
  | 'created'
  | 'start'
  | 'scheduled'
  | 'due'
  | 'done'
  | 'cancelled'
  | 'recurrence'
  | 'onCompletion';

/** The lowest UTF-16 code unit at either end of these emoji; ordinary text is below it. */
export const FIRST_EMOJI_UNIT = 0x23eb;

const TAIL_KINDS: ReadonlyMap<number, TailKind> = new Map([
  [0x1f194, 'id'],
  [0x26d4, 'dependsOn'],
  ...[0x1f53a, 0x23eb, 0x1f53c, 0x1f53d, 0x23ec].map((point) => [point, 'priority'] as const),
  [0x2795, 'created'],
  [0x1f6eb, 'start'],
  [0x23f3, 'scheduled'],
  [0x1f4c5, 'due'],
  [0x2705, 'done'],
  [0x274c, 'cancelled'],
  [0x1f501, 'recurrence'],
  [0x1f3c1, 'onCompletion'],
]);

/** The kind of field that a code point begins, undefined for none. */
export function tailKind(codePoint: number): TailKind | undefined {
  return TAIL_KINDS.get(codePoint);
}

/** `[key:: value]`, or `(key:: value)` in the Dataview dialect; offsets into the note's text. */
export interface BracketField extends Span {
  readonly key: string;
  /** range of the value, without blanks around it */
  readonly from: number;
  readonly to: number;
}

/** An emoji and its value; offsets into the note's text. */
export interface TailField extends Span {
  readonly kind: TailKind;
  /** range of the value */
  readonly from: number;
  readonly to: number;
}

/** Whether the text from `from` to `to` is a valid value for a field of that kind. */
export function isFieldValue(kind: TailKind, text: string, from: number, to: number): boolean {
  if (kind === 'priority') return from === to;
  if (kind === 'id' || kind === 'dependsOn') return areIds(text, from, to, kind === 'dependsOn');
  if (kind === 'recurrence') return from < to;
  if (kind === 'onCompletion') return /^[A-Za-z]+$/.test(text.slice(from, to));
  return isDate(text, from, to);
}

const UNDERSCORE = 0x5f;

/** By character: 1 for characters of ids, 2 for `_`. A lookup takes half as long as comparisons. */
const WORD = Uint8Array.from({ length: 128 }, (_, char) => {
  if (char === UNDERSCORE) return 2;
  return /[A-Za-z0-9-]/.test(String.fromCharCode(char)) ? 1 : 0;
});

/** `A-Za-z0-9_-` */
function isWordChar(char: number): boolean {
  return char < 128 && WORD[char] !== 0;
}

/** Offset after the characters `A-Za-z0-9-` (those of a block id) from `from` on. */
export function blockIdEnd(text: string, from: number, end: number): number {
  let at = from;
  for (; at < end; at += 1) {
    const char = text.charCodeAt(at);
    if (char >= 128 || WORD[char] !== 1) break;
  }
  return at;
}

/** Offset after the characters `A-Za-z0-9_-` from `from` on. */
function wordEnd(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && isWordChar(text.charCodeAt(at))) at += 1;
  return at;
}

/** Whether the text is one id, or several with commas between them and blanks around the commas. */
function areIds(text: string, from: number, to: number, several: boolean): boolean {
  let at = from;
  for (;;) {
    const start = at;
    at = wordEnd(text, at, to);
    if (at === start) return false;
    if (at === to) return true;
    at = skipBlanks(text, at, to);
    if (!several || text.charCodeAt(at) !== 0x2c) return false;
    at = skipBlanks(text, at + 1, to);
  }
}

/** Whether the text has the form `YYYY-MM-DD`; the day need not exist. */
function isDate(text: string, from: number, to: number): boolean {
  if (to - from !== 10) return false;
  for (let i = 0; i < 10; i += 1) {
    const char = text.charCodeAt(from + i);
    if (i === 4 || i === 7 ? char !== 0x2d : char < 0x30 || char > 0x39) return false;
  }
  return true;
}

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

/** The bracket fields that are Dataview spellings of tail fields, from left to right. */
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

/** Kind of a Dataview field with this name and value; undefined if it is not one. */
function dataviewKind(name: string, text: string, from: number, to: number): TailKind | undefined {
  const kind = KIND_OF.get(name);
  if (kind === undefined) return undefined;
  if (kind === 'priority') return PRIORITY_OF.has(text.slice(from, to)) ? kind : undefined;
  if (kind === 'recurrence') return REPEAT.test(text.slice(from, to)) ? kind : undefined;
  return isFieldValue(kind, text, from, to) ? kind : undefined;
}

/** Reads `(due:: 2026-11-28)` at `start`: a Dataview field with a valid value, else undefined. */
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

/** Whether a `(` at `at` is followed by a name of the dialect and `::`, as in every such field. */
export function opensParenField(text: string, at: number, end: number): boolean {
  if (text.charCodeAt(at) !== 0x28) return false;
  const from = skipBlanks(text, at + 1, end);
  let to = from;
  while (to < end && isLetter(text.charCodeAt(to))) to += 1;
  const colons = skipBlanks(text, to, end);
  if (colons + 1 >= end || text.charCodeAt(colons) !== 0x3a) return false;
  return text.charCodeAt(colons + 1) === 0x3a && KIND_OF.has(text.slice(from, to));
}

/** Whether a field is written in brackets or parentheses, that is in the Dataview dialect. */
export function isDataview(text: string, { start }: { readonly start: number }): boolean {
  const first = text.charCodeAt(start);
  return first === 0x5b || first === 0x28;
}

/** `[due:: 2026-11-28]` */
export function formatDataviewField(kind: TailKind, value: string): string {
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

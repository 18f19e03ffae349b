import * as z from 'zod/mini';
import type { SentenceValues } from '../../fault/sentence';
import { lazy } from '../../lazy';
import { orElse } from '../../or-else';
import { isArchivedList } from '../archive/archived-numbers';
import { noteProblem, REVIEW_MODES, type NoteFault, type Problem, type ReviewMode } from '../task';
import { byteLength } from '../answer/text-budget';
import { isConflictMarker } from './blocks';
import { LineScanner, trimBlanks } from './lines';
import {
  CORE_SCHEMA,
  DUMP_SCHEMA,
  EVENT_ID,
  getScalarValue,
  load,
  parseEvents,
  SCALAR_STYLE,
  YAMLException,
} from 'js-yaml';

/** A value of the header; offsets into the note's text. */
interface HeaderValue {
  /** the scalar as written, `2024` and `true` too; null for a list or map */
  readonly text: string | null;
  /** offset of its key */
  readonly at: number;
  /** range that a new value replaces; -1 if it can't be replaced */
  readonly from: number;
  readonly to: number;
  /** the value continues after the line of its key */
  readonly continued?: true;
}

type HeaderValues = ReadonlyMap<string, HeaderValue>;

type HeaderValuesRead =
  | { readonly ok: true; readonly values: HeaderValues }
  | { readonly ok: false; readonly at: number; readonly fault: HeaderFault };

type HeaderFault = readonly [NoteFault, SentenceValues?];

/** A header is a flat list; deeper nesting than this is not parsed. */
const MAX_DEPTH = 16;

type YamlEvent = ReturnType<typeof parseEvents>[number];

type Scalar = Extract<YamlEvent, { type: typeof EVENT_ID.SCALAR }>;

/**
 * Reads the keys of a header and the position of each value, so that one value can be replaced
 * without changing the rest. Rejects aliases, anchors, tags, duplicate keys and several documents.
 * Values are text; the schema interprets them.
 * @param offset of `yaml` in the note
 */
function readHeaderValues(yaml: string, offset: number): HeaderValuesRead {
  const plain = plainHeader(yaml, offset);
  return plain ? { ok: true, values: plain } : readYaml(yaml, offset);
}

/** The same for any header, with the same result as `plainHeader` if that can read it. */
export function readYaml(yaml: string, offset: number): HeaderValuesRead {
  let events: readonly YamlEvent[];
  try {
    events = parseEvents(yaml, { maxDepth: MAX_DEPTH });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const at = error.mark?.position ?? 0;
    return { ok: false, at: offset + at, fault: ['noYaml', { why: error.reason }] };
  }
  const special = events.find(isSpecial);
  if (special) return { ok: false, at: offset + offsetOfSpecial(special), fault: ['anchor'] };
  return readMapping(yaml, offset, events);
}

function readMapping(yaml: string, offset: number, events: readonly YamlEvent[]): HeaderValuesRead {
  const values = new Map<string, HeaderValue>();
  const root = events[1];
  const documents = events.filter((event) => event.type === EVENT_ID.DOCUMENT).length;
  if (root === undefined) return { ok: true, values };
  if (root.type !== EVENT_ID.MAPPING || yaml.charAt(root.start) === '{' || documents > 1) {
    return { ok: false, at: offset, fault: ['noList'] };
  }
  let i = 2;
  while (i < events.length && events[i]?.type !== EVENT_ID.POP) {
    const key = events[i];
    const value = events[i + 1];
    i = indexAfterNode(events, indexAfterNode(events, i));
    const next = events[i];
    if (key?.type !== EVENT_ID.SCALAR || value === undefined || key.valueStart < 0) continue;
    const name = getScalarValue(yaml, key);
    const at = offset + key.valueStart;
    if (values.has(name)) return { ok: false, at, fault: ['twice', { key: name }] };
    values.set(name, headerValue(yaml, offset, [key, value], startOf(yaml, next)));
  }
  return { ok: true, values };
}

/** @param end of the range that can belong to the value */
function headerValue(
  yaml: string,
  offset: number,
  [key, value]: readonly [Scalar, YamlEvent],
  end: number,
): HeaderValue {
  const at = offset + key.valueStart;
  const keyEnd = key.valueEnd + (isQuoted(key) ? 1 : 0);
  if (value.type !== EVENT_ID.SCALAR) {
    const written = yaml.slice(keyEnd, end).replace(/(?:[\r\n]+[ \t]*(?:#[^\r\n]*)?)+$/, '');
    return { text: null, at, from: -1, to: -1, ...continued(written) };
  }
  const text = value.valueStart < 0 ? '' : getScalarValue(yaml, value);
  const colon = skipSpaces(yaml, keyEnd);
  if (yaml.charAt(colon) !== ':') {
    return { text, at, from: -1, to: -1, ...continued(yaml.slice(keyEnd, value.valueEnd)) };
  }
  const [from, to] = valueSpan(yaml, colon + 1, value);
  const place = { text, at, from: offset + from, to: offset + to };
  return { ...place, ...continued(yaml.slice(keyEnd, to)) };
}

function continued(written: string): Pick<HeaderValue, 'continued'> {
  return /[\r\n]/.test(written) ? { continued: true } : {};
}

/** Start of the line that contains a key; the end of the header if there is no key. */
function startOf(yaml: string, key: YamlEvent | undefined): number {
  if (key === undefined || !('start' in key || 'valueStart' in key)) return yaml.length;
  const at = 'start' in key ? key.start : key.valueStart;
  return Math.max(yaml.lastIndexOf('\n', at - 1), yaml.lastIndexOf('\r', at - 1)) + 1;
}

/** From after the blanks behind the colon to the value's end, with a block scalar's indicator. */
function valueSpan(yaml: string, colonEnd: number, value: Scalar): readonly [number, number] {
  if (value.valueStart < 0) return [colonEnd, colonEnd];
  if (value.style === SCALAR_STYLE.PLAIN) return [value.valueStart, value.valueEnd];
  if (isQuoted(value)) return [value.valueStart - 1, value.valueEnd + 1];
  let end = value.valueEnd;
  while (end > colonEnd && /\s/.test(yaml.charAt(end - 1))) end -= 1;
  return [skipSpaces(yaml, colonEnd), end];
}

/** Index of the event after the node at `i`. */
function indexAfterNode(events: readonly YamlEvent[], i: number): number {
  let depth = 0;
  do {
    const type = events[i]?.type;
    if (type === EVENT_ID.MAPPING || type === EVENT_ID.SEQUENCE) depth += 1;
    if (type === EVENT_ID.POP) depth -= 1;
    i += 1;
  } while (depth > 0);
  return i;
}

function isSpecial(event: YamlEvent): boolean {
  if (event.type === EVENT_ID.ALIAS) return true;
  return 'anchorStart' in event && (event.anchorStart >= 0 || event.tagStart >= 0);
}

function offsetOfSpecial(event: YamlEvent): number {
  if (!('anchorStart' in event)) return 0;
  return Math.max(event.anchorStart, 'tagStart' in event ? event.tagStart : -1);
}

function isQuoted(scalar: Scalar): boolean {
  return scalar.style === SCALAR_STYLE.SINGLE_QUOTED || scalar.style === SCALAR_STYLE.DOUBLE_QUOTED;
}

function skipSpaces(yaml: string, at: number): number {
  while (yaml.charAt(at) === ' ' || yaml.charAt(at) === '\t') at += 1;
  return at;
}

/** A number of the header; 0 if it is missing or not a whole number up to `most`. */
function counter(most: number) {
  const read = z.transform((text: string) => wholeNumber(text, most) ?? 0);
  return orElse(z.pipe(z.string(), read), 0);
}

/** Undefined for anything but a whole number from 0 to `most`. */
function wholeNumber(text: string | null, most: number): number | undefined {
  if (text === null || !/^[ \t]*[0-9]+[ \t]*$/.test(text)) return undefined;
  const n = Number(text);
  return n <= most ? n : undefined;
}

/** Ids have at most fifteen digits. */
const MAX_NEXT = 999_999_999_999_999;

export const MAX_REV = Number.MAX_SAFE_INTEGER;

/** The header of a board note, format 1. Other keys are kept and ignored. */
const headerSchema = lazy(() =>
  z.object({
    board: z.literal('1'),
    session: z.string().check(z.minLength(1)),
    agent: z.string().check(z.minLength(1)),
    title: z.optional(z.string()),
    prefix: z.string().check(z.regex(/^(?=.*[a-z])[0-9a-z]{4}$/)),
    next: counter(MAX_NEXT),
    rev: counter(MAX_REV),
    /** the session in which the plan continues: programs no longer change this board */
    continued: z.optional(z.string().check(z.minLength(1))),
    /** `true`: views hide the board */
    shelved: z.optional(z.string()),
    /** which completions of agents wait for the person's review */
    review: z.optional(z.string()),
  }),
);

type HeaderData = z.infer<ReturnType<typeof headerSchema>>;

/** Offsets into the note's text. */
export interface Header {
  readonly data: HeaderData;
  readonly values: HeaderValues;
  /** invalid counters, which stay as written and count as missing */
  readonly problems: readonly Problem[];
  /** offset of its closing line */
  readonly close: number;
  /** offset of the line after that, and the number of lines before it */
  readonly end: number;
  readonly lines: number;
}

type HeaderRead =
  | { readonly ok: true; readonly header: Header }
  | { readonly ok: false; readonly problem: Problem };

const MAX_HEADER_BYTES = 65_536;

const BYTE_ORDER_MARK = 0xfeff;

/** Reads the front matter of a note. Problems are worded for a person and give their line. */
export function readHeader(text: string): HeaderRead {
  const from = text.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0;
  const lines = new LineScanner(text, from, 0);
  if (!lines.advance() || !isDelimiter(text, lines)) {
    return broken(1, 'noHeader');
  }
  const start = lines.next;
  let lastKey = 1;
  let inKeys = true;
  while (lines.advance() && lines.start - start <= MAX_HEADER_BYTES) {
    if (isConflictMarker(text, lines.start, lines.end)) return broken(lines.number, 'twoVersions');
    if (isDelimiter(text, lines)) return readClosed(text, start, lines, lastKey);
    inKeys &&= looksLikeHeader(text.slice(lines.start, lines.end));
    if (inKeys) lastKey = lines.number;
  }
  if (lines.start - start > MAX_HEADER_BYTES) return broken(1, 'tooLong');
  return broken(lastKey, 'notClosed');
}

/** @param lastKey number of the last line that looks like a part of the header */
function readClosed(text: string, start: number, lines: LineScanner, lastKey: number): HeaderRead {
  const yaml = text.slice(start, lines.start);
  if (yaml.length * 3 > MAX_HEADER_BYTES && byteLength(yaml) > MAX_HEADER_BYTES)
    return broken(1, 'tooLong');
  const read = readHeaderValues(yaml, start);
  if (!read.ok) {
    const line = Math.min(lineAt(text, start, read.at), lines.number - 1);
    if (line > lastKey && lastKey + 1 < lines.number) return broken(lastKey, 'notClosed');
    return broken(line, ...read.fault);
  }
  const lineOf = (at: number): number => lineAt(text, start, at);
  const { values } = read;
  const over = [...values].find(([key, value]) => value.continued && ownKeys().has(key));
  if (over) return broken(lineOf(over[1].at), 'continued', { key: over[0] });
  const record = Object.fromEntries([...values].map(([key, value]) => [key, value.text]));
  const checked = headerSchema().safeParse(record);
  if (!checked.success) {
    const key = String(checked.error.issues[0]?.path[0] ?? 'board');
    const value = values.get(key);
    const line = value === undefined ? lines.number : lineOf(value.at);
    return broken(line, faultOf(key, value?.text), { key, format: value?.text ?? '' });
  }
  const place = { close: lines.start, end: lines.next, lines: lines.number };
  return {
    ok: true,
    header: { data: checked.data, ...protectInvalidValues(values, lineOf), ...place },
  };
}

const ownKeys = lazy(
  (): ReadonlySet<string> =>
    new Set([...Object.keys(headerSchema().shape), 'archived', 'continues']),
);

function isReviewMode(text: string | null): text is ReviewMode {
  return REVIEW_MODES.some((mode) => mode === text);
}

/** Checks by key; invalid values count as missing. A number: the maximum of a whole number. */
const VALUE_CHECKS: Readonly<
  Record<string, number | readonly [(text: string | null) => boolean, NoteFault]>
> = {
  rev: MAX_REV,
  next: MAX_NEXT,
  archived: [isArchivedList, 'noNumbers'],
  review: [isReviewMode, 'noMode'],
};

/** Marks invalid counters as not replaceable, so that no program overwrites them. */
function protectInvalidValues(
  values: HeaderValues,
  lineOf: (at: number) => number,
): Pick<Header, 'values' | 'problems'> {
  const kept = new Map(values);
  const problems: Problem[] = [];
  for (const [key, form] of Object.entries(VALUE_CHECKS)) {
    const value = values.get(key);
    const isNumber = typeof form === 'number';
    if (!value || (isNumber ? wholeNumber(value.text, form) !== undefined : form[0](value.text))) {
      continue;
    }
    if (value.text === '' && value.from === value.to) continue;
    kept.set(key, { ...value, from: -1, to: -1 });
    const [fault, most] = isNumber ? (['noCount', `${form}`] as const) : [form[1], ''];
    problems.push(noteProblem(lineOf(value.at), fault, { key, most }));
  }
  return problems.length === 0 ? { values, problems } : { values: kept, problems };
}

function faultOf(key: string, text: string | null | undefined): NoteFault {
  if (text === undefined) return 'missing';
  if (key === 'board') return /^[2-9]$/.test(text ?? '') ? 'newer' : 'format';
  return key === 'prefix' ? 'prefix' : 'noText';
}

function broken(...problem: Parameters<typeof noteProblem>): HeaderRead {
  return { ok: false, problem: noteProblem(...problem) };
}

function isDelimiter(text: string, { start, end }: LineScanner): boolean {
  return trimBlanks(text, start, end) === start + 3 && text.startsWith('---', start);
}

function looksLikeHeader(line: string): boolean {
  return /^(?:[^\s#>\-*`[][^:]*:(?:\s|$)|\s+\S|#[^#\s]|#\s*$|- )/.test(line);
}

function lineAt(text: string, start: number, at: number): number {
  const lines = new LineScanner(text, start, 1);
  while (lines.advance() && lines.next <= at);
  return Math.max(lines.number, 2);
}

/**
 * A line `key: value` that YAML reads as a string of exactly these characters: no quotes, colons or
 * special characters, nothing that could continue on the next line.
 */
const PLAIN_LINE =
  /([A-Za-z][A-Za-z0-9_-]*):( +)([A-Za-z0-9](?:[A-Za-z0-9 ._/()-]*[A-Za-z0-9._/()-])?)\r?\n/y;

/**
 * Reads the values of a header in the form that programs write. Undefined for any other header,
 * which YAML has to parse; YAML would read this form the same way.
 * @param offset of `yaml` in the note
 */
export function plainHeader(yaml: string, offset: number): HeaderValues | undefined {
  const values = new Map<string, HeaderValue>();
  let at = 0;
  while (at < yaml.length) {
    PLAIN_LINE.lastIndex = at;
    const match = PLAIN_LINE.exec(yaml);
    if (match === null) return undefined;
    const [line, key = '', blanks = '', text = ''] = match;
    if (values.has(key)) return undefined;
    const from = offset + at + key.length + 1 + blanks.length;
    values.set(key, { text, at: offset + at, from, to: from + text.length });
    at += line.length;
  }
  return values;
}

/**
 * A one-line string as a value in the header: plain if YAML 1.1 and 1.2 both read it back as the
 * same string, else double-quoted.
 */
export function yamlText(value: string): string {
  return readsBack(value) ? value : yamlQuoted(value);
}

/** Any string as a double-quoted value of YAML. */
export function yamlQuoted(value: string): string {
  // JSON's escapes are valid in YAML; the replacement escapes what YAML forbids unescaped.
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function readsBack(value: string): boolean {
  try {
    return [CORE_SCHEMA, DUMP_SCHEMA].every((schema) => {
      const read = load(`key: ${value} # end`, { schema }) as { readonly key?: unknown };
      return read.key === value;
    });
  } catch (error) {
    if (error instanceof YAMLException) return false;
    throw error;
  }
}

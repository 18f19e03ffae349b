import { EVENT_ID, getScalarValue, parseEvents, SCALAR_STYLE, YAMLException } from 'js-yaml';
import { plainHeader } from './plain-header';

/** A value of the header; offsets into the note's text. */
export interface HeaderValue {
  /** The scalar's text as written (`2024`, `true` and an empty value are text, too); null for a list or map. */
  readonly text: string | null;
  /** of its key */
  readonly at: number;
  /** what a new value replaces; -1 where it can't be replaced */
  readonly from: number;
  readonly to: number;
}

export type HeaderValues = ReadonlyMap<string, HeaderValue>;

export type HeaderValuesRead =
  | { readonly ok: true; readonly values: HeaderValues }
  | { readonly ok: false; readonly at: number; readonly reason: string };

/** A header is a flat list; more than this many levels is no header of a board. */
const DEEPEST = 16;

type YamlEvent = ReturnType<typeof parseEvents>[number];
type Scalar = Extract<YamlEvent, { type: typeof EVENT_ID.SCALAR }>;

/**
 * Reads the keys of a header with the place of each value, so that one can be replaced and all else stays.
 * No aliases, anchors or tags; no key twice; one document. Values are text: what they mean is the schema's to say.
 * @param offset of `yaml` in the note
 */
export function readHeaderValues(yaml: string, offset: number): HeaderValuesRead {
  const plain = plainHeader(yaml, offset);
  return plain ? { ok: true, values: plain } : readYaml(yaml, offset);
}

/** The same for any header; what `plainHeader` reads, it reads alike. */
export function readYaml(yaml: string, offset: number): HeaderValuesRead {
  let events: readonly YamlEvent[];
  try {
    events = parseEvents(yaml, { maxDepth: DEEPEST });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const at = error.mark?.position ?? 0;
    return { ok: false, at: offset + at, reason: `can't be read (${error.reason}). Correct it` };
  }
  const special = events.find(isSpecial);
  if (special) {
    const reason = 'uses an anchor, an alias or a tag. Write the value itself';
    return { ok: false, at: offset + placeOf(special), reason };
  }
  return readMapping(yaml, offset, events);
}

function readMapping(yaml: string, offset: number, events: readonly YamlEvent[]): HeaderValuesRead {
  const values = new Map<string, HeaderValue>();
  const root = events[1];
  const documents = events.filter((event) => event.type === EVENT_ID.DOCUMENT).length;
  if (root === undefined) return { ok: true, values };
  if (root.type !== EVENT_ID.MAPPING || yaml.charAt(root.start) === '{' || documents > 1) {
    return { ok: false, at: offset, reason: 'is no list of "key: value" lines. Write it as one' };
  }
  let i = 2;
  while (i < events.length && events[i]?.type !== EVENT_ID.POP) {
    const key = events[i];
    const value = events[i + 1];
    i = behind(events, behind(events, i));
    if (key?.type !== EVENT_ID.SCALAR || value === undefined || key.valueStart < 0) continue;
    const name = getScalarValue(yaml, key);
    const at = offset + key.valueStart;
    if (values.has(name)) return { ok: false, at, reason: `has "${name}" twice. Remove one` };
    values.set(name, placed(yaml, offset, key, value));
  }
  return { ok: true, values };
}

function placed(yaml: string, offset: number, key: Scalar, value: YamlEvent): HeaderValue {
  const at = offset + key.valueStart;
  if (value.type !== EVENT_ID.SCALAR) return { text: null, at, from: -1, to: -1 };
  const text = value.valueStart < 0 ? '' : getScalarValue(yaml, value);
  const quoted = isQuoted(key) ? 1 : 0;
  const colon = skipSpaces(yaml, key.valueEnd + quoted);
  if (yaml.charAt(colon) !== ':') return { text, at, from: -1, to: -1 };
  const [from, to] = valueSpan(yaml, colon + 1, value);
  return { text, at, from: offset + from, to: offset + to };
}

/** From behind the colon's blanks to the end of the value; a block scalar's indicator is part of it. */
function valueSpan(yaml: string, colonEnd: number, value: Scalar): readonly [number, number] {
  if (value.valueStart < 0) return [colonEnd, colonEnd];
  if (value.style === SCALAR_STYLE.PLAIN) return [value.valueStart, value.valueEnd];
  if (isQuoted(value)) return [value.valueStart - 1, value.valueEnd + 1];
  let end = value.valueEnd;
  while (end > colonEnd && /\s/.test(yaml.charAt(end - 1))) end -= 1;
  return [skipSpaces(yaml, colonEnd), end];
}

/** Index of the event behind the node at `i`. */
function behind(events: readonly YamlEvent[], i: number): number {
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

function placeOf(event: YamlEvent): number {
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

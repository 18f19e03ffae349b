import {
  findNodeAtLocation,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
} from 'jsonc-parser';
import {
  constructFromEvents,
  CORE_SCHEMA,
  EVENT_ID,
  floatYaml11Tag,
  getScalarValue,
  intYaml11Tag,
  mergeTag,
  parseEvents,
  timestampTag,
  YAMLException,
} from 'js-yaml';
import type { ConfigProblem, KeyPath, Located } from './config-problem';

/** Limits on the content of one file. */
const MAX_DEPTH = 10;
const MAX_PROPERTIES = 10_000;
const MAX_MATTER = 1024 * 1024;
/** Deepest nesting that the parser follows, before the value is measured. */
const MAX_NESTING = 50;
const MAX_ALIASES = 100;

export type PlainObject = Readonly<Record<string, unknown>>;

/** Why a text can't be used. */
interface Unreadable {
  readonly ok: false;
  readonly line: number;
  readonly message: string;
  readonly fix: string;
  /** whether only our limits refuse it, and OpenCode might read it */
  readonly isOwnLimit?: true;
}

export type TextRead = (Located & { readonly ok: true; readonly value: unknown }) | Unreadable;

/**
 * Parses JSON with comments and trailing commas, as OpenCode does. An empty text is an empty
 * object.
 */
export function readJsonc(text: string): TextRead {
  if (text === '') return { ok: true, value: {}, lineOf: () => 1 };
  const errors: ParseError[] = [];
  let root: Node | undefined;
  let value: unknown;
  try {
    // A byte order mark is not JSON. Replacing it by a blank keeps the offsets.
    root = parseTree(text.replace(/^\ufeff/, ' '), errors, { allowTrailingComma: true });
    const [first] = errors;
    if (first !== undefined || root === undefined) {
      const at = first?.offset ?? 0;
      const { message, fix } = parseHint(first);
      return unreadable(lineFinder(text)(at), `is not JSON: ${message}.`, fix);
    }
    value = new LimitedCopier().node(root, 0);
  } catch (error) {
    return limitFault(error);
  }
  const top = root;
  const lineAt = lineFinder(text);
  const lineOf = (path: KeyPath): number => {
    for (let depth = path.length; depth > 0; depth -= 1) {
      const node = findNodeAtLocation(top, path.slice(0, depth));
      const place = node?.parent?.type === 'property' ? node.parent : node;
      if (place !== undefined) return lineAt(place.offset);
    }
    return lineAt(top.offset);
  };
  return { ok: true, value, lineOf };
}

type ParseHint = Readonly<{ message: string; fix: string }>;

const DEFAULT_PARSE_HINT: ParseHint = {
  message: "what stands here can't be read",
  fix: 'Correct it there: a comma, a bracket or a quote is missing or too many.',
};

const missing = (what: string): ParseHint => ({
  message: `${what} is missing`,
  fix: 'Write it there, or remove what is too many.',
});

/** Messages for the parser's error codes. */
const PARSE_HINTS: Readonly<Record<string, ParseHint>> = {
  CommaExpected: missing('a comma'),
  ColonExpected: missing('a colon'),
  CloseBraceExpected: missing('a closing "}"'),
  CloseBracketExpected: missing('a closing "]"'),
  UnexpectedEndOfString: missing('a closing quote'),
  UnexpectedEndOfComment: missing('the end of a comment, "*/",'),
  ValueExpected: missing('a value'),
  PropertyNameExpected: missing('a key in double quotes'),
  EndOfFileExpected: {
    message: 'there is more behind its end',
    fix: 'Remove it, or a closing bracket that is too many.',
  },
  InvalidEscapeCharacter: { message: 'this is no escape', fix: 'Write "\\\\" for one "\\".' },
};

/** What is wrong, and what to do. @param error undefined: the text is blank */
export function parseHint(error: ParseError | undefined): ParseHint {
  const why = error === undefined ? 'ValueExpected' : printParseErrorCode(error.error);
  return PARSE_HINTS[why] ?? DEFAULT_PARSE_HINT;
}

type MatterProblem = Pick<ConfigProblem, 'severity' | 'line' | 'message' | 'fix'>;

/** A note with front matter, parsed as OpenCode does. */
export type MatterRead =
  | (Located & {
      readonly ok: true;
      readonly data: PlainObject;
      readonly body: string;
      /** first line of the body, from 1 */
      readonly bodyLine: number;
      /** warning for the person: the whole text is the body, or values were guessed */
      readonly doubt?: MatterProblem;
    })
  | Unreadable;

/**
 * Parses a note as OpenCode does (gray-matter with js-yaml 3). Front matter that is invalid stays
 * part of the text; values with a colon that YAML refuses are read as plain text.
 */
export function readMatter(given: string): MatterRead {
  const text = given.replace(/^\ufeff/, '');
  const whole = { ok: true as const, data: {}, body: text, bodyLine: 1, lineOf: () => 1 };
  if (!text.startsWith('---') || text.charAt(3) === '-') {
    if (!/^\s*-{3,}[ \t]*\r?\n[\w-]+:/.test(text)) return whole;
    const message = 'has front matter that OpenCode takes as text.';
    return withProblem(whole, {
      line: 1,
      message,
      fix: 'Begin the file with "---" and nothing else.',
    });
  }
  const language = (/^[^\r\n]*/.exec(text.slice(3))?.[0] ?? '').trim().toLowerCase();
  if (language === 'js' || language === 'javascript') {
    const message =
      'begins with "---js": OpenCode runs this front matter as a program. It is not read here.';
    const fix = 'Find out where the file is from. Write front matter as YAML between "---" lines.';
    return { ok: false, isOwnLimit: true, line: 1, message, fix };
  }
  if (!['', 'yaml', 'yml', 'json'].includes(language)) {
    const fix = 'Write the front matter as YAML, and "---" alone before it.';
    return withProblem(whole, {
      line: 1,
      message: 'has front matter in a language that is not read.',
      fix,
    });
  }
  const read = splitMatter(text, language);
  if (read.ok || read.isOwnLimit === true) return read;
  const mended = withQuotedColons(text);
  const again = mended === text ? undefined : splitMatter(mended, language);
  if (again === undefined) {
    const message = `${read.message} OpenCode takes all of the file, these lines included, as text.`;
    return withProblem(whole, { line: read.line, message, fix: read.fix });
  }
  if (!again.ok) return read;
  const lineOf = ([key]: KeyPath): number => {
    const line = text.split('\n').findIndex((one) => one.startsWith(`${String(key)}:`));
    return Math.max(line, 0) + 1;
  };
  const found = {
    ...again,
    lineOf,
    bodyLine: again.bodyLine - countLines(mended) + countLines(text),
  };
  const fix = 'Put values with ": " in quotes.';
  const message = 'has a value with a colon and without quotes; OpenCode guesses what is meant.';
  return { ...found, doubt: { severity: 'warning', line: read.line, message, fix } };
}

function withProblem(
  whole: Extract<MatterRead, { ok: true }>,
  why: Omit<MatterProblem, 'severity'>,
): MatterRead {
  return { ...whole, doubt: { severity: 'error', ...why } };
}

function splitMatter(
  text: string,
  language: string,
): Extract<MatterRead, { ok: true }> | Unreadable {
  const from = /^[^\r\n]*/.exec(text)?.[0].length ?? 3;
  const end = text.indexOf('\n---', 3);
  const matter = text.slice(from, end < 0 ? text.length : end);
  const body = end < 0 ? '' : text.slice(end + 4).replace(/^\r?\n?/, '');
  const rest = { body, bodyLine: countLines(text) - countLines(body) + 1 };
  const isEmpty = matter.split('\n').every((line) => /^\s*(?:#|$)/.test(line));
  if (isEmpty) return { ok: true, data: {}, lineOf: () => 1, ...rest };
  let read = language === 'json' ? readJsonc(matter.trim()) : readYaml(matter);
  // js-yaml 3 doesn't count tabs as indentation.
  if (!read.ok && /^ *\t/m.test(matter)) read = readYaml(matter.replace(/^( *)\t+/gm, '$1'));
  if (!read.ok) return read;
  const { value, lineOf } = read;
  const data = Object.fromEntries(Object.entries(value ?? {}));
  const found = { ok: true as const, data, lineOf, ...rest };
  const wrong = (
    line: number,
    message: string,
    fix: string,
  ): Extract<MatterRead, { ok: true }> => ({
    ...found,
    doubt: { severity: 'error', line, message, fix },
  });
  if (end < 0) return wrong(1, 'has front matter that is not closed.', 'Add "---" below it.');
  if (isPlainObject(value)) return found;
  const fix = 'Write lines as in "description: What it is for".';
  return wrong(2, 'has no "key: value" lines in its front matter.', fix);
}

/** @param yaml starts at the end of the file's first line */
function readYaml(yaml: string): TextRead {
  if (yaml.length > MAX_MATTER)
    return limitFault(new LimitExceeded('front matter of more than 1 MB'));
  try {
    const events = parseEvents(yaml, { maxDepth: MAX_NESTING });
    // The tags for `010`, `1:30`, `2024-01-01` and `<<`, as in js-yaml 3.
    const schema = CORE_SCHEMA.withTags(intYaml11Tag, floatYaml11Tag, timestampTag, mergeTag);
    const documents = constructFromEvents(events, {
      source: yaml,
      schema,
      maxAliases: MAX_ALIASES,
    });
    if (documents.length > 1) {
      return unreadable(1, 'has more than one document in its front matter.', 'Keep one.');
    }
    const value = new LimitedCopier().copy(documents[0], 0);
    const places = yamlKeyOffsets(yaml, events);
    const lineAt = lineFinder(yaml);
    const lineOf = (path: KeyPath): number => {
      for (let depth = path.length; depth > 0; depth -= 1) {
        const at = places.get(JSON.stringify(path.slice(0, depth).map(String)));
        if (at !== undefined) return lineAt(at);
      }
      return 1;
    };
    return { ok: true, value, lineOf };
  } catch (error) {
    if (!(error instanceof YAMLException)) return limitFault(error);
    if (/exceeded/i.test(error.reason))
      return limitFault(new LimitExceeded('too many aliases or levels'));
    const line = lineFinder(yaml)(error.mark?.position ?? 0);
    return unreadable(
      line,
      `has front matter that is not YAML: ${error.reason}.`,
      'Correct this line.',
    );
  }
}

/** The offset of each key, by its path as JSON. */
function yamlKeyOffsets(
  yaml: string,
  events: ReturnType<typeof parseEvents>,
): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  let next = 1;
  const visit = (path: readonly string[]): void => {
    const event = events[next];
    next += 1;
    if (event?.type !== EVENT_ID.MAPPING && event?.type !== EVENT_ID.SEQUENCE) return;
    for (let item = 0; next < events.length && events[next]?.type !== EVENT_ID.POP; item += 1) {
      const key = events[next];
      let name = String(item);
      if (event.type === EVENT_ID.MAPPING) {
        const isName = key?.type === EVENT_ID.SCALAR && key.valueStart >= 0;
        name = isName ? getScalarValue(yaml, key) : '';
        if (isName) places.set(JSON.stringify([...path, name]), key.valueStart);
        visit([...path, '']);
      }
      visit([...path, name]);
    }
    next += 1;
  };
  visit([]);
  return places;
}

/** OpenCode's fallback: turns lines `key: a: b` into block texts. */
function withQuotedColons(text: string): string {
  const matter = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text)?.[1];
  if (matter === undefined) return text;
  const mended = matter.split(/\r?\n/).flatMap((line) => {
    if (line.trim() === '' || /^\s*#|^\s/.test(line)) return [line];
    const [, key, rest = ''] = /^([a-zA-Z_][a-zA-Z0-9_]*)\s*:\s*(.*)$/.exec(line) ?? [];
    const value = rest.trim();
    const isPlain = key === undefined || /^(?:$|[>|]$|["'])/.test(value) || !value.includes(':');
    return isPlain ? [line] : [`${key}: |-`, `  ${value}`];
  });
  return text.replace(matter, () => mended.join('\n'));
}

class LimitExceeded extends Error {}

/** Builds plain values and counts their content, as a protection against YAML bombs. */
class LimitedCopier {
  private remainingProperties = MAX_PROPERTIES;

  node(node: Node, depth: number): unknown {
    const { type, children = [] } = node;
    if (type !== 'object' && type !== 'array') return this.copy(node.value, depth);
    this.enter(children.length, depth);
    if (type === 'array') return children.map((child) => this.node(child, depth + 1));
    const entries = children.flatMap(({ children: [key, value] = [] }) =>
      value === undefined ? [] : [[String(key?.value), this.node(value, depth + 1)] as const],
    );
    return this.object(entries);
  }

  copy(value: unknown, depth: number): unknown {
    if (typeof value !== 'object' || value === null || value instanceof Date) return value;
    const entries = Object.entries(value);
    this.enter(entries.length, depth);
    if (Array.isArray(value)) return value.map((item) => this.copy(item, depth + 1));
    return this.object(entries.map(([key, item]) => [key, this.copy(item, depth + 1)] as const));
  }

  private enter(properties: number, depth: number): void {
    this.remainingProperties -= properties;
    if (this.remainingProperties < 0) throw new LimitExceeded(`more than ${MAX_PROPERTIES} values`);
    if (depth >= MAX_DEPTH) throw new LimitExceeded(`more than ${MAX_DEPTH} levels`);
  }

  private object(entries: readonly (readonly [string, unknown])[]): unknown {
    if (entries.some(([key]) => key === '__proto__')) throw new LimitExceeded('a key "__proto__"');
    return Object.fromEntries(entries);
  }
}

function limitFault(error: unknown): Unreadable {
  if (!(error instanceof LimitExceeded || error instanceof RangeError)) throw error;
  const what = error instanceof LimitExceeded ? error.message : `more than ${MAX_DEPTH} levels`;
  const fix = 'Take it out, or write it shorter.';
  const message = `is not read here, it has ${what}. No configuration needs that.`;
  return { ...unreadable(0, message, fix), isOwnLimit: true };
}

function unreadable(line: number, message: string, fix: string): Unreadable {
  return { ok: false, line, message, fix };
}

export function isPlainObject(value: unknown): value is PlainObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
  );
}

/** Returns a function that gives the line of an offset, from 1. Scans the text only once. */
function lineFinder(text: string): (offset: number) => number {
  const ends: number[] = [];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) ends.push(at);
  return (offset) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}

function countLines(text: string): number {
  return text.split('\n').length;
}

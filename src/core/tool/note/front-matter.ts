import { CORE_SCHEMA, load, YAMLException } from 'js-yaml';
import { Lines } from '../../board/note/lines';
import { trimBlanks } from '../../board/note/list-item';

/** Characters of front matter that are read. */
const LONGEST = 65_536;
/** Levels of lists and maps in it. */
const DEEPEST = 16;

/** Where the front matter of a note stands; offsets into its text. */
export interface FrontMatterPlace {
  /** of the YAML between its two rules */
  readonly from: number;
  readonly to: number;
  /** of the line behind it, and the number of lines up to there */
  readonly next: number;
  readonly lines: number;
}

/** Undefined for a note without, and where nothing closes it. */
export function findFrontMatter(text: string): FrontMatterPlace | undefined {
  const lines = new Lines(text, text.startsWith('\uFEFF') ? 1 : 0, 0);
  if (!lines.advance() || !isRule(text, lines)) return undefined;
  const from = lines.next;
  while (lines.advance()) {
    if (isRule(text, lines)) {
      return { from, to: lines.start, next: lines.next, lines: lines.number };
    }
  }
  return undefined;
}

export type FrontMatter =
  | { readonly ok: true; readonly values: Readonly<Record<string, unknown>> }
  /** `reason`: what is wrong, in one sentence */
  | { readonly ok: false; readonly reason: string };

/** No aliases, at most 16 levels and 64 KiB, so that nothing in it can grow. What can't be read is told. */
export function readFrontMatter(yaml: string): FrontMatter {
  if (yaml.length > LONGEST) return broken('it is longer than 64 KiB');
  if (yaml.trim() === '') return { ok: true, values: {} };
  try {
    const value = load(yaml, { schema: CORE_SCHEMA, maxDepth: DEEPEST, maxAliases: 0 });
    if (value === null) return { ok: true, values: {} };
    if (typeof value !== 'object' || Array.isArray(value)) {
      return broken('it is no list of "key: value" lines');
    }
    return { ok: true, values: value as Readonly<Record<string, unknown>> };
  } catch (error) {
    if (error instanceof YAMLException) return broken(error.reason);
    throw error;
  }
}

/** A value of the front matter that is a text or a list of texts; keys count in any case. */
export function textsOf(
  values: Readonly<Record<string, unknown>>,
  names: readonly string[],
): readonly string[] {
  return Object.entries(values)
    .filter(([key]) => names.includes(key.toLowerCase()))
    .flatMap(([, value]) => (Array.isArray(value) ? (value as unknown[]) : [value]))
    .flatMap((value) =>
      typeof value === 'string' ? [value] : typeof value === 'number' ? [String(value)] : [],
    );
}

function broken(why: string): FrontMatter {
  return { ok: false, reason: `The front matter can't be read: ${why}.` };
}

function isRule(text: string, { start, end }: Lines): boolean {
  return trimBlanks(text, start, end) === start + 3 && text.startsWith('---', start);
}

import { catchStoreError, fault, type Fault } from '../fault';
import type { SaidSentence } from '../fault/sentence';
import { importFault, importLoss, lossPart } from './import-fault';
import {
  filesIn,
  foldersIn,
  nameOfPath,
  type ImportedPlan,
  type ImportedPlans,
  type ImportKind,
  type ImportReader,
  type ImportSource,
  type ImportLoss,
} from './imported-plan';
import { FAILSAFE_SCHEMA, load, YAMLException } from 'js-yaml';

/** Most files of one folder that are read. */
const MAX_FILES = 20_000;

/** Reads a file. A Fault says why it has no text. */
export async function readText(
  reader: ImportReader,
  path: string,
): Promise<{ ok: true; text: string } | Fault> {
  const name = nameOfPath(path);
  const whole = await catchStoreError(
    () => reader.read(path),
    ({ message, said }) => fault('bad_source', [message, said]),
  );
  if (whole === undefined) return importFault('bad_source', 'noFile', { name });
  if (typeof whole !== 'string') return whole;
  const text = whole.replace(/^\ufeff/, '');
  return tooLargeFault(text, name) ?? { ok: true, text };
}

/**
 * Reads every file of a folder with this extension. Files that can't be read are added to `left`.
 */
export async function readFiles(
  reader: ImportReader,
  folder: string,
  end: string,
  left: ImportLoss[],
): Promise<readonly { readonly name: string; readonly text: string }[]> {
  const names = await filesIn(reader, folder, end);
  const files: { name: string; text: string }[] = [];
  for (const name of names.slice(0, MAX_FILES)) {
    const read = await readText(reader, `${folder}/${name}`);
    if (read.ok) files.push({ name, text: read.text });
    else left.push(importLoss(name, [read.message, read.said]));
  }
  if (names.length > MAX_FILES) {
    const count = String(names.length - MAX_FILES);
    const what = lossPart('moreFiles', { count, name: nameOfPath(folder) });
    left.push(importLoss(what, lossPart('mostFiles', { most: String(MAX_FILES) })));
  }
  return files;
}

/** The folder itself if it fits, otherwise the folders directly in it that fit. */
export async function foldersWith(
  { reader, path }: ImportSource,
  fits: (folder: string) => Promise<boolean>,
): Promise<readonly string[]> {
  if (await fits(path)) return [path];
  const found: string[] = [];
  for (const name of await foldersIn(reader, path)) {
    const folder = `${path}/${name}`;
    if (await fits(folder)) found.push(folder);
  }
  return found;
}

/** The result of an import. Returns a Fault if no plan has tasks. */
export function importResult(
  kind: ImportKind,
  source: ImportSource,
  plans: readonly ImportedPlan[],
  left: readonly ImportLoss[] = [],
): ImportedPlans | Fault {
  const filled = plans.filter(({ tasks }) => tasks.length > 0);
  const all = [...left, ...plans.filter(({ tasks }) => tasks.length === 0).flatMap((p) => p.left)];
  if (filled.length > 0) return { ok: true, kind, plans: filled, left: all };
  const [first] = all;
  const values = { name: nameOfPath(source.path), kind };
  return first === undefined
    ? importFault('empty_source', 'noTasks', values)
    : importFault('empty_source', 'noTasksSince', {
        ...values,
        since: [`${first.what}: ${first.why}`, first.said],
      });
}

/** Longest file that an import reads, in characters. */
const LONGEST_SOURCE = 16 * 1024 * 1024;

/** Parses JSON, ignoring a byte order mark. */
export function readJson(text: string, name: string): { ok: true; value: unknown } | Fault {
  const large = tooLargeFault(text, name);
  if (large) return large;
  try {
    return { ok: true, value: JSON.parse(text.replace(/^\ufeff/, '')) as unknown };
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof RangeError)) throw error;
    return importFault('bad_source', 'notJson', { name, why: error.message });
  }
}

function tooLargeFault(text: string, name: string): Fault | undefined {
  if (text.length <= LONGEST_SOURCE) return undefined;
  return importFault('too_large', 'tooLarge', { name });
}

/** Longest YAML that an import reads, in characters. */
const LONGEST = 65_536;

/**
 * Parses a YAML map whose values are texts, lists or maps; `null`, `~` and empty values are
 * dropped. Allows no aliases, at most 16 levels and, by default, 64 KiB, so that a small text can't
 * expand to a large value. A value that begins with `@` or a backtick, which YAML reserves, is read
 * as text. Returns why if it fails.
 */
export function readYamlText(yaml: string, longest = LONGEST): Fields | SaidSentence {
  if (yaml.length > longest) return lossPart('yamlLong', { most: String(longest) });
  const read = parseYaml(yaml);
  if (!('reason' in read)) return read.fields;
  const quoted = parseYaml(withQuotedNames(yaml));
  return 'reason' in quoted ? read.reason : quoted.fields;
}

function parseYaml(yaml: string): { readonly fields: Fields } | { readonly reason: SaidSentence } {
  try {
    const value = load(yaml.trim() === '' ? '{}' : yaml, {
      schema: FAILSAFE_SCHEMA,
      maxDepth: 16,
      maxAliases: 0,
    });
    const fields = Fields.of(withoutEmptyValues(value));
    return fields === undefined ? { reason: lossPart('yamlNoLines') } : { fields };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    return { reason: lossPart('yamlBroken', { why: error.reason }) };
  }
}

/** Quotes plain values such as `@name`, which Backlog.md and people write without quotes. */
function withQuotedNames(yaml: string): string {
  return yaml
    .split('\n')
    .map((line) => {
      const [, key = '', rest = ''] = /^(\s*(?:-\s+|[\w-]+:\s+)+)([@`[].*)$/.exec(line) ?? [];
      // Not in the expression, which would take quadratic time for a line of blanks.
      const at = rest.search(/\s#/);
      const value = rest.slice(0, at < 0 ? undefined : at).trimEnd();
      const comment = at < 0 ? '' : rest.slice(at);
      if (key === '' || (value.startsWith('[') && !value.endsWith(']'))) return line;
      const quoted = value.startsWith('[')
        ? value.replace(/([[,]\s*)([@`][^,\]]*)/g, (_, before: string, name: string) => {
            return before + JSON.stringify(name.trim());
          })
        : JSON.stringify(value);
      return key + quoted + comment;
    })
    .join('\n');
}

function withoutEmptyValues(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([, one]) => one !== 'null' && one !== '~' && one !== ''),
  );
}

/**
 * Parses a note's front matter, and returns the lines after it without blank ones at either end.
 */
export function readFrontMatter(text: string, longest?: number) {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/);
  const failure = (why: SaidSentence) => ({ ok: false as const, why });
  if (lines[0]?.trimEnd() !== '---') return failure(lossPart('noFrontMatter'));
  const end = lines.findIndex((line, at) => at > 0 && /^(?:---|\.\.\.)\s*$/.test(line));
  if (end < 0) return failure(lossPart('openFrontMatter'));
  const yaml = lines.slice(1, end).join('\n');
  const read = readYamlText(yaml, longest);
  if (!(read instanceof Fields)) return failure(read);
  return { ok: true as const, fields: read, body: withoutBlankEnds(lines.slice(end + 1)) };
}

export function withoutBlankEnds(lines: readonly string[]): readonly string[] {
  const from = lines.findIndex((line) => line.trim() !== '');
  if (from < 0) return [];
  return lines.slice(from, lines.findLastIndex((line) => line.trim() !== '') + 1);
}

/**
 * The named values of one task of another program, with lenient conversion. `unread` lists the
 * values that were never read, so that an import can report them.
 */
export class Fields {
  private readonly namesRead = new Set<string>();

  private constructor(private readonly values: ReadonlyMap<string, unknown>) {}

  /** Returns undefined for anything but an object. */
  static of(value: unknown): Fields | undefined {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return new Fields(new Map(Object.entries(value)));
  }

  /** The first of these names that has a value; null if none has. */
  value(...names: readonly string[]): unknown {
    let found: unknown = null;
    for (const name of names) {
      this.namesRead.add(name);
      const value = this.values.get(name);
      if (found === null && !isEmptyValue(value)) found = value;
    }
    return found;
  }

  /** A text or number as trimmed text; null for anything else. */
  text(...names: readonly string[]): string | null {
    return scalar(this.value(...names));
  }

  /** The text of each of these names. */
  named<Name extends string>(...names: readonly Name[]): Readonly<Record<Name, string | null>> {
    const texts = names.map((name) => [name, this.text(name)] as const);
    return Object.fromEntries(texts) as Record<Name, string | null>;
  }

  /** A list of texts and numbers. A single value is a list of one; a text is split at commas. */
  texts(...names: readonly string[]): readonly string[] {
    const value = this.value(...names);
    if (Array.isArray(value)) {
      return value.flatMap((one: unknown) => scalar(one) ?? []);
    }
    const text = scalar(value);
    return text === null ? [] : text.split(',').flatMap((part) => scalar(part) ?? []);
  }

  /** A list of objects. */
  records(...names: readonly string[]): readonly Fields[] {
    const value = this.value(...names);
    return Array.isArray(value) ? value.flatMap((one: unknown) => Fields.of(one) ?? []) : [];
  }

  /** Marks fields as ignored on purpose, so that they are not reported as unread. */
  skip(...names: readonly string[]): void {
    for (const name of names) this.namesRead.add(name);
  }

  /** The names of values that were never read or skipped. */
  unread(): readonly string[] {
    return [...this.values].flatMap(([name, value]) =>
      this.namesRead.has(name) || isEmptyValue(value) ? [] : [name],
    );
  }
}

function scalar(value: unknown): string | null {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return null;
  const text = value.trim();
  return text === '' ? null : text;
}

function isEmptyValue(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === '' ||
    (Array.isArray(value) && value.length === 0)
  );
}

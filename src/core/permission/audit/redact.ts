/** Limits of what the audit keeps: UTF-16 units per text, levels and entries per value. */
const MAX_TEXT = 1000;

const MAX_DEPTH = 8;

const MAX_ENTRIES = 100;

/** Keys whose values are always replaced. */
const SECRET_KEY =
  /(?:^|[_-])(?:key|auth|pass|pwd)$|token|secret|passw|passphrase|credential|cookie|authorization|api_?key|private_?key/i;

/** Keys whose values are vault paths. */
const PATH_KEY = /^(?:path|real)$/;

/** Patterns of keys and tokens, by their own form. Each matches in a single pass, as all here. */
const KEYS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g,
  /\b(?:sk|pk|rk)[-_][\w-]{16,}|\b(?:npm|hf)_\w{30,}/g,
  /\bgh[pousr]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bxox[a-z]-[\w-]{10,}/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[\w-]{35}/g,
  // The later parts are optional, since otherwise each "eyJ" would scan to the end of the text.
  /\beyJ[\w-]{8,}(?:\.[\w-]*){0,2}/g,
];

/** Patterns of secrets, wherever they occur in a text. */
const SECRETS: readonly RegExp[] = [
  ...KEYS,
  /\bbearer +[\w.~+/=-]{12,}|\bbasic +[A-Za-z0-9+/]{16,}=*/gi,
  /:\/\/[^\s/:@]{1,200}:[^\s/@]{1,200}@/g,
];

/**
 * Matches a part that every secret starts with. Most texts contain none and need only this one
 * test.
 */
const SECRET_START =
  /-----BEGIN |[spr]k[-_]|npm_|hf_|gh[pousr]_|github_pat_|glpat-|xox[a-z]-|A[KS]IA|AIza|eyJ|bearer |basic |:\/\//i;

const REDACTED = '[secret]';

/** Limit for the arguments of one call, in UTF-16 units of their JSON. */
const MAX_VALUE = 20_000;

/** Removes secrets from what the audit keeps, and limits its size. */
export class Redactor {
  /**
   * @param known secrets of this process, such as the token of the connection; replaced wherever
   * they occur
   */
  constructor(private readonly known: () => readonly string[] = () => []) {}

  text(text: string): string {
    return this.clean(text, SECRETS, () => REDACTED);
  }

  /** A path names a note, as "Basic Electromagnetism.md", so only keys with a digit are secrets. */
  private path(path: string): string {
    return this.clean(path, KEYS, (found) => (/\d/.test(found) ? REDACTED : found));
  }

  private clean(
    text: string,
    patterns: readonly RegExp[],
    replacer: (found: string) => string,
  ): string {
    let clean = text;
    for (const secret of this.known())
      if (secret !== '') clean = clean.replaceAll(secret, REDACTED);
    if (!SECRET_START.test(clean)) return cut(clean);
    for (const pattern of patterns) clean = clean.replace(pattern, replacer);
    return cut(clean);
  }

  /**
   * Redacts any JSON value. What exceeds the limits is replaced by a note that says so. Returns the
   * same value if nothing changes, as for most calls.
   */
  value(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth === MAX_DEPTH) return '[deeper]';
    if (Array.isArray(value)) {
      const kept = value.slice(0, MAX_ENTRIES).map((each: unknown) => this.value(each, depth + 1));
      if (kept.length < value.length) return [...kept, `[${value.length - kept.length} more]`];
      return kept.every((each, at) => each === value[at]) ? value : kept;
    }
    return this.fields(value as Readonly<Record<string, unknown>>, depth);
  }

  private fields(value: Readonly<Record<string, unknown>>, depth: number): object {
    const all = Object.keys(value);
    const keys = all.length > MAX_ENTRIES ? all.slice(0, MAX_ENTRIES) : all;
    const names = keys.map((key) => this.text(key));
    const kept = keys.map((key) => this.field(key, value[key], depth));
    const same = keys.every((key, at) => names[at] === key && kept[at] === value[key]);
    if (same && keys === all) return value;
    return Object.fromEntries(names.map((name, at) => [name, kept[at]]));
  }

  private field(key: string, value: unknown, depth: number): unknown {
    if (typeof value === 'string' && PATH_KEY.test(key)) return this.path(value);
    const secret = SECRET_KEY.test(key) && value !== null && typeof value !== 'boolean';
    return secret ? REDACTED : this.value(value, depth + 1);
  }
}

/**
 * Returns the value, or the beginning of its JSON if that is too long, so that one call can't fill
 * the disk.
 */
export function limitSize(value: unknown): unknown {
  const text = JSON.stringify(value ?? null);
  return text.length <= MAX_VALUE ? value : cut(text, MAX_VALUE);
}

function cut(text: string, most = MAX_TEXT): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most)}… [${text.length} characters]`;
}

/** Characters that a terminal or a view interprets or hides instead of printing them. */
const INVISIBLE_CHARS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/gu;

/** JSON on one line, with these characters escaped. Parses to the same value. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(INVISIBLE_CHARS, (char) =>
    Array.from({ length: char.length }, (_, at) => `\\u${hex(char.charCodeAt(at))}`).join(''),
  );
}

/** For the person: replaces these characters by their code points, as in "a<U+202E>b". */
export function visibleText(text: string): string {
  return text.replace(
    INVISIBLE_CHARS,
    (char) => `<U+${hex(char.codePointAt(0) as number).toUpperCase()}>`,
  );
}

function hex(code: number): string {
  return code.toString(16).padStart(4, '0');
}

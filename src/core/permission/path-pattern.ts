/** UTF-16 units of a pattern as it is written. */
const MAX_PATTERN = 256;

/** `?`: one character, no slash. */
export const ONE = -1;

/** `*`: any text without a slash. */
export const STAR = -2;

/** `**`: any text. */
export const ANY = -3;

/** `**` and a slash, where a name begins: any number of folders, none too. */
export const FOLDERS = -4;

/** A slash and `**` at the end: the folder before it, and all that is in it. */
export const TAIL = -5;

/** A code point, or one of the above. */
export type Token = number;

export interface PathPattern {
  /** as it was written, in NFC */
  readonly text: string;
  readonly tokens: readonly Token[];
  /** for each token, how many characters it and those behind it take at least */
  readonly needs: readonly number[];
}

/**
 * Reads a pattern for vault paths. `*` is any text within a name, `?` one character of it, `**` any
 * text, folders too: `a/**` is the folder `a` and all in it, `**` and a slash before a name is any
 * folder or none. `\*`, `\?` and `\\` stand for the characters themselves. All else is literal.
 */
export function readPattern(written: string): PathPattern | PatternFault<'bad_pattern'> {
  const bad = (message: string): PatternFault<'bad_pattern'> =>
    patternFault('bad_pattern', message);
  const text = written.normalize('NFC');
  if (text === '') return bad('This pattern is empty. Use ** for all paths.');
  if (Math.max(text.length, written.length) > MAX_PATTERN) {
    return bad(`This pattern is too long. Use at most ${MAX_PATTERN} characters.`);
  }
  if (/\\(?![\\*?])/.test(text.replace(/\\\\/g, ''))) {
    return bad('This pattern contains a backslash. Put "/" between folders.');
  }
  if (text.startsWith('/') || text.includes('//')) {
    return bad('This pattern begins with "/" or contains "//". Begin with a folder of the vault.');
  }
  if (text.endsWith('/')) {
    return bad(`This pattern ends with "/". Use ${text}** for the folder and all in it.`);
  }
  if (/[\p{Cc}\p{Surrogate}]/u.test(text)) {
    return bad('This pattern contains a control character. Write it again.');
  }
  return compilePattern(text);
}

/** Of a text that {@link readPattern} took, or a folded form of it. */
export function compilePattern(text: string): PathPattern {
  const tokens = tokensOf(text);
  const needs: number[] = [];
  let needed = 0;
  for (let at = tokens.length - 1; at >= 0; at -= 1) {
    if ((tokens[at] as Token) >= ONE) needed += 1;
    needs[at] = needed;
  }
  return { text, tokens, needs };
}

/** A pattern that only that path fits. */
export function literalPattern(path: string): string {
  return path.replace(/[\\*?]/g, '\\$&');
}

const WITHIN = /\\.|\/(?:\*{2,}\/)*\*{2,}$|\*{2,}|[^]/uy;

/** Where a name begins, also any number of folders. */
const BEGINS = /(?:\*{2,}\/)+|\\.|\*{2,}|[^]/uy;

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length;) {
    const pattern = at === 0 || text[at - 1] === '/' ? BEGINS : WITHIN;
    pattern.lastIndex = at;
    const part = pattern.exec(text)?.[0] ?? '';
    at += part.length;
    const token = tokenOf(part);
    // What says the same twice is said once.
    if (token === ANY && tokens.at(-1) === FOLDERS) tokens.pop();
    tokens.push(token);
  }
  if (tokens.at(-1) === STAR && tokens.at(-2) === FOLDERS) tokens.splice(-2, 2, ANY);
  return tokens;
}

function tokenOf(part: string): Token {
  if (part === '*') return STAR;
  if (part === '?') return ONE;
  if (part.startsWith('/**')) return TAIL;
  if (part.startsWith('**')) return part.endsWith('/') ? FOLDERS : ANY;
  return part.codePointAt(part.startsWith('\\') ? 1 : 0) as number;
}

const SLASH = 47;

/**
 * Whether every path that fits `inner` fits `outer` as well. Never says so wrongly; where neither pattern
 * is a plain part of the other it may say no to what is so. At most `inner × outer` steps.
 */
export function covers(outer: readonly Token[], inner: readonly Token[]): boolean {
  /** places between the tokens of `inner` that what was read of `outer` may reach */
  let places = new Set([0]);
  for (const token of outer) {
    if (token === TAIL) return [...places].some((at) => isTail(inner, at));
    const next = new Set<number>();
    for (const at of places) for (const to of reached(token, inner, at)) next.add(to);
    if (next.size === 0) return false;
    places = next;
  }
  return places.has(inner.length);
}

/** What is left of `inner` is nothing, or begins with a slash. */
function isTail(inner: readonly Token[], at: number): boolean {
  return at === inner.length || inner[at] === SLASH || inner[at] === TAIL;
}

function* reached(token: Token, inner: readonly Token[], from: number): Iterable<number> {
  if (token >= ONE) {
    const found = inner[from];
    if (token === ONE ? isOne(found) : found === token) yield from + 1;
    return;
  }
  yield from;
  for (let at = from; at < inner.length; at += 1) {
    const found = inner[at];
    if (token === STAR && !isOne(found) && found !== STAR) return;
    if (token === ANY || token === STAR || found === SLASH || found === FOLDERS) yield at + 1;
  }
}

/** A token that is one character of a name. */
function isOne(token: Token | undefined): boolean {
  return token !== undefined && token >= ONE && token !== SLASH;
}

/**
 * Whether some path may fit both patterns. Never denies wrongly; of folders that may be missing it may
 * say so too often. At most four times `one × other` steps.
 */
export function meets(one: readonly Token[], other: readonly Token[]): boolean {
  return forms(one).some((left) => forms(other).some((right) => meet(left, right)));
}

/** A folder and what is in it, each by itself. */
function forms(tokens: readonly Token[]): readonly (readonly Token[])[] {
  if (tokens.at(-1) !== TAIL) return [tokens];
  const folder = tokens.slice(0, -1);
  return [folder, [...folder, SLASH, ANY]];
}

function meet(one: readonly Token[], other: readonly Token[]): boolean {
  /** whether what is left of both may be the same text, for the row above and this one */
  let below: boolean[] = [];
  for (let at = one.length; at >= 0; at -= 1) {
    const row: boolean[] = [];
    for (let to = other.length; to >= 0; to -= 1) {
      const [left, right] = [one[at], other[to]];
      row[to] =
        left === undefined && right === undefined
          ? true
          : (isText(left) &&
              ((below[to] ?? false) || (takes(left, right) && row[to + 1] === true))) ||
            (isText(right) &&
              (row[to + 1] === true || (takes(right, left) && (below[to] ?? false)))) ||
            (isSame(left, right) && below[to + 1] === true);
    }
    below = row;
  }
  return below[0] ?? false;
}

/** Any number of characters. */
function isText(token: Token | undefined): token is Token {
  return token === STAR || token === ANY || token === FOLDERS;
}

/** Whether a character that fits `token` can be one of such a text. */
function takes(text: Token, token: Token | undefined): boolean {
  if (token === undefined || isText(token)) return false;
  return text !== STAR || token !== SLASH;
}

/** Whether both stand for a character, and may stand for the same. */
function isSame(one: Token | undefined, other: Token | undefined): boolean {
  if (one === undefined || other === undefined || isText(one) || isText(other)) return false;
  if (one === ONE) return other !== SLASH;
  return other === ONE ? one !== SLASH : one === other;
}

/** What is expected to go wrong, as a value. `message` says what was wrong and what to do instead. */
export interface PatternFault<Code extends string = string> {
  readonly ok: false;
  readonly code: Code;
  readonly message: string;
}

export function patternFault<Code extends string>(code: Code, message: string): PatternFault<Code> {
  return { ok: false, code, message };
}

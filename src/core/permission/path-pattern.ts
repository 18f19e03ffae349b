/** Longest pattern, in UTF-16 units as written. */
const MAX_PATTERN = 256;

/** `?`: one character except a slash. */
export const ONE = -1;

/** `*`: any text without a slash. */
export const STAR = -2;

/** `**`: any text. */
export const ANY = -3;

/** `**` and a slash at the start of a name: any number of folders, including none. */
export const FOLDERS = -4;

/** A slash and `**` at the end: the folder before it, and everything in it. */
export const TAIL = -5;

/** A code point, or one of the above. */
export type Token = number;

export interface PathPattern {
  /** as it was written, in NFC */
  readonly text: string;
  readonly tokens: readonly Token[];
  /** for each token, the minimum number of characters that it and all later tokens match */
  readonly needs: readonly number[];
}

/**
 * Parses a pattern for vault paths. `*` matches any text within a name, `?` one character of a
 * name, `**` any text including folders. `a/**` matches the folder `a` and everything in it; `**`
 * and a slash before a name match any number of folders. `\*`, `\?` and `\\` match the characters
 * themselves. Everything else is literal.
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

/** Compiles a text that {@link readPattern} accepted, or a case-folded form of it. */
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

/** Returns a pattern that matches only this path. */
export function literalPattern(path: string): string {
  return path.replace(/[\\*?]/g, '\\$&');
}

const TOKEN_IN_NAME = /\\.|\/(?:\*{2,}\/)*\*{2,}$|\*{2,}|[^]/uy;

/** At the start of a name: like `TOKEN_IN_NAME`, and also any number of folders. */
const TOKEN_AT_NAME_START = /(?:\*{2,}\/)+|\\.|\*{2,}|[^]/uy;

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length;) {
    const pattern = at === 0 || text[at - 1] === '/' ? TOKEN_AT_NAME_START : TOKEN_IN_NAME;
    pattern.lastIndex = at;
    const part = pattern.exec(text)?.[0] ?? '';
    at += part.length;
    const token = tokenOf(part);
    // Adjacent tokens that match the same are merged.
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
 * Whether every path that matches `inner` also matches `outer`. True is always right; false may be
 * wrong unless one pattern is a simple part of the other. Takes at most `inner × outer` steps.
 */
export function covers(outer: readonly Token[], inner: readonly Token[]): boolean {
  /** positions between the tokens of `inner` that the tokens of `outer` so far can reach */
  let places = new Set([0]);
  for (const token of outer) {
    if (token === TAIL) return [...places].some((at) => isTail(inner, at));
    const next = new Set<number>();
    for (const at of places) for (const to of reachablePositions(token, inner, at)) next.add(to);
    if (next.size === 0) return false;
    places = next;
  }
  return places.has(inner.length);
}

/** Whether the rest of `inner` is empty or starts with a slash. */
function isTail(inner: readonly Token[], at: number): boolean {
  return at === inner.length || inner[at] === SLASH || inner[at] === TAIL;
}

function* reachablePositions(
  token: Token,
  inner: readonly Token[],
  from: number,
): Iterable<number> {
  if (token >= ONE) {
    const found = inner[from];
    if (token === ONE ? isNameChar(found) : found === token) yield from + 1;
    return;
  }
  yield from;
  for (let at = from; at < inner.length; at += 1) {
    const found = inner[at];
    if (token === STAR && !isNameChar(found) && found !== STAR) return;
    if (token === ANY || token === STAR || found === SLASH || found === FOLDERS) yield at + 1;
  }
}

/** Whether the token is a single character of a name. */
function isNameChar(token: Token | undefined): boolean {
  return token !== undefined && token >= ONE && token !== SLASH;
}

/**
 * Whether some path may match both patterns. False is always right; true may be wrong where folders
 * are optional. Takes at most four times `one × other` steps.
 */
export function mayOverlap(one: readonly Token[], other: readonly Token[]): boolean {
  return expandTail(one).some((left) =>
    expandTail(other).some((right) => formsOverlap(left, right)),
  );
}

/** Splits `a/**` into the folder itself and what is in it. */
function expandTail(tokens: readonly Token[]): readonly (readonly Token[])[] {
  if (tokens.at(-1) !== TAIL) return [tokens];
  const folder = tokens.slice(0, -1);
  return [folder, [...folder, SLASH, ANY]];
}

function formsOverlap(one: readonly Token[], other: readonly Token[]): boolean {
  /**
   * whether the rests of both patterns may match the same text; for the previous row and the
   * current one
   */
  let below: boolean[] = [];
  for (let at = one.length; at >= 0; at -= 1) {
    const row: boolean[] = [];
    for (let to = other.length; to >= 0; to -= 1) {
      const [left, right] = [one[at], other[to]];
      row[to] =
        left === undefined && right === undefined
          ? true
          : (isRepeating(left) &&
              ((below[to] ?? false) || (canContain(left, right) && row[to + 1] === true))) ||
            (isRepeating(right) &&
              (row[to + 1] === true || (canContain(right, left) && (below[to] ?? false)))) ||
            (mayMatchSame(left, right) && below[to + 1] === true);
    }
    below = row;
  }
  return below[0] ?? false;
}

/** Whether the token matches any number of characters. */
function isRepeating(token: Token | undefined): token is Token {
  return token === STAR || token === ANY || token === FOLDERS;
}

/** Whether a character that `token` matches can be part of what `text` matches. */
function canContain(text: Token, token: Token | undefined): boolean {
  if (token === undefined || isRepeating(token)) return false;
  return text !== STAR || token !== SLASH;
}

/** Whether both match a single character, and may match the same one. */
function mayMatchSame(one: Token | undefined, other: Token | undefined): boolean {
  if (one === undefined || other === undefined || isRepeating(one) || isRepeating(other))
    return false;
  if (one === ONE) return other !== SLASH;
  return other === ONE ? one !== SLASH : one === other;
}

/** An expected failure, as a value. `message` says what was wrong and what to do instead. */
export interface PatternFault<Code extends string = string> {
  readonly ok: false;
  readonly code: Code;
  readonly message: string;
}

export function patternFault<Code extends string>(code: Code, message: string): PatternFault<Code> {
  return { ok: false, code, message };
}

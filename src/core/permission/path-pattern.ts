import { fault, type Fault } from './fault';

/** UTF-16 units of a pattern as it is written. */
export const MAX_PATTERN = 256;

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
export function readPattern(written: string): PathPattern | Fault<'bad_pattern'> {
  const bad = (message: string): Fault<'bad_pattern'> => fault('bad_pattern', message);
  const text = written.normalize('NFC');
  if (text === '') return bad('This pattern is empty. Use ** for all paths.');
  if (Math.max(text.length, written.length) > MAX_PATTERN) {
    return bad(`This pattern is too long. Use at most ${MAX_PATTERN} characters.`);
  }
  if (/\\(?![\\*?])/.test(text.replace(/\\\\/g, ''))) {
    return bad('This pattern holds a backslash. Put "/" between folders.');
  }
  if (text.startsWith('/') || text.includes('//')) {
    return bad('This pattern begins with "/" or holds "//". Begin with a folder of the vault.');
  }
  if (text.endsWith('/')) {
    return bad(`This pattern ends with "/". Use ${text}** for the folder and all in it.`);
  }
  if (/[\p{Cc}\p{Surrogate}]/u.test(text)) {
    return bad('This pattern holds a control character. Write it anew.');
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

/** Inline content of a message. Strings are plain text, whatever they contain. */
export type Inline =
  | string
  | { readonly kind: 'break' }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: Emphasis; readonly children: readonly Inline[] }
  | { readonly kind: 'link'; readonly address: string; readonly children: readonly Inline[] }
  | { readonly kind: 'image'; readonly address: string; readonly alt: string };

type Emphasis = 'em' | 'strong' | 'del' | 'mark';

/** A delimiter as it was read; `to`: index of the token that closes it. */
interface Delimiter {
  readonly kind: 'delimiter';
  readonly text: string;
  to?: number;
}

type InlineToken = Inline | Delimiter;

const EMPHASIS: ReadonlyMap<string, Emphasis> = new Map([
  ['*', 'em'],
  ['_', 'em'],
  ['**', 'strong'],
  ['__', 'strong'],
  ['~~', 'del'],
  ['==', 'mark'],
]);

/**
 * Parses the text inside a block: emphasis, code, links, line breaks. Takes linear time for any
 * text; HTML stays text.
 * @param depth number of links around this text; inside a link no further ones are parsed
 */
export function readInline(text: string, depth = 0): readonly Inline[] {
  const tokens = new InlineScanner(text, depth).tokens();
  return buildTree(tokens, 0, tokens.length);
}

/** Builds the tree; delimiters without a partner become text. */
function buildTree(tokens: readonly InlineToken[], from: number, to: number): readonly Inline[] {
  const out: Inline[] = [];
  for (let at = from; at < to; at += 1) {
    const token = tokens[at] as InlineToken;
    if (typeof token === 'string' || token.kind !== 'delimiter') append(out, token);
    else if (token.to === undefined) append(out, token.text);
    else {
      const kind = EMPHASIS.get(token.text) ?? 'em';
      out.push({ kind, children: buildTree(tokens, at + 1, token.to) });
      at = token.to;
    }
  }
  return out;
}

function append(out: Inline[], token: Inline): void {
  const last = out.at(-1);
  if (typeof token === 'string' && typeof last === 'string') out[out.length - 1] = last + token;
  else out.push(token);
}

/** Most brackets that turn out to begin no link; after that many, the rest has no links. */
const MAX_FALSE_LINKS = 500;

/** Deepest nesting of emphasis; deeper marks are text. */
const MAX_EMPHASIS_DEPTH = 40;

const ENTITIES = new Map(
  Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00A0' }),
);

/** Scans from one special character to the next; a handler takes its match or one character. */
class InlineScanner {
  private readonly out: InlineToken[] = [];
  /** delimiters that wait for their partner, the innermost last */
  private readonly open: { char: string; size: number; at: number }[] = [];
  /** lengths of backtick runs that have no closing run in the rest */
  private readonly unclosed = new Set<number>();
  private falseLinks = 0;
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly depth: number,
  ) {}

  tokens(): readonly InlineToken[] {
    while (this.at < this.text.length) this.step();
    return this.out;
  }

  private step(): void {
    const plain = this.match(/[^\\`*_~=![<&\nhw]+|[hw]/y);
    if (plain !== undefined && !/^[hw]$/.test(plain)) return this.pushText(plain);
    if (plain !== undefined) {
      this.at -= 1;
      return this.address();
    }
    const char = this.text.charAt(this.at);
    if (char === '\n') {
      this.match(/\n[ \t]*/y);
      return void this.out.push({ kind: 'break' });
    }
    if (char === '\\')
      return this.pushText(this.match(/\\[!-/:-@[-`{-~]/y)?.slice(1) ?? this.nextChar());
    if (char === '`') return this.code();
    if (char === '!' || char === '[') return this.link();
    if (char === '<') return this.angle();
    return char === '&' ? this.entity() : this.delimiter();
  }

  private code(): void {
    const run = this.match(/`+/y) ?? '';
    let end = this.unclosed.has(run.length) ? -1 : this.text.indexOf(run, this.at);
    while (end >= 0) {
      let after = end;
      while (this.text[after] === '`') after += 1;
      if (after - end === run.length) break;
      end = this.text.indexOf(run, after);
    }
    if (end < 0) {
      this.unclosed.add(run.length);
      return this.pushText(run);
    }
    const inner = this.text.slice(this.at, end).replaceAll('\n', ' ');
    const padded = inner.startsWith(' ') && inner.endsWith(' ') && inner.trim() !== '';
    this.out.push({ kind: 'code', text: padded ? inner.slice(1, -1) : inner });
    this.at = end + run.length;
  }

  private link(): void {
    const reads = this.depth === 0 && this.falseLinks < MAX_FALSE_LINKS;
    const found = reads ? readLink(this.text, this.at) : undefined;
    if (found === undefined) {
      if (this.text[this.at] === '[') this.falseLinks += 1;
      return this.pushText(this.nextChar());
    }
    this.at = found.end;
    const { address, words, image } = found;
    if (image) this.out.push({ kind: 'image', address, alt: words });
    else this.out.push({ kind: 'link', address, children: readInline(words, this.depth + 1) });
  }

  private angle(): void {
    if (this.match(/<br\s{0,9}\/?>/iy) !== undefined) return void this.out.push({ kind: 'break' });
    const found = this.match(/<(?:https?:\/\/|mailto:)[^\s<>]{1,2000}>/iy)?.slice(1, -1);
    if (found === undefined) return this.pushText(this.nextChar());
    this.out.push({ kind: 'link', address: found, children: [found] });
  }

  /** A bare address; punctuation at its end belongs to the sentence. */
  private address(): void {
    const begins = !/[\p{L}\p{N}]/u.test(this.text[this.at - 1] ?? '') && this.depth === 0;
    const found = begins ? this.match(/(?:https?:\/\/|www\.)[^\s<>"`]{1,2000}/y) : undefined;
    if (found === undefined)
      return this.pushText(this.match(/[hw][^\\`*_~=![<&\nhw]*/y) ?? this.nextChar());
    const words = found.replace(/[.,:;!?*_~'")\]}]{1,20}$/, '');
    this.at -= found.length - words.length;
    const address = words.startsWith('www.') ? `https://${words}` : words;
    this.out.push({ kind: 'link', address, children: [words] });
  }

  private entity(): void {
    const found = this.match(/&(?:[a-z]{2,4}|#\d{1,6});/y);
    if (found === undefined) return this.pushText(this.nextChar());
    const name = found.slice(1, -1);
    const coded = name.startsWith('#');
    this.pushText(
      coded ? String.fromCodePoint(Number(name.slice(1))) : (ENTITIES.get(name) ?? found),
    );
  }

  private delimiter(): void {
    const before = this.text[this.at - 1] ?? ' ';
    const run = this.match(/\*+|_+|~+|=+/y) ?? this.nextChar();
    const after = this.text[this.at] ?? ' ';
    const char = run.charAt(0);
    const twoOnly = char === '~' || char === '=';
    if (!'*_~='.includes(char) || (twoOnly && run.length !== 2)) return this.pushText(run);
    const word = (other: string) => char === '_' && /[\p{L}\p{N}]/u.test(other);
    const opens =
      !/\s/.test(after) && !word(before) && !(isPunctuation(after) && !isBoundary(before));
    const closes =
      !/\s/.test(before) && !word(after) && !(isPunctuation(before) && !isBoundary(after));
    let left = run.length;
    while (closes && left > 0) {
      const closed = this.close(char, left);
      if (closed === 0) break;
      left -= closed;
    }
    while (left > 0 && opens && this.open.length < MAX_EMPHASIS_DEPTH) {
      const size = twoOnly || left >= 2 ? 2 : 1;
      this.open.push({ char, size, at: this.out.length });
      this.out.push({ kind: 'delimiter', text: char.repeat(size) });
      left -= size;
    }
    if (left > 0) this.pushText(char.repeat(left));
  }

  /**
   * @returns how many characters it consumed; open delimiters inside the closed pair become text
   */
  private close(char: string, left: number): number {
    const find = (size: number) =>
      this.open.findLastIndex((one) => one.char === char && one.size === size);
    const at = left === 2 && find(2) >= 0 ? find(2) : Math.max(find(1), left > 1 ? find(2) : -1);
    const opener = this.open[at];
    if (opener === undefined) return 0;
    this.open.splice(at);
    (this.out[opener.at] as Delimiter).to = this.out.length;
    this.out.push({ kind: 'delimiter', text: '' });
    return opener.size;
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  private nextChar(): string {
    this.at += 1;
    return this.text.charAt(this.at - 1);
  }

  private pushText(text: string): void {
    this.out.push(text);
  }
}

function isPunctuation(char: string): boolean {
  return /[\p{P}\p{S}]/u.test(char);
}

function isBoundary(char: string): boolean {
  return /\s/.test(char) || isPunctuation(char);
}

/** Most UTF-16 units of a link's words, and of its address; longer ones are text. */
const MAX_LINK_LENGTH = 1_000;

/**
 * Parses the link or image at index `at`: `[words](address)`, `![words](address)`,
 * `[[note|words]]`.
 * @returns its parts, and the index after it; the `address` of `[[note]]` is the note with `note:`
 * before it
 */
function readLink(text: string, at: number) {
  const image = text[at] === '!';
  const open = image ? at + 1 : at;
  if (text[open] !== '[') return undefined;
  if (text[open + 1] === '[') return noteLink(text, open);
  const close = closing(text, open);
  if (close < 0 || text[close + 1] !== '(') return undefined;
  const part = text.slice(close + 2, close + 2 + 2 * MAX_LINK_LENGTH);
  const found =
    /^[ \n]{0,9}(?:<([^<>\n]{0,1000})>|([^\s<>]{0,1000}))(?:\s{1,9}(?:"[^"]{0,500}"|'[^']{0,500}'))?\s{0,9}\)/.exec(
      balanced(part),
    );
  if (found === null) return undefined;
  const address = found[1] ?? found[2] ?? '';
  return { words: text.slice(open + 1, close), address, image, end: close + 2 + found[0].length };
}

function noteLink(text: string, open: number) {
  const end = text.slice(open, open + MAX_LINK_LENGTH).indexOf(']]');
  const inner = end < 0 ? '' : text.slice(open + 2, open + end);
  if (inner.trim() === '' || /[\n[]/.test(inner)) return undefined;
  const [note = '', words = note] = inner.split('|');
  return { words, address: `note:${note.trim()}`, image: false, end: open + end + 2 };
}

/** Index of the bracket that closes the one at `open`; -1 if there is none nearby. */
function closing(text: string, open: number): number {
  let depth = 0;
  const last = Math.min(text.length, open + MAX_LINK_LENGTH);
  for (let at = open; at < last; at += 1) {
    const char = text[at];
    if (char === '\\') at += 1;
    else if (char === '[') depth += 1;
    else if (char === ']' && (depth -= 1) === 0) return at;
    else if (char === '\n' && text[at + 1] === '\n') return -1;
  }
  return -1;
}

/** The text up to the parenthesis that closes the one before it. */
function balanced(text: string): string {
  let depth = 1;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1;
    else if (text[at] === ')' && (depth -= 1) === 0) return text.slice(0, at + 1);
  }
  return '';
}

/**
 * Classifies an address as a browser would read it. Only web, mail and notes of the vault become
 * links. An address that could run code or act, such as `javascript:`, `data:`, `file:`, `app:` and
 * `obsidian:`, is shown as text.
 */
export function linkTarget(address: string) {
  if (address.startsWith('note:')) return { kind: 'note', path: address.slice(5) } as const;
  // Browsers ignore spaces and control characters within a scheme.
  const bare = [...address].filter((char) => char > ' ' && char !== '\u007F').join('');
  if (/^(https?:\/\/|mailto:)[^\\]/i.test(bare)) return { kind: 'web', href: bare } as const;
  if (bare === '' || bare.includes(':') || /^[/\\#]/.test(bare)) return { kind: 'none' } as const;
  return { kind: 'note', path: decodeAddress(address) } as const;
}

function decodeAddress(address: string): string {
  try {
    return decodeURI(address);
  } catch {
    return address;
  }
}

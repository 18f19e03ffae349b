import { readInline, type Delimiter, type Token } from './inline';
import { readLink } from './read-link';

/** Brackets that begin no link after all; so many of them and the text has no more links. */
const FALSE_LINKS = 500;

/** Emphasis within emphasis; deeper marks are text. */
const DEEPEST = 40;

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00A0',
};

/** From the first character of interest to the next; each way takes its whole match or one character. */
export class InlineScanner {
  private readonly out: Token[] = [];
  /** delimiters that wait for their partner, the innermost last */
  private readonly open: { readonly char: string; readonly size: number; readonly at: number }[] =
    [];
  /** lengths of backtick runs that nothing closes any more */
  private readonly unclosed = new Set<number>();
  private falseLinks = 0;
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly depth: number,
  ) {}

  tokens(): readonly Token[] {
    while (this.at < this.text.length) this.step();
    return this.out;
  }

  private step(): void {
    const plain = this.match(/[^\\`*_~=![<&\nhw]+|[hw]/y);
    if (plain !== undefined && !/^[hw]$/.test(plain)) return this.put(plain);
    if (plain !== undefined) {
      this.at -= 1;
      return this.address();
    }
    switch (this.text.charAt(this.at)) {
      case '\n':
        this.match(/\n[ \t]*/y);
        return void this.out.push({ kind: 'break' });
      case '\\':
        return this.put(this.match(/\\[!-/:-@[-`{-~]/y)?.slice(1) ?? this.one());
      case '`':
        return this.code();
      case '!':
      case '[':
        return this.link();
      case '<':
        return this.angle();
      case '&':
        return this.entity();
      default:
        return this.delimiter();
    }
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
      return this.put(run);
    }
    const inner = this.text.slice(this.at, end).replaceAll('\n', ' ');
    const padded = inner.startsWith(' ') && inner.endsWith(' ') && inner.trim() !== '';
    this.out.push({ kind: 'code', text: padded ? inner.slice(1, -1) : inner });
    this.at = end + run.length;
  }

  private link(): void {
    const reads = this.depth === 0 && this.falseLinks < FALSE_LINKS;
    const found = reads ? readLink(this.text, this.at) : undefined;
    if (found === undefined) {
      if (this.text[this.at] === '[') this.falseLinks += 1;
      return this.put(this.one());
    }
    this.at = found.end;
    const { address, words, image } = found;
    if (image) this.out.push({ kind: 'image', address, alt: words });
    else this.out.push({ kind: 'link', address, children: readInline(words, this.depth + 1) });
  }

  private angle(): void {
    if (this.match(/<br\s{0,9}\/?>/iy) !== undefined) return void this.out.push({ kind: 'break' });
    const found = this.match(/<(?:https?:\/\/|mailto:)[^\s<>]{1,2000}>/iy)?.slice(1, -1);
    if (found === undefined) return this.put(this.one());
    this.out.push({ kind: 'link', address: found, children: [found] });
  }

  /** A bare address; what punctuation follows it belongs to the sentence. */
  private address(): void {
    const begins = !/[\p{L}\p{N}]/u.test(this.text[this.at - 1] ?? '') && this.depth === 0;
    const found = begins ? this.match(/(?:https?:\/\/|www\.)[^\s<>"`]{1,2000}/y) : undefined;
    if (found === undefined) return this.put(this.match(/[hw][^\\`*_~=![<&\nhw]*/y) ?? this.one());
    const words = found.replace(/[.,:;!?*_~'")\]}]{1,20}$/, '');
    this.at -= found.length - words.length;
    const address = words.startsWith('www.') ? `https://${words}` : words;
    this.out.push({ kind: 'link', address, children: [words] });
  }

  private entity(): void {
    const found = this.match(/&(?:[a-z]{2,4}|#\d{1,6});/y);
    if (found === undefined) return this.put(this.one());
    const name = found.slice(1, -1);
    const code = name.startsWith('#') ? String.fromCodePoint(Number(name.slice(1))) : undefined;
    this.put(code ?? (Object.hasOwn(ENTITIES, name) ? (ENTITIES[name] ?? found) : found));
  }

  private delimiter(): void {
    const before = this.text[this.at - 1] ?? ' ';
    const run = this.match(/\*+|_+|~+|=+/y) ?? this.one();
    const after = this.text[this.at] ?? ' ';
    const char = run.charAt(0);
    const twoOnly = char === '~' || char === '=';
    if (!'*_~='.includes(char) || (twoOnly && run.length !== 2)) return this.put(run);
    const word = (other: string) => char === '_' && /[\p{L}\p{N}]/u.test(other);
    const opens = !/\s/.test(after) && !word(before) && !(isMark(after) && !edge(before));
    const closes = !/\s/.test(before) && !word(after) && !(isMark(before) && !edge(after));
    let left = run.length;
    while (closes && left > 0) {
      const closed = this.close(char, left);
      if (closed === 0) break;
      left -= closed;
    }
    while (left > 0 && opens && this.open.length < DEEPEST) {
      const size = twoOnly || left >= 2 ? 2 : 1;
      this.open.push({ char, size, at: this.out.length });
      this.out.push({ kind: 'delimiter', text: char.repeat(size) });
      left -= size;
    }
    if (left > 0) this.put(char.repeat(left));
  }

  /** @returns how many characters it took; what waits inside of what it closed is text */
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

  private one(): string {
    this.at += 1;
    return this.text.charAt(this.at - 1);
  }

  private put(text: string): void {
    this.out.push(text);
  }
}

function isMark(char: string): boolean {
  return /[\p{P}\p{S}]/u.test(char);
}

function edge(char: string): boolean {
  return /\s/.test(char) || isMark(char);
}

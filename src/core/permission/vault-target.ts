import { ANY, FOLDERS, ONE, STAR, TAIL, type PathPattern, type Token } from './path-pattern';

/** One spelling of a path, prepared for matching on first use. */
class Spelling {
  private exactText: PathMatcher | undefined;
  private foldedTexts: readonly PathMatcher[] | undefined;

  constructor(readonly text: string) {}

  /** as written, for rules that allow */
  get exact(): PathMatcher {
    return (this.exactText ??= new PathMatcher(this.text));
  }

  /** case-folded, for rules that ask or deny; two forms if folding changes the length */
  get folded(): readonly PathMatcher[] {
    return (this.foldedTexts ??= [...new Set([foldChars(this.text), foldPath(this.text)])].map(
      (form) => new PathMatcher(form),
    ));
  }
}

/** The path of the vault itself, as a folder to list or search. */
export const VAULT_ROOT = '';

/**
 * A file or folder in the vault that a call refers to. Only a `PathResolver` creates targets, so
 * the path of every target is validated.
 */
export class VaultTarget {
  private readonly spellings: readonly Spelling[];

  /**
   * @param path in NFC
   * @param real the path once all links are followed, if it differs
   */
  constructor(
    readonly path: string,
    readonly real: string = path,
  ) {
    this.spellings = (path === real ? [path] : [path, real]).map((text) => new Spelling(text));
  }

  /** Whether the pattern allows it: all of its paths match, case-sensitively. */
  allowedBy(pattern: PathPattern): boolean {
    return this.spellings.every(({ exact }) => exact.matches(pattern));
  }

  /**
   * Whether the pattern asks about or denies it: one of its paths matches, ignoring case and
   * Unicode form.
   */
  restrictedBy(forms: readonly PathPattern[]): boolean {
    return this.spellings.some(({ folded }) =>
      folded.some((text) => forms.some((form) => text.matches(form))),
    );
  }

  /** The path and, if it differs, the real path. */
  get paths(): readonly string[] {
    return this.spellings.map(({ text }) => text);
  }

  /** Whether both have the same path and lead to the same place. */
  equals(other: VaultTarget): boolean {
    return this.path === other.path && this.real === other.real;
  }
}

const SLASH = 47;

/**
 * A path prepared for matching against many patterns. The positions that matching has reached are a
 * bit set, with one bit for each position between two characters, and each token moves all of them
 * at once. So matching takes at most `tokens × ⌈length / 32⌉` steps for any pattern, and stops once
 * no position is left.
 */
export class PathMatcher {
  private readonly wordCount: number;
  private readonly length: number;
  /** positions of each character; ASCII ones are indexed by code */
  private readonly ascii: (Int32Array | undefined)[] = [];
  private readonly others = new Map<number, Int32Array>();
  private readonly inName: Int32Array;
  /** positions at which a name begins */
  private readonly begins: Int32Array;
  private readonly set: Int32Array;

  constructor(path: string) {
    const codes = Array.from(path, (char) => char.codePointAt(0) as number);
    this.length = codes.length;
    this.wordCount = (this.length >> 5) + 1;
    this.inName = new Int32Array(this.wordCount);
    this.begins = new Int32Array(this.wordCount);
    this.set = new Int32Array(this.wordCount);
    this.begins[0] = 1;
    codes.forEach((code, at) => {
      setBit(this.bitsFor(code), at);
      if (code === SLASH) setBit(this.begins, at + 1);
      else setBit(this.inName, at);
    });
  }

  /** Whether the whole path matches. */
  matches({ tokens, needs }: PathPattern): boolean {
    const { set, length } = this;
    if ((needs[0] ?? 0) > length) return false;
    set.fill(0);
    set[0] = 1;
    /** The first and the last word with a bit set. Positions too far from the end are dropped. */
    let from = 0;
    let to = 0;
    for (let at = 0; at < tokens.length; at += 1) {
      const token = tokens[at] as Token;
      if (token === TAIL) return hasBit(set, length) || this.isAtSlash();
      const room = length - (needs[at] as number);
      if (token === STAR) to = this.advanceInName(from, to, room >> 5);
      else if (token === ANY || token === FOLDERS)
        to = this.advanceAny(from, room >> 5, token === FOLDERS);
      else {
        const where = token === ONE ? this.inName : this.findBits(token);
        if (where === undefined) return false;
        to = this.advanceOne(where, from, to, (room + 1) >> 5);
        while (from <= to && set[from] === 0) from += 1;
        if (from > to) return false;
      }
    }
    return hasBit(set, length);
  }

  /**
   * Moves each position past one character, if that character is there.
   * @returns the last word, at most `end`
   */
  private advanceOne(where: Int32Array, from: number, to: number, end: number): number {
    const { set } = this;
    let carry = 0;
    for (let word = from; word <= to; word += 1) {
      const kept = (set[word] as number) & (where[word] as number);
      set[word] = (kept << 1) | carry;
      carry = kept >>> 31;
    }
    if (carry === 0 || to >= end) return to;
    set[to + 1] = 1;
    return to + 1;
  }

  /** Spreads each position to the end of its name: addition carries a bit through a run of ones. */
  private advanceInName(from: number, to: number, end: number): number {
    const { set, inName } = this;
    let carry = 0;
    let last = to;
    for (let word = from; word <= end && (word <= to || carry > 0); word += 1) {
      const places = set[word] as number;
      const run = inName[word] as number;
      const sum = ((places & run) >>> 0) + (run >>> 0) + carry;
      carry = sum > 0xffffffff ? 1 : 0;
      set[word] = (sum ^ run) | places;
      last = Math.max(last, word);
    }
    return last;
  }

  /** Sets every position from the first one on, or only those at which a name begins. */
  private advanceAny(from: number, end: number, names: boolean): number {
    const { set, begins } = this;
    const first = set[from] as number;
    const behind = -(first & -first);
    for (let word = from; word <= end; word += 1) {
      const reached = word === from ? behind : -1;
      set[word] = names ? (set[word] as number) | (reached & (begins[word] as number)) : reached;
    }
    return end;
  }

  private isAtSlash(): boolean {
    const slashes = this.findBits(SLASH);
    return (
      slashes !== undefined && this.set.some((word, at) => (word & (slashes[at] as number)) !== 0)
    );
  }

  private findBits(code: number): Int32Array | undefined {
    return code < 128 ? this.ascii[code] : this.others.get(code);
  }

  private bitsFor(code: number): Int32Array {
    const known = this.findBits(code);
    if (known !== undefined) return known;
    const made = new Int32Array(this.wordCount);
    if (code < 128) this.ascii[code] = made;
    else this.others.set(code, made);
    return made;
  }
}

function setBit(bits: Int32Array, at: number): void {
  bits[at >> 5] = (bits[at >> 5] as number) | (1 << (at & 31));
}

function hasBit(bits: Int32Array, at: number): boolean {
  return (((bits[at >> 5] as number) >>> (at & 31)) & 1) === 1;
}

/**
 * Normalizes a path as a disk does that ignores case and Unicode form: spellings that any such disk
 * treats as one name become equal (and possibly more). The length may change.
 */
export function foldPath(path: string): string {
  if (isAscii(path)) return path.toLowerCase();
  const visible = path.replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  const lower = visible.normalize('NFD').toUpperCase().toLowerCase();
  return lower.replaceAll('ς', 'σ').normalize('NFC');
}

/**
 * Like {@link foldPath}, but character by character, so that `?` still matches one character. For
 * patterns and paths.
 */
export function foldChars(path: string): string {
  if (isAscii(path)) return path.toLowerCase();
  let folded = '';
  for (const char of path.normalize('NFC')) folded += foldChar(char);
  return folded;
}

function foldChar(char: string): string {
  const upper = char.toUpperCase();
  const lower = (isSingleChar(upper) ? upper : char).toLowerCase();
  if (lower === 'ς') return 'σ';
  return isSingleChar(lower) ? lower : char;
}

function isSingleChar(text: string): boolean {
  return text.length === 1 || (text.length === 2 && (text.codePointAt(0) as number) > 0xffff);
}

function isAscii(text: string): boolean {
  return !/[^ -~]/.test(text);
}

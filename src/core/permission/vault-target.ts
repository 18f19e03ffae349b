import { ANY, FOLDERS, ONE, STAR, TAIL, type PathPattern, type Token } from './path-pattern';

/** How rules see one path; made ready only for rules that look at it. */
class Spelling {
  private exactText: PathText | undefined;
  private foldedTexts: readonly PathText[] | undefined;

  constructor(readonly text: string) {}

  /** as it is written, for what allows */
  get exact(): PathText {
    return (this.exactText ??= new PathText(this.text));
  }

  /** without case, for what holds back; one more where folding changes its length */
  get folded(): readonly PathText[] {
    return (this.foldedTexts ??= [...new Set([foldChars(this.text), foldPath(this.text)])].map(
      (form) => new PathText(form),
    ));
  }
}

/** The whole vault, as a folder that is listed or searched. */
export const VAULT = '';

/**
 * A file or folder of the vault that a call is about. Only a `PathResolver` makes one; so whatever has
 * one has a path that was checked.
 */
export class VaultTarget {
  private readonly spellings: readonly Spelling[];

  /**
   * @param path in NFC
   * @param real where that is once all links are followed, if somewhere else
   */
  constructor(
    readonly path: string,
    readonly real: string = path,
  ) {
    this.spellings = (path === real ? [path] : [path, real]).map((text) => new Spelling(text));
  }

  /** Whether the pattern lets it through: each of its paths fits, letter for letter. */
  allowedBy(pattern: PathPattern): boolean {
    return this.spellings.every(({ exact }) => exact.fits(pattern));
  }

  /** Whether the pattern holds it back: one of its paths fits, in any case and Unicode form. */
  heldBy(forms: readonly PathPattern[]): boolean {
    return this.spellings.some(({ folded }) =>
      folded.some((text) => forms.some((form) => text.fits(form))),
    );
  }

  /** All paths it is known by. */
  get paths(): readonly string[] {
    return this.spellings.map(({ text }) => text);
  }

  /** Whether this names the same place as when it was looked at before. */
  equals(other: VaultTarget): boolean {
    return this.path === other.path && this.real === other.real;
  }
}

const SLASH = 47;

/**
 * A path, made ready to be matched against many patterns. A set of places in it is a row of bits, one
 * for each place between two characters, and a token moves them all at once; so matching takes at most
 * `tokens × ⌈length / 32⌉` steps for the worst of patterns, and ends where no place is left.
 */
export class PathText {
  private readonly words: number;
  private readonly length: number;
  /** where each character stands; those of ASCII by their code */
  private readonly ascii: (Int32Array | undefined)[] = [];
  private readonly others = new Map<number, Int32Array>();
  private readonly inName: Int32Array;
  /** where a name begins */
  private readonly begins: Int32Array;
  private readonly set: Int32Array;

  constructor(path: string) {
    const codes = Array.from(path, (char) => char.codePointAt(0) as number);
    this.length = codes.length;
    this.words = (this.length >> 5) + 1;
    this.inName = new Int32Array(this.words);
    this.begins = new Int32Array(this.words);
    this.set = new Int32Array(this.words);
    this.begins[0] = 1;
    codes.forEach((code, at) => {
      put(this.place(code), at);
      if (code === SLASH) put(this.begins, at + 1);
      else put(this.inName, at);
    });
  }

  /** Whether the whole path fits. */
  fits({ tokens, needs }: PathPattern): boolean {
    const { set, length } = this;
    if ((needs[0] ?? 0) > length) return false;
    set.fill(0);
    set[0] = 1;
    /** The first and the last word that hold a place; those from which the end is too far are left out. */
    let from = 0;
    let to = 0;
    for (let at = 0; at < tokens.length; at += 1) {
      const token = tokens[at] as Token;
      if (token === TAIL) return has(set, length) || this.atSlash();
      const room = length - (needs[at] as number);
      if (token === STAR) to = this.overName(from, to, room >> 5);
      else if (token === ANY || token === FOLDERS)
        to = this.over(from, room >> 5, token === FOLDERS);
      else {
        const where = token === ONE ? this.inName : this.placeOf(token);
        if (where === undefined) return false;
        to = this.step(where, from, to, (room + 1) >> 5);
        while (from <= to && set[from] === 0) from += 1;
        if (from > to) return false;
      }
    }
    return has(set, length);
  }

  /** Each place goes past one character, where that stands there. @returns the last word, at most `end` */
  private step(where: Int32Array, from: number, to: number, end: number): number {
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

  /** Each place spreads to the end of its name: adding carries a bit through a run of ones. */
  private overName(from: number, to: number, end: number): number {
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

  /** Every place behind the first one is reached, or every one where a name begins. */
  private over(from: number, end: number, names: boolean): number {
    const { set, begins } = this;
    const first = set[from] as number;
    const behind = -(first & -first);
    for (let word = from; word <= end; word += 1) {
      const reached = word === from ? behind : -1;
      set[word] = names ? (set[word] as number) | (reached & (begins[word] as number)) : reached;
    }
    return end;
  }

  private atSlash(): boolean {
    const slashes = this.placeOf(SLASH);
    return (
      slashes !== undefined && this.set.some((word, at) => (word & (slashes[at] as number)) !== 0)
    );
  }

  private placeOf(code: number): Int32Array | undefined {
    return code < 128 ? this.ascii[code] : this.others.get(code);
  }

  private place(code: number): Int32Array {
    const known = this.placeOf(code);
    if (known !== undefined) return known;
    const made = new Int32Array(this.words);
    if (code < 128) this.ascii[code] = made;
    else this.others.set(code, made);
    return made;
  }
}

function put(bits: Int32Array, at: number): void {
  bits[at >> 5] = (bits[at >> 5] as number) | (1 << (at & 31));
}

function has(bits: Int32Array, at: number): boolean {
  return (((bits[at >> 5] as number) >>> (at & 31)) & 1) === 1;
}

/**
 * A path as a disk may see it that tells neither case nor Unicode forms apart: two spellings that any
 * such disk takes for one name are one here (more may be). Its length may differ from the path's.
 */
export function foldPath(path: string): string {
  if (isAscii(path)) return path.toLowerCase();
  const visible = path.replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  const lower = visible.normalize('NFD').toUpperCase().toLowerCase();
  return lower.replaceAll('ς', 'σ').normalize('NFC');
}

/** The same, character by character, so that what `?` stands for stays one: for patterns and paths alike. */
export function foldChars(path: string): string {
  if (isAscii(path)) return path.toLowerCase();
  let folded = '';
  for (const char of path.normalize('NFC')) folded += foldChar(char);
  return folded;
}

function foldChar(char: string): string {
  const upper = char.toUpperCase();
  const lower = (isOne(upper) ? upper : char).toLowerCase();
  if (lower === 'ς') return 'σ';
  return isOne(lower) ? lower : char;
}

function isOne(text: string): boolean {
  return text.length === 1 || (text.length === 2 && (text.codePointAt(0) as number) > 0xffff);
}

function isAscii(text: string): boolean {
  return !/[^ -~]/.test(text);
}

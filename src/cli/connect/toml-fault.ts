/** A mistake in a text of TOML. */
interface TomlFault {
  /** 1-based */
  readonly line: number;
  /** what is wrong there, without a full stop */
  readonly what: string;
}

/** Maximum nesting of arrays and inline tables. */
const MAX_DEPTH = 100;

const BYTE_ORDER_MARK = /\ufeff?/y;
const BLANKS = /(?:[ \t\r\n]+|#[^\n]*)*/y;
const END_OF_LINE = /[ \t]*(?:#[^\n]*)?\r?(?:\n|$)/y;
const EQUALS = /[ \t]*=[ \t]*/y;
const COMMA = /,/y;
const ARRAY = [/\[/y, /\]/y] as const;
const INLINE_TABLE = [/\{/y, /\}/y] as const;

const STRING = String.raw`"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*"|'[^'\n]*'`;
const LONG_STRING = String.raw`"""[^"\\]*(?:(?:\\[^]|"{1,2}(?!"))[^"\\]*)*"""(?:"{1,2})?|'''[^']*(?:'{1,2}(?!')[^']*)*'''(?:'{1,2})?`;
const OTHER_VALUE = String.raw`true|false|[+-]?(?:inf|nan|\d[\w+.:-]*(?: \d[\w+.:-]*)?)`;
const SCALAR = new RegExp(`${LONG_STRING}|${STRING}|${OTHER_VALUE}`, 'y');
const NAME = String.raw`(?:[\w-]+|${STRING})`;
const NAMES = String.raw`${NAME}(?:[ \t]*\.[ \t]*${NAME})*`;
const KEY = new RegExp(NAMES, 'y');
const TABLE = new RegExp(String.raw`\[[ \t]*${NAMES}[ \t]*\]|\[\[[ \t]*${NAMES}[ \t]*\]\]`, 'y');

/**
 * The first mistake in a text of TOML; undefined if there is none. Accepts all of TOML 1.1, and some
 * more: keys and tables that are there twice, and numbers and dates that are out of range.
 */
export function tomlFault(text: string): TomlFault | undefined {
  const reader = new TomlReader(text);
  const what = reader.document();
  if (what === undefined) return undefined;
  return { line: text.slice(0, reader.position).split('\n').length, what };
}

/** Its methods return what is wrong at `position`; undefined if nothing is. */
class TomlReader {
  position = 0;

  constructor(private readonly text: string) {}

  document(): string | undefined {
    this.take(BYTE_ORDER_MARK);
    for (;;) {
      this.take(BLANKS);
      if (this.position === this.text.length) return undefined;
      const wrong = this.text[this.position] === '[' ? this.table() : this.pair(0);
      if (wrong !== undefined) return wrong;
      if (!this.take(END_OF_LINE)) return 'the line goes on after its end';
    }
  }

  private table(): string | undefined {
    return this.take(TABLE) ? undefined : 'a table is neither [name] nor [[name]]';
  }

  private pair(depth: number): string | undefined {
    if (!this.take(KEY)) return 'a key is missing';
    if (!this.take(EQUALS)) return 'there is no "=" behind the key';
    return this.value(depth);
  }

  private value(depth: number): string | undefined {
    if (this.take(SCALAR)) return undefined;
    if (depth === MAX_DEPTH) return 'it is nested too deep to be read';
    if (this.take(ARRAY[0])) return this.items(ARRAY[1], () => this.value(depth + 1));
    if (this.take(INLINE_TABLE[0])) return this.items(INLINE_TABLE[1], () => this.pair(depth + 1));
    return 'a value is missing, or a text has no quotes around it';
  }

  private items(close: RegExp, item: () => string | undefined): string | undefined {
    for (;;) {
      this.take(BLANKS);
      if (this.take(close)) return undefined;
      const wrong = item();
      if (wrong !== undefined) return wrong;
      this.take(BLANKS);
      if (this.take(close)) return undefined;
      if (!this.take(COMMA)) return 'a comma or a closing bracket is missing';
    }
  }

  /** Goes on behind the pattern, if it is here. */
  private take(pattern: RegExp): boolean {
    pattern.lastIndex = this.position;
    if (!pattern.test(this.text)) return false;
    this.position = pattern.lastIndex;
    return true;
  }
}

import { opensParenField } from './dataview';
import { FIRST_EMOJI_UNIT, tailKind } from './field-emoji';
import { blockIdEnd, isDate, wordEnd } from './field-value';
import type { OwnField } from './line-facts';
import { isBlank, skipBlanks, trimBlanks } from './list-item';

const OPEN = 0x5b;
const CLOSE = 0x5d;
const CARET = 0x5e;

/**
 * Reads a task line of the common shape in one pass, without a copy: title, own fields, emoji fields,
 * block id, each at most once. One reader is used for all lines of a note; what it has read stands in
 * it until the next. What it says of a line is what `readTaskLine` says of it.
 */
export class PlainLine {
  /** offsets into the text: of the title, id, prerequisites, block id; -1 for none */
  from = 0;
  titleEnd = 0;
  id = -1;
  idEnd = -1;
  waits = -1;
  waitsEnd = -1;
  /** more than one prerequisite, with commas between them */
  several = false;
  blockId = -1;
  blockIdEnd = -1;
  due = -1;
  done = -1;
  cancelled = -1;
  /** code point of its emoji, 0 for none */
  priority = 0;
  /** own fields by name, undefined where there is none */
  own: Map<OwnField, string> | undefined = undefined;
  private text = '';
  private end = 0;

  /**
   * False where the line has another shape; nothing may be read from here then.
   * @param after offset behind the mark's `]`
   */
  read(text: string, after: number, lineEnd: number): boolean {
    this.text = text;
    this.from = skipBlanks(text, after, lineEnd);
    this.end = trimBlanks(text, this.from, lineEnd);
    this.id = this.waits = this.blockId = this.due = this.done = this.cancelled = -1;
    this.priority = 0;
    this.own = undefined;
    let at = this.readTitle();
    while (at >= 0 && at < this.end && text.charCodeAt(at) === OPEN) at = this.readOwn(at);
    while (at >= 0 && at < this.end) at = this.readField(at);
    return at >= 0;
  }

  /** Offset of what follows the title, -1 where something in it needs a closer look. */
  private readTitle(): number {
    const { text, from, end } = this;
    let at = from;
    for (; at < end; at += 1) {
      const unit = text.charCodeAt(at);
      if (unit > 0x60 && unit < FIRST_EMOJI_UNIT) continue;
      if (unit >= FIRST_EMOJI_UNIT) {
        if (tailKind(text.codePointAt(at) as number) !== undefined) break;
      } else if (unit === OPEN) break;
      else if (unit === CARET && (at === from || isBlank(text.charCodeAt(at - 1)))) break;
      else if (unit === 0x5c || unit === 0x60 || unit === 0x26) return -1;
      else if (unit === 0x28 && opensParenField(text, at, end)) return -1;
    }
    this.titleEnd = trimBlanks(text, from, at);
    return at;
  }

  /** `[name:: value]` at `at`: offset of what follows it. */
  private readOwn(at: number): number {
    const { text, end } = this;
    const colons = wordEnd(text, at + 1, end);
    if (text.charCodeAt(colons) !== 0x3a || text.charCodeAt(colons + 1) !== 0x3a) return -1;
    let close = colons + 2;
    for (; close < end; close += 1) {
      const unit = text.charCodeAt(close);
      if (unit === CLOSE) break;
      if (unit >= FIRST_EMOJI_UNIT || isBracketOrEscape(unit)) return -1;
    }
    if (close >= end || text.charCodeAt(close + 1) === 0x28) return -1;
    const from = skipBlanks(text, colons + 2, close);
    const to = trimBlanks(text, from, close);
    const name = ownName(text, at + 1, colons);
    if (name === undefined || from === to || this.own?.has(name)) return -1;
    (this.own ??= new Map()).set(name, text.slice(from, to));
    return skipBlanks(text, close + 1, end);
  }

  /** An emoji field or the block id at `at`: offset of what follows it. */
  private readField(at: number): number {
    const { text, end } = this;
    const first = text.charCodeAt(at);
    if (first === CARET) return this.readBlockId(at);
    if (first < FIRST_EMOJI_UNIT) return -1;
    const point = text.codePointAt(at) as number;
    const value = skipBlanks(text, point > 0xffff ? at + 2 : at + 1, end);
    const kind = tailKind(point);
    if (kind === 'id') return this.readId(value);
    if (kind === 'dependsOn') return this.readWaits(value);
    if (kind === 'priority') {
      if (this.priority !== 0) return -1;
      this.priority = point;
      return value;
    }
    if (kind !== 'due' && kind !== 'done' && kind !== 'cancelled') return -1;
    if (this[kind] >= 0 || value + 10 > end || !isDate(text, value, value + 10)) return -1;
    this[kind] = value;
    return this.behindValue(value + 10);
  }

  private readId(from: number): number {
    const to = wordEnd(this.text, from, this.end);
    if (to === from || this.id >= 0) return -1;
    this.id = from;
    this.idEnd = to;
    return this.behindValue(to);
  }

  private readWaits(from: number): number {
    const { text, end } = this;
    if (this.waits >= 0) return -1;
    this.waits = from;
    this.several = false;
    for (let start = from; ;) {
      const to = wordEnd(text, start, end);
      if (to === start) return -1;
      this.waitsEnd = to;
      const comma = skipBlanks(text, to, end);
      if (comma >= end || text.charCodeAt(comma) !== 0x2c) return this.behindValue(to);
      this.several = true;
      start = skipBlanks(text, comma + 1, end);
    }
  }

  /** Only at the line's end: what may follow it is for the closer look. */
  private readBlockId(at: number): number {
    const { text, end } = this;
    if (at > this.from && !isBlank(text.charCodeAt(at - 1))) return -1;
    const from = at + 1;
    const to = blockIdEnd(text, from, end);
    if (to === from || to < end) return -1;
    this.blockId = from;
    this.blockIdEnd = to;
    return to;
  }

  /** What follows a value: behind blanks, or an emoji right at it. */
  private behindValue(at: number): number {
    return skipBlanks(this.text, at, this.end);
  }
}

function isBracketOrEscape(unit: number): boolean {
  return (
    unit === OPEN ||
    unit === 0x5c ||
    unit === 0x60 ||
    unit === 0x26 ||
    unit === 0x28 ||
    unit === 0x29
  );
}

/** The name of an own field, without a copy where it is none. */
function ownName(text: string, from: number, to: number): OwnField | undefined {
  switch (text.charCodeAt(from)) {
    case 0x6f:
      return named('owner', text, from, to);
    case 0x73:
      return named('scope', text, from, to);
    case 0x72:
      return named('risk', text, from, to) ?? named('reason', text, from, to);
    case 0x69:
      return named('impact', text, from, to);
    case 0x6c:
      return named('level', text, from, to);
    case 0x65:
      return named('estimate', text, from, to);
    case 0x61:
      return named('approve', text, from, to);
    case 0x77:
      return named('waitsFor', text, from, to);
    default:
      return undefined;
  }
}

function named(name: OwnField, text: string, from: number, to: number): OwnField | undefined {
  return to - from === name.length && text.startsWith(name, from) ? name : undefined;
}

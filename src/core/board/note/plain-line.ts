import {
  blockIdEnd,
  FIRST_EMOJI_UNIT,
  isDate,
  opensParenField,
  tailKind,
  wordEnd,
} from './field-syntax';
import { OWN_FIELDS, priorityOf, type OwnField } from './line-facts';
import { isBlank, skipBlanks, trimBlanks } from './lines';
import type { Task } from '../task';
import { markAt, statusAt, type Surroundings, type TaskBlock } from './task-block';

const OPEN = 0x5b;

const CLOSE = 0x5d;

const CARET = 0x5e;

const UNDERSCORE = 0x5f;

/**
 * Reads a task line of the common shape in one pass, without a copy: title, own fields, emoji fields,
 * block id, each at most once. One reader is used for all lines of a note; what it has read stands in
 * it until the next. What it says of a line is what `readTaskLine` says of it.
 */
export class PlainLine {
  /** offsets into the text: of the title, prerequisites, a block id that is not the id; -1 for none */
  from = 0;
  titleEnd = 0;
  waits = -1;
  waitsEnd = -1;
  /** more than one prerequisite, with commas between them */
  several = false;
  blockId = -1;
  blockIdEnd = -1;
  due = -1;
  done = -1;
  cancelled = -1;
  id: string | null = null;
  /** the block id is the id; then `blockId` is -1 */
  linked = false;
  /** code point of its emoji, 0 for none */
  priority = 0;
  /** own fields in the order of `OWN_FIELDS`, null for each that is not there; null where there is none */
  own: (string | null)[] | null = null;
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
    this.waits = this.blockId = this.due = this.done = this.cancelled = -1;
    this.id = null;
    this.linked = false;
    this.priority = 0;
    this.own = null;
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
      // Blanks; `)` to `Z`: digits, capitals, and signs that begin nothing.
      if (unit === 0x20 || (unit > 0x28 && unit < OPEN)) continue;
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
    const name = ownIndex(text, at + 1, colons);
    if (name < 0 || from === to) return -1;
    const own = (this.own ??= OWN_FIELDS.map(() => null));
    if (own[name] !== null) return -1;
    own[name] = text.slice(from, to);
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
    switch (tailKind(point)) {
      case 'id':
        return this.readId(value);
      case 'dependsOn':
        return this.readWaits(value);
      case 'priority':
        if (this.priority !== 0) return -1;
        this.priority = point;
        return value;
      case 'due':
        return this.due < 0 ? this.behindDate((this.due = value)) : -1;
      case 'done':
        return this.done < 0 ? this.behindDate((this.done = value)) : -1;
      case 'cancelled':
        return this.cancelled < 0 ? this.behindDate((this.cancelled = value)) : -1;
      case 'created':
      case 'start':
      case 'scheduled':
      case 'recurrence':
      case 'onCompletion':
      case undefined:
        return -1;
    }
  }

  private behindDate(from: number): number {
    const to = from + 10;
    return to <= this.end && isDate(this.text, from, to) ? this.behindValue(to) : -1;
  }

  private readId(from: number): number {
    const { text, end } = this;
    const to = blockIdEnd(text, from, end);
    // An id with `_` can't be a block id, so it is none of the common ones.
    if (to === from || this.id !== null || text.charCodeAt(to) === UNDERSCORE) return -1;
    this.id = text.slice(from, to);
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
    const { id } = this;
    if (id !== null && id.length === end - from && text.startsWith(id, from)) {
      this.linked = true;
      return end;
    }
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

/** Index of an own field in `OWN_FIELDS`, -1 for another name; without a copy. */
function ownIndex(text: string, from: number, to: number): number {
  for (let i = 0; i < OWN_FIELDS.length; i += 1) {
    const name = OWN_FIELDS[i] as OwnField;
    if (name.length === to - from && text.startsWith(name, from)) return i;
  }
  return -1;
}

const NO_IDS: readonly string[] = [];

const NO_FIELDS: readonly (string | null)[] = OWN_FIELDS.map(() => null);

/** The task of a line that a `PlainLine` has just read: what `buildTask` makes of it, without what is between. */
export function plainTask(
  text: string,
  block: TaskBlock,
  line: PlainLine,
  around: Surroundings,
): Task {
  // In the order of `OWN_FIELDS`.
  const own = line.own ?? NO_FIELDS;
  // Written out: spreading objects of this size costs more than reading the line.
  return {
    key: around.key,
    id: around.id,
    n: around.n,
    title: text.slice(line.from, line.titleEnd),
    status: statusAt(text, block),
    mark: markAt(text, block),
    parent: around.parent,
    depth: block.depth,
    phase: around.phase,
    dependsOn: line.waits < 0 ? NO_IDS : idsIn(text, line),
    priority: priorityOf(line.priority),
    owner: own[0] ?? null,
    scope: own[1] ?? null,
    risk: own[2] ?? null,
    impact: own[3] ?? null,
    level: own[4] ?? null,
    reason: own[5] ?? null,
    estimate: own[6] ?? null,
    approve: own[7] ?? null,
    due: dateAt(text, line.due),
    done: dateAt(text, line.done),
    cancelled: dateAt(text, line.cancelled),
    waitsFor: own[8] ?? null,
    body: block.body,
    line: block.line,
    malformed: null,
  };
}

function dateAt(text: string, at: number): string | null {
  return at < 0 ? null : text.slice(at, at + 10);
}

function idsIn(text: string, { waits, waitsEnd, several }: PlainLine): readonly string[] {
  const ids = text.slice(waits, waitsEnd);
  if (!several) return [ids];
  return [...new Set(ids.split(',').map((id) => id.trim()))];
}

import type { TailKind } from './field-emoji';
import { skipBlanks } from './list-item';

/** Whether the text from `from` to `to` is what a field of that kind may hold, behind its emoji. */
export function isFieldValue(kind: TailKind, text: string, from: number, to: number): boolean {
  switch (kind) {
    case 'priority':
      return from === to;
    case 'id':
      return areIds(text, from, to, false);
    case 'dependsOn':
      return areIds(text, from, to, true);
    case 'recurrence':
      return from < to;
    case 'onCompletion':
      return /^[A-Za-z]+$/.test(text.slice(from, to));
    case 'created':
    case 'start':
    case 'scheduled':
    case 'due':
    case 'done':
    case 'cancelled':
      return isDate(text, from, to);
  }
}

const UNDERSCORE = 0x5f;
/** By character: 1 for what ids are made of, 2 for `_`. A look-up costs half of the comparisons. */
const WORD = Uint8Array.from({ length: 128 }, (_, char) => {
  if (char === UNDERSCORE) return 2;
  return /[A-Za-z0-9-]/.test(String.fromCharCode(char)) ? 1 : 0;
});

/** `A-Za-z0-9_-` */
export function isWordChar(char: number): boolean {
  return char < 128 && WORD[char] !== 0;
}

/** Offset behind the characters `A-Za-z0-9-` from `from` on: those of a block id. */
export function blockIdEnd(text: string, from: number, end: number): number {
  let at = from;
  for (; at < end; at += 1) {
    const char = text.charCodeAt(at);
    if (char >= 128 || WORD[char] !== 1) break;
  }
  return at;
}

/** Offset behind the characters `A-Za-z0-9_-` from `from` on. */
export function wordEnd(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && isWordChar(text.charCodeAt(at))) at += 1;
  return at;
}

/** One id, or several with commas between them and blanks around the commas. */
function areIds(text: string, from: number, to: number, several: boolean): boolean {
  let at = from;
  for (;;) {
    const start = at;
    at = wordEnd(text, at, to);
    if (at === start) return false;
    if (at === to) return true;
    at = skipBlanks(text, at, to);
    if (!several || text.charCodeAt(at) !== 0x2c) return false;
    at = skipBlanks(text, at + 1, to);
  }
}

/** `YYYY-MM-DD`, in digits; whether the day exists is not asked. */
export function isDate(text: string, from: number, to: number): boolean {
  if (to - from !== 10) return false;
  for (let i = 0; i < 10; i += 1) {
    const char = text.charCodeAt(from + i);
    if (i === 4 || i === 7 ? char !== 0x2d : char < 0x30 || char > 0x39) return false;
  }
  return true;
}

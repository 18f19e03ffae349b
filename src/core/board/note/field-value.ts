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

/** `A-Za-z0-9_-` */
export function isWordChar(char: number): boolean {
  return (
    (char >= 0x61 && char <= 0x7a) ||
    (char >= 0x30 && char <= 0x39) ||
    (char >= 0x41 && char <= 0x5a) ||
    char === 0x2d ||
    char === 0x5f
  );
}

/** One id, or several with commas between them and blanks around the commas. */
function areIds(text: string, from: number, to: number, several: boolean): boolean {
  let at = from;
  for (;;) {
    const start = at;
    while (at < to && isWordChar(text.charCodeAt(at))) at += 1;
    if (at === start) return false;
    if (at === to) return true;
    at = skipBlanks(text, at, to);
    if (!several || text.charCodeAt(at) !== 0x2c) return false;
    at = skipBlanks(text, at + 1, to);
  }
}

function isDate(text: string, from: number, to: number): boolean {
  if (to - from !== 10) return false;
  for (let i = 0; i < 10; i += 1) {
    const char = text.charCodeAt(from + i);
    if (i === 4 || i === 7 ? char !== 0x2d : char < 0x30 || char > 0x39) return false;
  }
  return true;
}

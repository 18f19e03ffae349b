import { BlockScan } from '../note/block-scan';

/** Longest text under a task, in characters. */
const LONGEST = 20_000;

export interface BodyLines {
  /** as they stand under a task, without its indentation */
  readonly lines: readonly string[];
  /** what had to be done so that they are read as its text, null for nothing */
  readonly changed: string | null;
}

/** Lines that may be read as something else than text. */
const SPECIAL = /^\s*(?:[-*+]|\d{1,9}[.)])\s+\[|```|~~~|%%|<!--|[\p{Cc}\p{Surrogate}\u2028\u2029]/u;

/**
 * The lines of a text as the body of a task: nothing in them opens a task, or a block that they don't
 * close. Checkboxes are escaped; where that is not enough, all of it is quoted.
 */
export function bodyLines(given: readonly string[]): BodyLines {
  const text = clean(given);
  const cut = text.join('\n').length > LONGEST;
  const lines = withoutMargin(cut ? text.join('\n').slice(0, LONGEST).split('\n') : text);
  const why = cut ? `It has over ${LONGEST} characters; the rest was left out.` : null;
  if (!lines.some((line) => SPECIAL.test(line)) || readsBack(lines)) return { lines, changed: why };
  const escaped = lines.map((line) => line.replace(/^(\s*(?:[-*+]|\d{1,9}[.)])\s+)\[/, '$1\\['));
  if (readsBack(escaped)) return { lines: escaped, changed: why ?? 'Its checkboxes are text now.' };
  const quoted = lines.map((line) => `> ${line}`.trimEnd());
  return {
    lines: quoted,
    changed: why ?? 'It opens a block that it does not close, so it is quoted.',
  };
}

/** Control characters and halves of characters can't stand in a note; blank lines in a row are one. */
function clean(given: readonly string[]): readonly string[] {
  const lines = given
    .flatMap((line) => line.split(/\r\n|[\r\n\u2028\u2029]/))
    .map((line) => line.replace(/[^\P{Cc}\t]|\p{Surrogate}/gu, '\ufffd').trimEnd());
  return lines.filter((line, at) => line !== '' || (at > 0 && lines[at - 1] !== ''));
}

/** Without what all lines are indented by, and without blank lines at the end. */
function withoutMargin(given: readonly string[]): readonly string[] {
  const lines = given.slice(0, given.findLastIndex((line) => line.trim() !== '') + 1);
  const filled = lines.filter((line) => line !== '');
  let margin = Infinity;
  for (const line of filled) margin = Math.min(margin, line.length - line.trimStart().length);
  return lines.map((line, at) => (at === 0 ? line.trimStart() : line.slice(margin)));
}

/** Whether a note reads them as the text of a task, and what stands behind them as what it is. */
function readsBack(lines: readonly string[]): boolean {
  const body = lines.map((line) => (line === '' ? '' : `\t${line}`)).join('\n');
  const scan = new BlockScan(`- [ ] a\n${body}\n\t- [ ] b\n- [ ] c\n`, 0, 0);
  const [first, second, third] = scan.blocks;
  return (
    scan.blocks.length === 3 &&
    second?.parent === 0 &&
    third?.parent === -1 &&
    scan.dangling.length === 0 &&
    sameText(first?.body ?? [], lines)
  );
}

/** Blank lines of a body are no part of what it says. */
export function sameText(read: readonly string[], written: readonly string[]): boolean {
  const filled = (lines: readonly string[]): string =>
    lines.filter((line) => line.trim() !== '').join('\n');
  return filled(read) === filled(written);
}

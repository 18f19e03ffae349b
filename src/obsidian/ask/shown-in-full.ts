import type { DiffLine } from './diff-lines';

/** Lines that a card has room for; what is longer is reviewed in the dialog. */
const MOST_LINES = 100;
/** UTF-16 units that a line has, as a mean. */
const MOST_UNITS = 200;

/** Whether a card of so many lines shows all of a change, so that it can be allowed there. */
export function shownInFull(lines: readonly DiffLine[], most = MOST_LINES): boolean {
  const units = lines.reduce((sum, { text }) => sum + text.length, 0);
  return lines.length <= most && units <= most * MOST_UNITS;
}

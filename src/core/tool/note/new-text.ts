import { textLines } from '../../board/merge/text-lines';
import type { ToolFault } from '../tool-plan';

/** A text that a note can't hold: it has no UTF-8 form. */
export function halfCharacterFault(content: string): ToolFault | undefined {
  if (!/\p{Surrogate}/u.test(content)) return undefined;
  const message =
    'Nothing was done: the content holds half a character. Send it as well-formed text.';
  return { code: 'bad_arguments', message };
}

/** "1 line", "3 lines" */
export function lineWords(text: string): string {
  const lines = textLines(text);
  const count = lines.length - (lines.at(-1)?.text === '' ? 1 : 0);
  return count === 1 ? '1 line' : `${count} lines`;
}

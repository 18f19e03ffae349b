import { MAX_TEXT } from '../../../protocol/fields';

/** The first 256 Ki of a text, as the sender of a whole text would cut it. */
export function boundText(text: string): string {
  return text.length <= MAX_TEXT ? text : text.slice(0, MAX_TEXT);
}

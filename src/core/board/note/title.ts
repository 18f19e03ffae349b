import { fault, type Fault } from '../../fault';
import { refuseChange } from '../change-faults';

/** In Unicode code points, so that an emoji outside the basic plane counts once. */
const LONGEST = 500;

const NOT_ONE_LINE = /[\p{Cc}\u2028\u2029]/u;

const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Checks a title: one line, 1 to 500 characters (Unicode code points) after trimming, no control
 * characters, no line or paragraph separators, no lone surrogates.
 * @param what name of the value in the message: "title", "phase"
 */
export function checkTitle(
  given: string,
  what = 'title',
  code = 'bad_title',
): { readonly ok: true; readonly title: string } | Fault {
  const title = given.trim();
  const length = lengthOf(title);
  const wrong = NOT_ONE_LINE.test(given)
    ? 'titleNotOneLine'
    : LONE_SURROGATE.test(given)
      ? 'titleHalfCharacter'
      : length === 0
        ? 'titleEmpty'
        : length > LONGEST && 'titleTooLong';
  if (wrong === false) return { ok: true, title };
  const refused = refuseChange(code, wrong, { length, most: LONGEST });
  return what === 'title' ? refused : fault(code, refused.message.replace('title', what));
}

/**
 * Turns any text into a valid title, for sources that can't be asked to correct it, such as a
 * session's title. A valid title stays as it is.
 */
export function tidyTitle(text: string): string {
  const plain = withoutColours(text);
  const checked = checkTitle(plain);
  if (checked.ok) return checked.title;
  const line = plain
    .replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ')
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .trim();
  if (line === '') return 'Plan';
  return lengthOf(line) <= LONGEST ? line : [...line].slice(0, LONGEST).join('').trim();
}

function lengthOf(text: string): number {
  return [...text].length;
}

const ESCAPE = '\u001b';

/** CSI as one character, which terminals treat like `ESC [`. */
const CSI = '\u009b';

/** A complete SGR sequence of ECMA-48: its parameters are digits in fields and sub-fields. */
const SEQUENCE = new RegExp(`(?:${ESCAPE}\\[|${CSI})[0-9;:]*m`, 'g');

/**
 * Removes complete terminal colour sequences, which agents copy from the output of programs.
 * Incomplete ones and other escapes stay, as control characters.
 */
export function withoutColours(text: string): string {
  return text.replace(SEQUENCE, '');
}

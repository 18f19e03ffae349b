import type { EditRefusal } from './edit-result';

/**
 * Checks a title that a caller gave: one line, 1 to 500 characters (Unicode code points) after white
 * space at both ends is taken off, no control characters, no line or paragraph separators, well-formed.
 */
export function checkTitle(given: string): { ok: true; title: string } | EditRefusal {
  throw new Error(given);
}

/** Makes a title of a text that no caller can be asked to mend, such as the title of a session. */
export function tidyTitle(text: string): string {
  throw new Error(text);
}

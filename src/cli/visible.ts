/** Control characters, and marks that turn the direction of what follows; line ends and tabs stay. */
const STEERING = /(?![\n\t])\p{Cc}|[\u2028-\u202e\u2066-\u2069]/gu;

/**
 * Text for a terminal: what would steer it is shown as `\u001b`. In JSON that is an escape of the
 * same character, so a result for programs reads the same.
 */
export function visible(text: string): string {
  return text.replace(STEERING, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

import { KEY_LENGTH, keyText } from '../../core/board/journal/journal-entry';

/** The key of a note: names its lock and its journal entry, the same as in Node's programs. */
export async function vaultKey(path: string): Promise<string> {
  const bytes = new TextEncoder().encode(keyText(path));
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  const digits = [...hash].map((byte) => byte.toString(16).padStart(2, '0'));
  return digits.join('').slice(0, KEY_LENGTH);
}

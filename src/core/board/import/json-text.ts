import type { Fault } from '../operation/read-operation';
import { fault } from '../operation/outcome';

/** Longest file that an import reads, in characters. */
export const LONGEST_SOURCE = 16 * 1024 * 1024;

/** The value of a JSON text. A byte order mark is no part of it. */
export function readJson(text: string, name: string): { ok: true; value: unknown } | Fault {
  const large = tooLarge(text, name);
  if (large) return large;
  try {
    return { ok: true, value: JSON.parse(text.replace(/^\ufeff/, '')) as unknown };
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof RangeError)) throw error;
    return fault('bad_source', `${name} is no JSON (${error.message}). Repair the file.`);
  }
}

export function tooLarge(text: string, name: string): Fault | undefined {
  if (text.length <= LONGEST_SOURCE) return undefined;
  return fault('too_large', `${name} has over 16 MiB. Split it, and import the parts.`);
}

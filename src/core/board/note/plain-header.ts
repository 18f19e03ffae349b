import type { HeaderValue, HeaderValues } from './header-values';

/**
 * A line `key: value` that YAML reads as a string of just these characters: no quotes, colons or signs
 * that mean something, nothing that could go on in the next line.
 */
const LINE =
  /([A-Za-z][A-Za-z0-9_-]*):( +)([A-Za-z0-9](?:[A-Za-z0-9 ._/()-]*[A-Za-z0-9._/()-])?)\r?\n/y;

/**
 * The values of a header as programs write it, undefined for any other: it is for YAML to read then,
 * and would be read the same.
 * @param offset of `yaml` in the note
 */
export function plainHeader(yaml: string, offset: number): HeaderValues | undefined {
  const values = new Map<string, HeaderValue>();
  let at = 0;
  while (at < yaml.length) {
    LINE.lastIndex = at;
    const match = LINE.exec(yaml);
    if (match === null) return undefined;
    const [line, key = '', blanks = '', text = ''] = match;
    if (values.has(key)) return undefined;
    const from = offset + at + key.length + 1 + blanks.length;
    values.set(key, { text, at: offset + at, from, to: from + text.length });
    at += line.length;
  }
  return values;
}

/** Of a number: -1.2345678901234567e-300. */
const LONGEST_WORD = 24;

/** UTF-16 units of a value as JSON, before what has to be escaped; at most so many. Makes no text. */
export function jsonSize(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return LONGEST_WORD;
  let size = 2;
  if (Array.isArray(value)) {
    for (const each of value) size += jsonSize(each) + 1;
    return size;
  }
  const fields = value as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(fields)) size += key.length + 4 + jsonSize(fields[key]);
  return size;
}

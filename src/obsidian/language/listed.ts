import { languageCode } from './text';

/** Joins words as the app's language does: "a", "a and b", "a, b and c"; or with "or". */
export function listed(
  items: readonly string[],
  type: 'conjunction' | 'disjunction' = 'conjunction',
): string {
  // British English has no comma before "and".
  const code = languageCode === 'en' ? 'en-GB' : languageCode;
  return items.length < 2 ? (items[0] ?? '') : new Intl.ListFormat(code, { type }).format(items);
}

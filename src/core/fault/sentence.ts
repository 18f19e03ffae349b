/** A sentence for the person as a value: its key in the catalogue, and what is put in. */
export interface Sentence {
  /** `area.name` */
  readonly key: string;
  readonly values: SentenceValues;
}

/** A value may itself be what `sentence` returns. */
export type SentenceValues = Readonly<Record<string, string | number | SaidSentence>>;

export type SaidSentence = readonly [english: string, said: Sentence | undefined];

type Texts = Readonly<Record<string, string | { readonly one: string; readonly other: string }>>;

/**
 * A sentence of a table of English texts, which is the area of the catalogue, and what it says in
 * English: `values` for the names in braces, where a `count` of 1 chooses the form `one`. A number
 * that has no separators from 1,000 on is given as text.
 */
export function sentence<T extends Texts>(
  [area, texts]: readonly [area: string, texts: T],
  name: keyof T & string,
  values: SentenceValues = {},
): readonly [english: string, said: Sentence] {
  const text = texts[name] as Texts[string];
  const form = typeof text === 'string' ? text : isOne(values['count']) ? text.one : text.other;
  const english = form.replace(/\{(\w+)\}/g, (_, one: string) => {
    const value = values[one];
    if (typeof value === 'number') return value.toLocaleString('en');
    return typeof value === 'object' ? value[0] : (value ?? '');
  });
  return [english, { key: `${area}.${name}`, values }];
}

function isOne(count: SentenceValues[string] | undefined): boolean {
  return count === 1 || count === '1';
}

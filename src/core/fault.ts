import { StoreError, type StoreErrorCode } from './ports';

/** Why an operation failed; `message` says what was wrong and what to send instead. */
export interface Fault {
  readonly ok: false;
  readonly code: string;
  readonly message: string;
  /** `message` as a value, for translation */
  readonly said?: Sentence;
  /** of a `conflict` with a person's change: the fields that collide */
  readonly conflicts?: readonly Conflict[];
}

/** A field that agent and person both changed since the agent last looked; the person's value stays. */
export interface Conflict {
  /** null for a line without an id, and for the board itself */
  readonly id: string | null;
  readonly field: string;
  /** as text; null if not set, or if the task was to be removed */
  readonly yours: string | null;
  readonly theirs: string | null;
  /** of the board at the time of the conflict */
  readonly rev: number;
}

/** A sentence for the person as a value: its key in the catalogue, and what is put in. */
export interface Sentence {
  /** `area.name` */
  readonly key: string;
  readonly values: SentenceValues;
}

/** A value may itself be what `sentence` returns. */
export type SentenceValues = Readonly<Record<string, string | number | SaidSentence>>;

type SaidSentence = readonly [english: string, said: Sentence | undefined];

type Texts = Readonly<Record<string, string | { readonly one: string; readonly other: string }>>;

/**
 * A sentence of a table of English texts, which is the area of the catalogue, and what it says in
 * English: `values` for the names in braces, where a `count` of 1 chooses the form `one`.
 */
export function sentence<T extends Texts>(
  [area, texts]: readonly [area: string, texts: T],
  name: keyof T & string,
  values: SentenceValues = {},
): readonly [english: string, said: Sentence] {
  const text = texts[name] as Texts[string];
  const form = typeof text === 'string' ? text : values['count'] === 1 ? text.one : text.other;
  const english = form.replace(/\{(\w+)\}/g, (_, one: string) => {
    const value = values[one];
    if (typeof value === 'number') return value.toLocaleString('en');
    return typeof value === 'object' ? value[0] : (value ?? '');
  });
  return [english, { key: `${area}.${name}`, values }];
}

/** @param text the message, or what `sentence` returns */
export function fault(code: string, text: string | ReturnType<typeof sentence>): Fault {
  if (typeof text === 'string') return { ok: false, code, message: text };
  const [message, said] = text;
  return { ok: false, code, message, said };
}

/**
 * Returns the result of `work`, or that of `refused` if it throws a StoreError. Passes on all other
 * errors.
 */
export async function catchStoreError<T, R>(
  work: () => Promise<T>,
  refused: (error: StoreError) => R,
): Promise<T | R> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreError) return refused(error);
    throw error;
  }
}

/** The message of the StoreError that `work` throws; undefined if it succeeds. */
export function refusal(work: () => Promise<unknown>): Promise<string | undefined> {
  return catchStoreError(
    async () => void (await work()),
    ({ message }) => message,
  );
}

const STORE_CODES: ReadonlySet<string> = new Set<StoreErrorCode>([
  'not_utf8',
  'too_large',
  'disk_full',
  'denied',
  'busy',
  'io',
]);

/** Whether the store refused, rather than a rule of the board. @param code of a fault */
export function isStoreFault(code: string): boolean {
  return STORE_CODES.has(code);
}

export function storeFault({ code, message }: StoreError): Fault {
  return { ok: false, code, message };
}

import { StoreError, type StoreErrorCode } from './ports';
import type { SaidSentence, Sentence } from './fault/sentence';

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

/** @param text the message, or what `sentence` returns */
export function fault(code: string, text: string | SaidSentence): Fault {
  const [message, said] = typeof text === 'string' ? [text] : text;
  return { ok: false, code, message, ...(said !== undefined && { said }) };
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

/** The StoreError that `work` throws, as a value; undefined if it succeeds. */
export function refusal(work: () => Promise<unknown>): Promise<Fault | undefined> {
  return catchStoreError(async () => void (await work()), storeFault);
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

export function storeFault({ code, message, said }: StoreError): Fault {
  return fault(code, [message, said]);
}

import type { AuditRecord } from './audit-entry';

export type IntentRecord = Extract<AuditRecord, { kind: 'intent' }>;
export type OutcomeRecord = Extract<AuditRecord, { kind: 'outcome' }>;

/** One thing that a list of the audit has a line for. */
export type AuditRow = CallRow | DamageRow;

interface Placed {
  /** the same whenever it is read */
  readonly key: string;
  /** `YYYY-MM` of its file */
  readonly month: string;
  readonly writer: string;
  /** number of the entry, within its writer */
  readonly n: number;
  /** ms since the epoch */
  readonly at: number;
  /** the latest time of its writer's month so far: a clock that is set back moves nothing */
  readonly order: number;
}

/** A call, from its intent on. */
export interface CallRow extends Placed {
  readonly kind: 'call';
  readonly intent: IntentRecord;
  /** undefined while it runs, and where the process died meanwhile */
  readonly outcome: OutcomeRecord | undefined;
}

/** A line that is no entry, or the entry that stands for one. `n` is the number it should have. */
export interface DamageRow extends Placed {
  readonly kind: 'damage';
  readonly file: string;
  /** from 1 */
  readonly line: number;
  /** what is left of it */
  readonly text: string;
  /** the writer died while writing it, and said so when it came again */
  readonly repaired: boolean;
}

/** The latest first; each writer's own are in the order in which they were written. */
export function laterFirst(one: AuditRow, other: AuditRow): number {
  if (one.month !== other.month) return one.month < other.month ? 1 : -1;
  if (one.order !== other.order) return other.order - one.order;
  if (one.writer !== other.writer) return one.writer < other.writer ? -1 : 1;
  return other.n - one.n;
}

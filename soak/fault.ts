/** What can go wrong at a call of the adapter. */
export const FAULT_KINDS = [
  'throws before',
  'throws after',
  'torn write',
  'lost write',
  'disk full',
  'access denied',
  'foreign writer',
  'death',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** How the adapter's own writing works inside; nobody promises which. */
export const WRITE_MODES = [
  'truncates in place',
  'rename refuses to replace',
  'rename replaces',
] as const;
export type WriteMode = (typeof WRITE_MODES)[number];

/** One fault at one call. */
export interface Fault {
  readonly kind: FaultKind;
  /** counted from 0 */
  readonly call: number;
  /** how far a write gets, over 0 to 1 */
  readonly far: number;
  /** how many calls a full disk or a denial goes on */
  readonly lasts: number;
}

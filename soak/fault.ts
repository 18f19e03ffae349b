/** Faults that can be injected into a call of the adapter. */
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

/** How the adapter implements a write internally; the app does not document which. */
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
  /** fraction of a write that happens, above 0, up to 1 */
  readonly fraction: number;
  /** number of calls for which a full disk or a denial lasts */
  readonly duration: number;
}

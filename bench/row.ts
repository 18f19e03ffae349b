import type { Ratio } from './measure.js';

/** One line of the table: what was measured, compared with what, and its target. */
export interface Row {
  readonly name: string;
  readonly against: string;
  /** largest acceptable median; in `unit` if the row is no ratio */
  readonly target: number;
  readonly unit?:
    'bytes' | 'tokens' | 'lost updates' | 'ms per frame' | 'frames more' | 'µs' | 'ms';
  /** needs the packages of `bench/package.json` */
  readonly peers?: boolean;
  measure(): Promise<Measured> | Measured;
  /** explains why the target is missed */
  readonly note?: string;
}

export interface Measured extends Ratio {
  /** further results, as text */
  readonly detail?: string;
}

/** A result that is a count, without spread. */
export function exactResult(count: number): Ratio {
  return { ratio: count, p10: count, p90: count };
}

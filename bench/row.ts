import type { Ratio } from './measure.js';

/** One line of the table: what was measured, against whom, and what it should reach. */
export interface Row {
  readonly name: string;
  readonly against: string;
  /** the largest median that is good enough; in `unit` where the row is no ratio */
  readonly target: number;
  readonly unit?:
    'bytes' | 'tokens' | 'lost updates' | 'ms per frame' | 'frames more' | 'µs' | 'ms';
  /** needs the packages of `bench/package.json` */
  readonly peers?: boolean;
  measure(): Promise<Measured> | Measured;
  /** why a miss is a miss */
  readonly note?: string;
}

export interface Measured extends Ratio {
  /** what else was seen, in words */
  readonly detail?: string;
}

/** A count, not a ratio. */
export function exactly(count: number): Ratio {
  return { ratio: count, p10: count, p90: count };
}

import type { Ratio } from './measure.js';

/** One line of the table: what was measured, against whom, and what it should reach. */
export interface Row {
  readonly name: string;
  readonly against: string;
  /** the largest median that is good enough; in `unit` where the row is no ratio */
  readonly target: number;
  readonly unit?: 'bytes';
  measure(): Promise<Ratio> | Ratio;
  /** why a miss is a miss */
  readonly note?: string;
}

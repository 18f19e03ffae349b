/** Options of a run. */
export interface RunOptions {
  /** fraction of the full load, above 0, up to 1 */
  readonly share: number;
  readonly seed: number;
  /** prints progress for a person who watches */
  readonly progress: (line: string) => void;
}

/** Result of a run. */
export interface RunReport {
  readonly name: string;
  readonly what: string;
  /** injected faults and edits, counted by kind; none is zero */
  readonly injected: Readonly<Record<string, number>>;
  /** one sentence for each loss, with the seed or data that reproduces it */
  readonly lost: readonly string[];
}

export type Run = (options: RunOptions) => Promise<RunReport>;

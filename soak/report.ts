/** What a run was asked to do. */
export interface RunOptions {
  /** of the full load, over 0 to 1 */
  readonly share: number;
  readonly seed: number;
  /** tells how far it is, for who watches */
  readonly progress: (line: string) => void;
}

/** What a run did and found. */
export interface RunReport {
  readonly name: string;
  readonly what: string;
  /** counts of what was done to the boards, by kind; each is more than zero */
  readonly injected: Readonly<Record<string, number>>;
  /** one sentence for each loss, with what repeats it */
  readonly lost: readonly string[];
}

export type Run = (options: RunOptions) => Promise<RunReport>;

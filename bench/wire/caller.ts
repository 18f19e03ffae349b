/** One way to have a tool called at another end of a socket or a pipe, and to hear its answer. */
export interface Caller {
  /**
   * One call, from asking to the answer.
   * @param lane calls of different lanes may be under way at the same time; below {@link LANES}
   */
  call(lane: number): Promise<unknown>;
  close(): Promise<void>;
}

export const LANES = 64;

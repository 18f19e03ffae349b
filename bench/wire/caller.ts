/** A way to call a tool at the other end of a socket or pipe. */
export interface Caller {
  /**
   * Sends one call and waits for its answer.
   * @param lane calls of different lanes may run concurrently; below {@link LANES}
   */
  call(lane: number): Promise<unknown>;
  close(): Promise<void>;
}

export const LANES = 64;

/** Counts the prompts to each session, so that a look at one knows whether it is out of date. */
export class Sends {
  readonly #counts = new Map<string, number>();

  /** @returns whether no prompt went out since this one */
  next(session: string): () => boolean {
    this.#counts.set(session, this.#of(session) + 1);
    return this.now(session);
  }

  /** @returns whether no prompt went out since now */
  now(session: string): () => boolean {
    const count = this.#of(session);
    return () => this.#of(session) === count;
  }

  #of(session: string): number {
    return this.#counts.get(session) ?? 0;
  }
}

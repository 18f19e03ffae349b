import type { Clock, Log, Undo } from '../../ports';

/** Between two looks at what other programs did, ms. */
const EVERY = 2_000;

/** Looks again and again, as long as somebody wants it. */
export class Ticks {
  #undo: Undo | undefined;
  #closed = false;

  /** @param look resolves with whether it is to be looked again */
  constructor(
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly look: () => Promise<boolean>,
  ) {}

  want(): void {
    if (this.#undo !== undefined || this.#closed) return;
    this.#undo = this.clock.after(EVERY, () => void this.#tick());
  }

  close(): void {
    this.#closed = true;
    this.#undo?.();
  }

  async #tick(): Promise<void> {
    let again = true;
    try {
      again = await this.look();
    } catch (error) {
      this.log.note('Looking after runs failed.', { error: String(error) });
    }
    this.#undo = undefined;
    if (again) this.want();
  }
}

import type { Clock } from '../../core/ports';

/** ms within which the same words about one session are told once. */
export const TOGETHER = 1_000;

/** Tells why requests are gone: what one session ends together is one notice. */
export class ToldOnce {
  private last = { what: '', at: -Infinity };

  constructor(
    private readonly clock: Pick<Clock, 'now'>,
    private readonly tell: (words: string) => void,
  ) {}

  say(session: string | undefined, words: string): void {
    const at = this.clock.now();
    const what = JSON.stringify([session, words]);
    const again = what === this.last.what && at - this.last.at < TOGETHER;
    this.last = { what, at };
    if (!again) this.tell(words);
  }
}

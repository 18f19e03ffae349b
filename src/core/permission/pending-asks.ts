import type { Clock, Undo } from '../ports';
import { isProposed } from './always-proposals';
import type { Ask, AskAnswer, AskEnd } from './ask';

interface Pending {
  readonly ask: Ask;
  readonly undoExpiry: Undo | undefined;
  settle(end: AskEnd): void;
}

/** What our tools ask and nobody answered yet. Each request takes one answer, the first. */
export class PendingAsks {
  private readonly pending = new Map<string, Pending>();
  private readonly listeners = new Set<() => void>();
  private readonly ended = new Set<(ask: Ask, end: AskEnd) => void>();

  constructor(private readonly clock: Clock) {}

  /** Waits for the answer, `expiresAt`, or `end`. */
  ask(ask: Ask): Promise<AskEnd> {
    return new Promise((resolve) => {
      const undoExpiry =
        ask.expiresAt === undefined
          ? undefined
          : this.clock.after(Math.max(0, ask.expiresAt - this.clock.now()), () =>
              this.settle(ask.requestId, { reply: 'expired' }),
            );
      this.pending.set(ask.requestId, { ask, undoExpiry, settle: resolve });
      this.tell();
    });
  }

  /**
   * What the person said.
   * @returns false where the request is not pending any more, or the rule is none that it proposed
   */
  answer(requestId: string, answer: AskAnswer): boolean {
    const ask = this.pending.get(requestId)?.ask;
    if (ask === undefined) return false;
    if (ask.expiresAt !== undefined && ask.expiresAt <= this.clock.now()) {
      // Its timer may be late: a machine that slept.
      this.settle(requestId, { reply: 'expired' });
      return false;
    }
    if (answer.reply === 'always' && !isProposed(ask.always, answer.rule, ask)) return false;
    return this.settle(requestId, answer);
  }

  /** The call was cancelled, or what it would write is no longer what was shown. */
  end(requestId: string, end: Exclude<AskEnd, AskAnswer>): boolean {
    return this.settle(requestId, end);
  }

  private settle(requestId: string, end: AskEnd): boolean {
    const found = this.pending.get(requestId);
    if (found === undefined) return false;
    this.pending.delete(requestId);
    found.undoExpiry?.();
    found.settle(end);
    for (const listener of [...this.ended]) listener(found.ask, end);
    this.tell();
    return true;
  }

  /** In the order in which they were asked. */
  all(): readonly Ask[] {
    return [...this.pending.values()].map(({ ask }) => ask);
  }

  onChange(listener: () => void): Undo {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Told of each request that is not pending any more, before `onChange` is. */
  onEnd(listener: (ask: Ask, end: AskEnd) => void): Undo {
    this.ended.add(listener);
    return () => this.ended.delete(listener);
  }

  private tell(): void {
    for (const listener of [...this.listeners]) listener();
  }
}

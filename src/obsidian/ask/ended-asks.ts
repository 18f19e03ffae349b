import type { Ask, AskEnd } from '../../core/permission/ask';
import type { Clock, Undo } from '../../core/ports';
import { askText } from './ask-text';

/** ms in which what replaces a request whose note changed is expected. */
export const EXPECT_NEW = 5_000;

export interface EndedAsksDeps {
  readonly clock: Clock;
  readonly tell: (message: string) => void;
  /** a request is not expected any more */
  readonly changed: () => void;
}

/** What our tools asked and ask no more: why, and which of it is asked anew in a moment. */
export class EndedAsks {
  /** their notes changed; they stay where they are until the new change comes */
  private readonly stale = new Map<string, { readonly ask: Ask; readonly undo: Undo }>();
  private readonly replies = new Map<string, AskEnd['reply']>();

  constructor(private readonly deps: EndedAsksDeps) {}

  add(ask: Ask, { reply }: AskEnd): void {
    this.replies.set(ask.requestId, reply);
    if (reply === 'expired') this.deps.tell(expiredWords(ask));
    if (reply !== 'changed') return;
    const undo = this.deps.clock.after(EXPECT_NEW, () => {
      this.stale.delete(ask.requestId);
      this.replies.set(ask.requestId, reply);
      this.deps.changed();
    });
    this.stale.set(ask.requestId, { ask, undo });
  }

  isStale(requestId: string): boolean {
    return this.stale.has(requestId);
  }

  /** @param pending what is asked now; what one of them replaces is over */
  withStale(pending: readonly Ask[]): readonly Ask[] {
    for (const { replaces } of pending) if (replaces !== undefined) this.drop(replaces);
    return [...[...this.stale.values()].map(({ ask }) => ask), ...pending];
  }

  /** For the person who has the request before them; undefined where it was told already. */
  words(requestId: string): string | undefined {
    switch (this.replies.get(requestId)) {
      case 'expired':
        return undefined;
      case 'cancelled':
        return 'The call was cancelled, so this is no longer asked.';
      case 'changed':
        return 'The note changed, and this is no longer asked.';
      case 'once':
      case 'always':
      case 'reject':
      case undefined:
        return 'This was answered elsewhere.';
    }
  }

  /** All who wanted to know why were told. */
  forget(): void {
    this.replies.clear();
  }

  close(): void {
    for (const { undo } of this.stale.values()) undo();
    this.stale.clear();
  }

  private drop(requestId: string): void {
    this.stale.get(requestId)?.undo();
    this.stale.delete(requestId);
  }
}

function expiredWords(ask: Ask): string {
  const { short, object } = askText(ask);
  const what = `${short.charAt(0).toLowerCase()}${short.slice(1)}, ${object}`;
  return `Nobody answered in time, so this was denied: ${what}.`;
}

import { isProposed, type AlwaysProposal } from './always-proposals';
import type { Decision } from './decide';
import type { AccessKind, Rule } from './rule';
import type { Clock, Undo } from '../ports';

/** What one of our tools asks a person before it acts. */
export interface Ask {
  /** random, for one answer only */
  readonly requestId: string;
  /** undefined where the call's context has none */
  readonly sessionId: string | undefined;
  readonly agent: string;
  /** as the wire names it: `obsidian.update_note` */
  readonly tool: string;
  /** of the model's call, as in the transcript */
  readonly callId: string;
  readonly operation: AccessKind;
  /** of the vault, resolved; undefined for a board */
  readonly path: string | undefined;
  /** of the call, as sent */
  readonly args: unknown;
  /** what led to asking */
  readonly decision: Decision;
  /** `restricted`: the agent may not read the note, so nothing of it is shown; undefined: nothing is written */
  readonly change: NoteChange | 'restricted' | undefined;
  /** what "always" may record, undefined where nothing can */
  readonly always: AlwaysProposal | undefined;
  /** an earlier request of the same call, whose note changed since */
  readonly replaces: string | undefined;
  /** ms since the epoch */
  readonly askedAt: number;
  /** ms since the epoch; then it is denied */
  readonly expiresAt: number | undefined;
}

/** Exactly what is written. `before` is undefined for a new note. */
export interface NoteChange {
  readonly before: string | undefined;
  readonly after: string;
}

export type AskAnswer =
  | { readonly reply: 'once' }
  | { readonly reply: 'always'; readonly rule: Rule }
  | { readonly reply: 'reject'; readonly message?: string };

/** How an ask ended: by the person, by its time, since the call was cancelled, or the note is another now. */
export type AskEnd = AskAnswer | { readonly reply: 'expired' | 'cancelled' | 'changed' };

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
      const { requestId, expiresAt = Infinity } = ask;
      const left = Math.max(0, expiresAt - this.clock.now());
      const expire = (): void => void this.end(requestId, { reply: 'expired' });
      const undoExpiry = left === Infinity ? undefined : this.clock.after(left, expire);
      this.pending.set(requestId, { ask, undoExpiry, settle: resolve });
      this.tell();
    });
  }

  /**
   * Passes on the person's answer.
   * @returns false if the request is no longer pending, or the rule is not one that it proposed
   */
  answer(requestId: string, answer: AskAnswer): boolean {
    const ask = this.pending.get(requestId)?.ask;
    if (ask === undefined) return false;
    if (ask.expiresAt !== undefined && ask.expiresAt <= this.clock.now()) {
      // Its timer may be late: a machine that slept.
      this.end(requestId, { reply: 'expired' });
      return false;
    }
    if (answer.reply === 'always' && !isProposed(ask.always, answer.rule, ask)) return false;
    return this.end(requestId, answer);
  }

  /** The call was cancelled, or what it would write is no longer what was shown. */
  end(requestId: string, end: AskEnd): boolean {
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

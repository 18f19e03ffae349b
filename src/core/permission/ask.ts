import { isProposed, type AlwaysProposal } from './always-proposals';
import type { Decision } from './decide';
import type { AccessKind, Rule } from './rule';
import type { Clock, Undo } from '../ports';
import type { PermissionRequest } from '../../protocol/snapshot';

const REPLIES = ['once', 'always', 'reject'] as const;

/** What an agent calls the replies to its request, if it says that. */
export function namedReplies({
  metadata,
}: Pick<PermissionRequest, 'metadata'>): readonly (readonly [(typeof REPLIES)[number], string])[] {
  const names = new Map<string, unknown>(Object.entries(metadata['options'] ?? {}));
  return REPLIES.flatMap((reply) => {
    const name = names.get(reply);
    return typeof name === 'string' ? [[reply, name] as const] : [];
  });
}

/** A permission request that one of our tools shows to the person before it acts. */
export interface ToolPermissionRequest {
  /** random, valid for one answer only */
  readonly requestId: string;
  /** undefined if the call's context has no session */
  readonly sessionId: string | undefined;
  readonly agent: string;
  /** the tool's name in the protocol: `obsidian.update_note` */
  readonly tool: string;
  /** id that the model gave the call, as in the transcript */
  readonly callId: string;
  readonly operation: AccessKind;
  /** vault path, resolved; undefined for a board */
  readonly path: string | undefined;
  /** the call's arguments, as sent */
  readonly args: unknown;
  /** the decision that requires asking */
  readonly decision: Decision;
  /**
   * `restricted`: the agent may not read the note, so the request shows nothing of it; undefined:
   * nothing is written
   */
  readonly change: NoteChange | 'restricted' | undefined;
  /** what an "always" reply may record; undefined if it may record nothing */
  readonly always: AlwaysProposal | undefined;
  /** id of an earlier request of the same call, outdated because the note changed */
  readonly replaces: string | undefined;
  /** ms since the epoch */
  readonly askedAt: number;
  /** ms since the epoch; denied when it passes */
  readonly expiresAt: number | undefined;
}

/** The exact change that will be written. `before` is undefined for a new note. */
export interface NoteChange {
  readonly before: string | undefined;
  readonly after: string;
}

export type ToolPermissionReply =
  | { readonly reply: 'once' }
  | { readonly reply: 'always'; readonly rule: Rule }
  | { readonly reply: 'reject'; readonly message?: string };

/**
 * How a request ended: the person answered, its time ran out, the call was cancelled, or the note
 * changed.
 */
export type ToolPermissionOutcome =
  ToolPermissionReply | { readonly reply: 'expired' | 'cancelled' | 'changed' };

interface Pending {
  readonly ask: ToolPermissionRequest;
  readonly undoExpiry: Undo | undefined;
  settle(end: ToolPermissionOutcome): void;
}

/** Our tools' unanswered permission requests. Each accepts one answer, the first. */
export class PendingPermissions {
  private readonly pending = new Map<string, Pending>();
  private readonly listeners = new Set<() => void>();
  private readonly endListeners = new Set<
    (ask: ToolPermissionRequest, end: ToolPermissionOutcome) => void
  >();

  constructor(private readonly clock: Clock) {}

  /** Adds the request and resolves when it is answered, expires, or is ended by `end`. */
  ask(ask: ToolPermissionRequest): Promise<ToolPermissionOutcome> {
    return new Promise((resolve) => {
      const { requestId, expiresAt = Infinity } = ask;
      const remaining = Math.max(0, expiresAt - this.clock.now());
      const expire = (): void => void this.end(requestId, { reply: 'expired' });
      const undoExpiry = remaining === Infinity ? undefined : this.clock.after(remaining, expire);
      this.pending.set(requestId, { ask, undoExpiry, settle: resolve });
      this.notifyListeners();
    });
  }

  /**
   * Passes on the person's answer.
   * @returns false if the request is no longer pending, or the rule is not one that it proposed
   */
  answer(requestId: string, answer: ToolPermissionReply): boolean {
    const ask = this.pending.get(requestId)?.ask;
    if (ask === undefined) return false;
    if (ask.expiresAt !== undefined && ask.expiresAt <= this.clock.now()) {
      // The timer may be late, as after the machine slept.
      this.end(requestId, { reply: 'expired' });
      return false;
    }
    if (answer.reply === 'always' && !isProposed(ask.always, answer.rule, ask)) return false;
    return this.end(requestId, answer);
  }

  /**
   * Ends a request without an answer: the call was cancelled, or the shown change is outdated.
   * @returns false if the request is no longer pending
   */
  end(requestId: string, end: ToolPermissionOutcome): boolean {
    const found = this.pending.get(requestId);
    if (found === undefined) return false;
    this.pending.delete(requestId);
    found.undoExpiry?.();
    found.settle(end);
    for (const listener of [...this.endListeners]) listener(found.ask, end);
    this.notifyListeners();
    return true;
  }

  /** All pending requests, oldest first. */
  all(): readonly ToolPermissionRequest[] {
    return [...this.pending.values()].map(({ ask }) => ask);
  }

  onChange(listener: () => void): Undo {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Calls the listener for each request that ends, before the `onChange` listeners. */
  onEnd(listener: (ask: ToolPermissionRequest, end: ToolPermissionOutcome) => void): Undo {
    this.endListeners.add(listener);
    return () => this.endListeners.delete(listener);
  }

  private notifyListeners(): void {
    for (const listener of [...this.listeners]) listener();
  }
}

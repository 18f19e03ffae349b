import { WireError } from '../../protocol/wire-error';
import type { Clock, Undo } from '../ports';
import type { SessionEventBus } from '../session/session-event-bus';
import { FULL, NEARLY_FULL, type ContextUse } from './context-use';

/** How long a model may take to write a summary, in ms. */
const SUMMARY_TIMEOUT = 10 * 60_000;

/** After so many failures in a row, a session is compacted only on request. */
export const MAX_FAILURES = 3;

interface CompactionDeps {
  readonly bus: Pick<SessionEventBus, 'onSession' | 'onAll'>;
  readonly clock: Pick<Clock, 'after'>;
  /** Requests a summary; resolves when the compaction has begun. */
  readonly compact: (sessionId: string) => Promise<void>;
  /** whether a session can be compacted and is idle */
  readonly canCompact: (sessionId: string) => boolean;
  /** @param next the prompt that is about to be sent */
  readonly contextUseOf: (sessionId: string, next: string) => ContextUse;
  /** whether the person wants sessions compacted before a prompt that would fill the context */
  readonly compactsBeforePrompt: () => boolean;
  /** Calls back when the connection is lost. */
  readonly onLost: (lost: () => void) => Undo;
  /** called after a turn that leaves the context full; again only after it had room in between */
  readonly onFull: (sessionId: string, share: number) => void;
  readonly notify: (news: CompactionEvent) => void;
}

/** What happens to a compaction that the person did not request. */
export type CompactionEvent = { readonly sessionId: string } & (
  | { readonly kind: 'begun'; readonly share: number }
  /** `last`: it is not tried again */
  | { readonly kind: 'failed'; readonly last: boolean; readonly error: unknown }
);

/**
 * Compacts sessions: on request and, if the person wants it, before a prompt that fills the
 * context.
 */
export class Compaction {
  /** by session: failures since its last compaction */
  readonly #failures = new Map<string, number>();
  readonly #running = new Map<string, Promise<void>>();

  /** sessions reported as full */
  readonly #full = new Set<string>();

  constructor(private readonly deps: CompactionDeps) {}

  /**
   * Reports full contexts, and resets the failures of a session when it is compacted, on request or
   * not.
   */
  follow(): Undo {
    return this.deps.bus.onAll(({ type, sessionId, payload }) => {
      if (type === 'turn.end') this.#checkIfFull(sessionId);
      if (type === 'session.end') this.#full.delete(sessionId);
      const compacted = type === 'progress.update' && payload.kind === 'compacted';
      if (compacted || type === 'session.end') this.#failures.delete(sessionId);
    });
  }

  #checkIfFull(sessionId: string): void {
    const { share = 0 } = this.deps.contextUseOf(sessionId, '');
    if (share < FULL) return void this.#full.delete(sessionId);
    if (this.#full.has(sessionId)) return;
    this.#full.add(sessionId);
    this.deps.onFull(sessionId, share);
  }

  /** Whether a session is being compacted. */
  isRunning(sessionId: string): boolean {
    return this.#running.has(sessionId);
  }

  /** Resolves when the summary has replaced the history. @throws WireError if it did not */
  compact(sessionId: string): Promise<void> {
    const running = this.#running.get(sessionId) ?? this.#compact(sessionId);
    this.#running.set(sessionId, running);
    const over = () => void this.#running.delete(sessionId);
    running.then(over, over);
    return running;
  }

  /**
   * Compacts the session first if the prompt would fill the context. Never rejects: the prompt is
   * sent whatever happens, since OpenCode itself compacts when nothing fits any more.
   */
  async beforePrompt(sessionId: string, text: string): Promise<void> {
    const { compactsBeforePrompt, canCompact, contextUseOf, notify } = this.deps;
    const failures = this.#failures.get(sessionId) ?? 0;
    if (!compactsBeforePrompt() || failures >= MAX_FAILURES || !canCompact(sessionId)) return;
    const { share } = contextUseOf(sessionId, text);
    if (share === undefined || share < NEARLY_FULL) return;
    notify({ kind: 'begun', sessionId, share });
    try {
      await this.compact(sessionId);
    } catch (error) {
      // The person stopped it, or the connection is lost: not a failure.
      if (error instanceof WireError && error.code === 'cancelled') return;
      this.#failures.set(sessionId, failures + 1);
      notify({ kind: 'failed', sessionId, last: failures + 1 >= MAX_FAILURES, error });
    }
  }

  async #compact(sessionId: string): Promise<void> {
    const { bus, clock, compact, onLost } = this.deps;
    let stop: () => void = () => undefined;
    const done = new Promise<void>((resolve, reject) => {
      let compacted = false;
      const undo = bus.onSession(sessionId, ({ type, payload }) => {
        if (type === 'progress.update' && payload.kind === 'compacted') compacted = true;
        if (type === 'session.end') reject(new WireError('cancelled', 'The session has ended.'));
        if (type !== 'turn.end') return;
        if (compacted) resolve();
        else reject(notCompacted(payload));
      });
      const late = new WireError('timeout', 'The summary takes too long.', true);
      const undoTimer = clock.after(SUMMARY_TIMEOUT, () => reject(late));
      const gone = new WireError('cancelled', 'Its program is not connected.', true);
      const undoLost = onLost(() => reject(gone));
      stop = () => {
        undo();
        undoLost();
        undoTimer();
      };
    });
    try {
      await Promise.all([compact(sessionId), done]);
    } finally {
      stop();
    }
  }
}

function notCompacted(end: { readonly reason: string; readonly error?: unknown }): WireError {
  if (end.reason === 'interrupted') return new WireError('cancelled', 'It was stopped.');
  const { error } = end;
  const said = typeof error === 'object' && error !== null && 'message' in error;
  return new WireError('internal', said ? String(error.message) : 'There is no summary.');
}

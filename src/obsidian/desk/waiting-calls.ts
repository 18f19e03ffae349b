import type { Clock, Undo } from '../../core/ports';
import type { Ask } from '../../core/permission/ask';
import type { PendingAsks } from '../../core/permission/pending-asks';
import type { Bridges } from '../../core/session/bridges';

export interface WaitingCallsDeps {
  readonly asks: Pick<PendingAsks, 'all' | 'onChange'>;
  readonly connection: Pick<Bridges, 'send'>;
  readonly clock: Clock;
}

/** Tells the bridge which calls wait for a person, so that it doesn't give them up meanwhile. */
export class WaitingCalls {
  /** requests that the bridge was told of, by call */
  private told = new Map<string, Ask>();
  private readonly stop: Undo;

  constructor(private readonly deps: WaitingCallsDeps) {
    this.stop = deps.asks.onChange(() => this.look());
  }

  /** The bridge asks for a call again: it may not have heard that it waits. */
  again(sessionId: string, callId: string): void {
    const ask = this.told.get(keyOf(sessionId, callId));
    if (ask !== undefined) this.tell(ask);
  }

  close(): void {
    this.stop();
  }

  private look(): void {
    const before = this.told;
    this.told = new Map();
    for (const ask of this.deps.asks.all()) {
      if (ask.sessionId !== undefined) this.told.set(keyOf(ask.sessionId, ask.callId), ask);
    }
    for (const [key, ask] of this.told) {
      if (before.get(key)?.requestId !== ask.requestId) this.tell(ask);
    }
    for (const [key, ask] of before) if (!this.told.has(key)) this.tell(ask, 0);
  }

  /** What is not sent is told when the bridge asks again. */
  private tell({ sessionId, callId, expiresAt }: Ask, ms = this.left(expiresAt)): void {
    if (sessionId === undefined) return;
    const payload = { callId, ...(ms !== undefined && { ms }) };
    this.deps.connection.send({ type: 'tool.waiting', sessionId, payload });
  }

  private left(expiresAt: number | undefined): number | undefined {
    return expiresAt && Math.max(1, expiresAt - this.deps.clock.now());
  }
}

function keyOf(sessionId: string, callId: string): string {
  return JSON.stringify([sessionId, callId]);
}

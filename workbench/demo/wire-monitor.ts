import * as z from 'zod';
import type { Undo } from '../../src/core/ports';

const frame = z.object({
  type: z.string(),
  sessionId: z.string().optional(),
  payload: z.looseObject({
    callId: z.string().optional(),
    tool: z.unknown().optional(),
    ms: z.unknown().optional(),
  }),
});

type Frame = z.infer<typeof frame>;

/** A call that the plugin asks the person about. */
export interface WaitingCall {
  readonly sessionId: string;
  readonly callId: string;
  /** name of the tool in the protocol */
  readonly tool: string;
}

/** Records the frames of the plugin's WebSocket, to prove where each call ran. */
export class WireMonitor {
  private readonly calls = new Map<string, WaitingCall>();
  private readonly results = new Set<string>();
  private readonly reportedCalls = new Set<string>();
  private readonly listeners = new Set<(call: WaitingCall) => void>();
  private readonly turnEndCounts = new Map<string, number>();
  private readonly waiters = new Set<{
    readonly ready: () => boolean;
    readonly resolve: () => void;
  }>();
  private welcomeCount = 0;
  /** every text frame, in both directions */
  readonly texts: string[] = [];

  /** number of calls that the plugin received and answered */
  get answered(): number {
    return [...this.calls.keys()].filter((call) => this.results.has(call)).length;
  }

  /** ids of calls that the plugin received and did not answer */
  get unanswered(): readonly string[] {
    return [...this.calls.keys()].filter((call) => !this.results.has(call));
  }

  /** Resolves when the bridge has welcomed the plugin more than `before` times. */
  welcomed(before = 0): Promise<void> {
    return this.waitFor(() => this.welcomeCount > before);
  }

  /** number of times that the bridge has welcomed the plugin */
  get welcomes(): number {
    return this.welcomeCount;
  }

  /** Resolves at the next call that the plugin receives. */
  nextCall(): Promise<void> {
    const before = this.calls.size;
    return this.waitFor(() => this.calls.size > before);
  }

  /** Call before sending a prompt: resolves when the plugin was notified that its turn ended. */
  nextTurnEnd(sessionId: string): Promise<void> {
    const before = this.turnEndCounts.get(sessionId) ?? 0;
    return this.waitFor(() => (this.turnEndCounts.get(sessionId) ?? 0) > before);
  }

  /** Calls the listener once for each call that waits for the person. */
  onWaiting(listener: (call: WaitingCall) => void): Undo {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  received(text: string): void {
    this.texts.push(text);
    const message = parseFrame(text);
    if (!message) return;
    const { type, sessionId, payload } = message;
    if (type === 'welcome') this.welcomeCount += 1;
    const { callId, tool } = payload;
    if (type === 'tool.call' && sessionId && callId && typeof tool === 'string') {
      this.calls.set(keyOf(sessionId, callId), { sessionId, callId, tool });
    }
    if (type === 'turn.end' && sessionId) {
      this.turnEndCounts.set(sessionId, (this.turnEndCounts.get(sessionId) ?? 0) + 1);
    }
    for (const one of this.waiters) {
      if (!one.ready()) continue;
      this.waiters.delete(one);
      one.resolve();
    }
  }

  sent(text: string): void {
    this.texts.push(text);
    const message = parseFrame(text);
    const { sessionId, payload } = message ?? {};
    if (!message || !sessionId || !payload?.callId) return;
    const key = keyOf(sessionId, payload.callId);
    if (message.type === 'tool.result') this.results.add(key);
    if (message.type === 'tool.waiting' && payload.ms !== 0) this.reportWaiting(key);
  }

  private reportWaiting(key: string): void {
    const call = this.calls.get(key);
    if (call === undefined || this.reportedCalls.has(key)) return;
    this.reportedCalls.add(key);
    for (const listener of this.listeners) listener(call);
  }

  private waitFor(ready: () => boolean): Promise<void> {
    if (ready()) return Promise.resolve();
    return new Promise((resolve) => void this.waiters.add({ ready, resolve }));
  }
}

function keyOf(sessionId: string, callId: string): string {
  return `${sessionId}/${callId}`;
}

function parseFrame(text: string): Frame | undefined {
  try {
    return frame.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // a socket of another page
  }
}

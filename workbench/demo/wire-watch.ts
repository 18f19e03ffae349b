import * as z from 'zod';

const frame = z.object({
  type: z.string(),
  sessionId: z.string().optional(),
  payload: z.looseObject({ callId: z.string().optional() }),
});

/** What went over the plugin's WebSocket, read off its frames: the proof of who ran a call. */
export class WireWatch {
  private readonly called = new Set<string>();
  private readonly results = new Set<string>();
  private readonly ends = new Map<string, number>();
  private readonly waiting = new Set<{
    readonly ready: () => boolean;
    readonly resolve: () => void;
  }>();
  private count = 0;
  /** every text frame, both ways */
  readonly texts: string[] = [];

  /** calls that the plugin took and answered */
  get answered(): number {
    return [...this.called].filter((call) => this.results.has(call)).length;
  }

  /** calls that the plugin took and never answered */
  get unanswered(): readonly string[] {
    return [...this.called].filter((call) => !this.results.has(call));
  }

  /** Fulfilled when the bridge has welcomed the plugin more than `before` times. */
  welcomed(before = 0): Promise<void> {
    return this.until(() => this.count > before);
  }

  /** how often the bridge has welcomed the plugin */
  get welcomes(): number {
    return this.count;
  }

  /** Fulfilled with the next call that comes to the plugin. */
  nextCall(): Promise<void> {
    const before = this.called.size;
    return this.until(() => this.called.size > before);
  }

  /** Called before a prompt is sent: fulfilled when the plugin was told that its turn ended. */
  nextTurnEnd(sessionId: string): Promise<void> {
    const before = this.ends.get(sessionId) ?? 0;
    return this.until(() => (this.ends.get(sessionId) ?? 0) > before);
  }

  received(text: string): void {
    this.texts.push(text);
    const message = read(text);
    if (!message) return;
    const { type, sessionId, payload } = message;
    if (type === 'welcome') this.count += 1;
    if (type === 'tool.call' && payload.callId) this.called.add(payload.callId);
    if (type === 'turn.end' && sessionId) {
      this.ends.set(sessionId, (this.ends.get(sessionId) ?? 0) + 1);
    }
    for (const one of this.waiting) {
      if (!one.ready()) continue;
      this.waiting.delete(one);
      one.resolve();
    }
  }

  sent(text: string): void {
    this.texts.push(text);
    const message = read(text);
    if (message?.type === 'tool.result' && message.payload.callId) {
      this.results.add(message.payload.callId);
    }
  }

  private until(ready: () => boolean): Promise<void> {
    if (ready()) return Promise.resolve();
    return new Promise((resolve) => void this.waiting.add({ ready, resolve }));
  }
}

function read(text: string): z.infer<typeof frame> | undefined {
  try {
    return frame.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // another page's socket
  }
}

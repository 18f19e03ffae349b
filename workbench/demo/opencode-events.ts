import * as z from 'zod';
import type { Undo } from '../../src/core/ports';
import type { OpencodeClient } from './opencode-client';

const id = z.string();
const event = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('session.created'),
    properties: z.object({ info: z.object({ id, parentID: id.optional() }) }),
  }),
  z.object({ type: z.literal('session.idle'), properties: z.object({ sessionID: id }) }),
  z.object({
    type: z.literal('session.error'),
    properties: z.object({
      sessionID: id.optional(),
      error: z
        .object({ name: z.string(), data: z.object({ message: z.string().optional() }).optional() })
        .optional(),
    }),
  }),
  z.object({
    type: z.literal('message.updated'),
    properties: z.object({
      sessionID: id.optional(),
      info: z.object({
        id,
        sessionID: id,
        role: z.enum(['user', 'assistant']),
        parentID: id.optional(),
        time: z.object({ completed: z.number().optional() }),
      }),
    }),
  }),
  z.object({
    type: z.literal('message.part.updated'),
    properties: z.object({
      part: z.object({
        sessionID: id,
        type: z.string(),
        tool: z.string().optional(),
        callID: id.optional(),
        state: z.object({ status: z.string() }).optional(),
      }),
    }),
  }),
  z.object({
    type: z.literal('permission.asked'),
    properties: z.object({ id, sessionID: id, permission: z.string() }),
  }),
  z.object({
    type: z.literal('question.asked'),
    properties: z.object({
      id,
      sessionID: id,
      questions: z.array(z.object({ question: z.string(), header: z.string().optional() })),
    }),
  }),
]);

/** An event of OpenCode that a run uses; all others are ignored. */
export type OpencodeEvent = z.infer<typeof event>;

/** OpenCode's own event stream, independent of what the plugin receives. */
export class OpencodeEvents {
  private readonly listeners = new Set<(event: OpencodeEvent) => void>();
  private readonly stopped = new AbortController();
  #stirredAt = 0;

  /** Time of the latest event of a session, in ms since the epoch; 0 before the first. */
  get stirredAt(): number {
    return this.#stirredAt;
  }

  on(listener: (event: OpencodeEvent) => void): Undo {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Resolves when the stream is open; it ends with OpenCode, or by `stop`. */
  async start(client: OpencodeClient): Promise<void> {
    const body = await client.events(this.stopped.signal);
    // The stream breaks when OpenCode exits, which is detected at its process.
    void this.read(body).catch(() => undefined);
  }

  stop(): void {
    this.stopped.abort();
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    let rest = '';
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const lines = (rest + decoder.decode(next.value, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith('data:')) this.dispatchLine(line.slice(5));
    }
  }

  private dispatchLine(data: string): void {
    const json: unknown = JSON.parse(data);
    if (isSessionEvent(json)) this.#stirredAt = Date.now();
    const parsed = event.safeParse(json);
    if (!parsed.success) return;
    for (const listener of this.listeners) listener(parsed.data);
  }
}

const sessionEvent = z.object({
  type: z.string().regex(/^(?:session|message|permission|question)\./),
});

/** Whether an event is about a session, rather than about OpenCode itself, such as a heartbeat. */
function isSessionEvent(json: unknown): boolean {
  return sessionEvent.safeParse(json).success;
}

import * as z from 'zod/mini';
import type { Clock } from '../core/ports';
import { WireError } from '../protocol/wire-error';
import { placeBefore } from './history';
import { keyIn } from './key-mark';
import { sessionPath, type OpencodeApi } from './opencode-api';
import type { EventOf, OpencodeEvent } from './opencode-event';

const stored = z.array(
  z.object({
    info: z.object({ id: z.string(), time: z.object({ created: z.number() }) }),
    parts: z.array(z.object({ metadata: z.optional(z.unknown()) })),
  }),
);

/** What is known of one session's prompts. */
interface Known {
  /** message ids by key */
  readonly prompts: Map<string, string>;
  /** the newest message that was read: what is older was read as well */
  newest: string | undefined;
  /** what OpenCode said last of a prompt, or a turn, that failed */
  fault: string | undefined;
}

/** Messages that are read at once. */
const PAGE = 50;
/** How long OpenCode may take to keep a prompt that it took, ms: less than a client waits. */
const KEPT_WITHIN = 8_000;

/** The prompts that have a key, as OpenCode keeps them. */
export class StoredPrompts {
  readonly #sessions = new Map<string, Known>();
  readonly #waiting = new Set<() => void>();

  constructor(
    private readonly api: Pick<OpencodeApi, 'ask'>,
    private readonly clock: Pick<Clock, 'after'>,
  ) {}

  heard(event: OpencodeEvent): void {
    if (event.type === 'session.deleted') this.#sessions.delete(event.properties.sessionID);
    if (event.type === 'session.error') this.#failed(event.properties);
    if (event.type !== 'message.part.updated') return;
    const { sessionID, part } = event.properties;
    const key = keyIn(part.metadata);
    if (key === undefined) return;
    this.#of(sessionID).prompts.set(key, part.messageID);
    for (const look of [...this.#waiting]) look();
  }

  /**
   * The id of the prompt's message; undefined where OpenCode keeps none with that key. Other
   * processes write to the same session: what came since the last time is read each time.
   * @throws WireError
   */
  async find(sessionId: string, key: string): Promise<string | undefined> {
    const known = this.#of(sessionId);
    if (!known.prompts.has(key)) await this.#read(sessionId, known);
    return known.prompts.get(key);
  }

  /**
   * The id of a prompt that OpenCode took, once it is kept: it takes one before it writes it.
   * @throws WireError `timeout`; `internal` where it said meanwhile that something failed
   */
  async kept(sessionId: string, key: string): Promise<string> {
    const known = this.#of(sessionId);
    const { prompts } = known;
    known.fault = undefined;
    if (!prompts.has(key)) {
      await new Promise<void>((resolve) => {
        const done = (): void => {
          undo();
          this.#waiting.delete(look);
          resolve();
        };
        const look = (): void => {
          if (prompts.has(key)) done();
        };
        const undo = this.clock.after(KEPT_WITHIN, done);
        this.#waiting.add(look);
      });
    }
    const messageId = await this.find(sessionId, key);
    if (messageId !== undefined) return messageId;
    const { fault } = this.#of(sessionId);
    if (fault !== undefined) throw new WireError('internal', fault);
    throw new WireError('timeout', 'OpenCode took the prompt and does not show it yet.', true);
  }

  async #read(sessionId: string, known: Known): Promise<void> {
    const path = `${sessionPath(sessionId)}/message`;
    let before: string | undefined;
    let newest = known.newest;
    for (;;) {
      const query = { limit: String(PAGE), ...(before !== undefined && { before }) };
      const page = await this.api.ask(stored, { method: 'GET', path, query });
      if (before === undefined) newest = page.at(-1)?.info.id;
      for (const { info, parts } of page) {
        const key = parts.map(({ metadata }) => keyIn(metadata)).find((one) => one !== undefined);
        if (key !== undefined) known.prompts.set(key, info.id);
      }
      const [oldest] = page;
      const met = page.some(({ info }) => info.id === known.newest);
      if (met || oldest === undefined || page.length < PAGE) break;
      before = placeBefore(oldest.info.id, oldest.info.time.created);
    }
    known.newest = newest;
  }

  #failed({ sessionID, error }: EventOf<'session.error'>['properties']): void {
    const known = this.#sessions.get(sessionID ?? '');
    if (known && error) known.fault = error.data?.message ?? error.name;
  }

  #of(sessionId: string): Known {
    const fresh = { prompts: new Map<string, string>(), newest: undefined, fault: undefined };
    const known = this.#sessions.get(sessionId) ?? fresh;
    this.#sessions.set(sessionId, known);
    return known;
  }
}

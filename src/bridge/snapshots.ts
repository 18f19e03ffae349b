import * as z from 'zod/mini';
import { KeyedQueue } from '../core/board/keyed-queue';
import type { Clock, Log } from '../core/ports';
import { todo } from '../protocol/progress';
import type { ToBridgeOf } from '../protocol/to-bridge';
import { readHistory } from './history';
import type { LivePart, LiveParts } from './live-parts';
import { sessionPath, type OpencodeApi } from './opencode-api';
import type { KnownSession, SessionBook } from './session-book';
import type { SnapshotState } from './snapshot-pages';
import type { StandingAsks } from './standing-asks';
import type { Translator } from './translate';

export interface SnapshotParts {
  readonly api: OpencodeApi;
  readonly asks: Pick<StandingAsks, 'recover'>;
  readonly book: SessionBook;
  readonly clock: Pick<Clock, 'now'>;
  readonly live: LiveParts;
  readonly log: Log;
  readonly translator: Pick<Translator, 'progress' | 'standing'>;
}

type Message = SnapshotState['messages'][number];
type Todos = SnapshotState['todos'];

const todos = z.array(todo);

type Named = Pick<KnownSession, 'title' | 'parentId' | 'agent'>;

/** Messages of a session that is sent anew; older ones are asked for. */
const NEWEST = 100;

/** Sessions as a whole, in pages. */
export class Snapshots {
  /** One after another: after a restart every session may be asked for at once. */
  readonly #queue = new KeyedQueue();

  constructor(private readonly parts: SnapshotParts) {}

  /** @throws WireError as `readHistory` */
  async history(message: ToBridgeOf<'session.history'>): Promise<readonly SnapshotState[]> {
    const { api, book } = this.parts;
    const known = await book.get(message.sessionId);
    const pages = await readHistory(api, message);
    return this.#pages(message.sessionId, known, pages, []);
  }

  /**
   * A session as it is now. Where OpenCode doesn't say, without messages: what waits for a person
   * is known here.
   * @returns to be called when the pages are sent, for what is running then
   */
  current(sessionId: string): Promise<() => readonly SnapshotState[]> {
    return this.#queue.run('read', async () => {
      try {
        const { known, pages, todos } = await this.#read(sessionId);
        return () => {
          const { live, clock } = this.parts;
          const whole = withLive(pages, live.of(sessionId), clock.now());
          return this.#pages(sessionId, known, whole, todos);
        };
      } catch (error) {
        this.parts.log.note('A session could not be read anew.', { error: String(error) });
        const known = this.parts.book.last(sessionId) ?? unknown(sessionId);
        return () => this.#pages(sessionId, known, [[]], []);
      }
    });
  }

  async #read(sessionId: string) {
    const { api, asks, book } = this.parts;
    const payload = { limit: NEWEST };
    const [known, pages, list] = await Promise.all([
      book.get(sessionId),
      readHistory(api, { sessionId, payload }),
      api.ask(todos, { method: 'GET', path: `${sessionPath(sessionId)}/todo` }),
      asks.recover(sessionId),
    ]);
    return { known, pages, todos: list };
  }

  #pages(
    sessionId: string,
    { title, parentId, agent }: Named,
    pages: readonly (readonly Message[])[],
    todos: Todos,
  ): readonly SnapshotState[] {
    const waiting = this.parts.translator.standing(sessionId);
    const state = {
      title,
      status: this.parts.translator.progress(sessionId).kind,
      permissions: waiting.flatMap((ask) =>
        ask.type === 'permission.request' ? [ask.payload] : [],
      ),
      questions: waiting.flatMap((ask) => (ask.type === 'question.request' ? [ask.payload] : [])),
      todos,
      ...(parentId !== undefined && { parentId }),
      ...(agent !== undefined && { agent }),
    };
    return pages.map((messages) => ({ ...state, messages: [...messages] }));
  }
}

function unknown(sessionId: string): Named {
  return { title: sessionId, parentId: undefined, agent: undefined };
}

/** The stored messages with the text of those parts that are still being written. */
function withLive(
  pages: readonly (readonly Message[])[],
  live: readonly LivePart[],
  now: number,
): readonly (readonly Message[])[] {
  const whole = pages.map((page) => page.map((message) => withParts(message, live)));
  const stored = new Set(whole.flat().map(({ messageId }) => messageId));
  const missing = [...new Set(live.map(({ messageId }) => messageId))]
    .filter((messageId) => !stored.has(messageId))
    .map((messageId) => withParts({ messageId, role: 'assistant', created: now, parts: [] }, live));
  if (missing.length === 0) return whole;
  return [...whole.slice(0, -1), [...(whole.at(-1) ?? []), ...missing]];
}

function withParts(message: Message, live: readonly LivePart[]): Message {
  const mine = live.filter(({ messageId }) => messageId === message.messageId);
  if (mine.length === 0) return message;
  const byId = new Map(mine.map(({ partId, kind, text }) => [partId, { kind, partId, text }]));
  const parts = message.parts.map((part) => byId.get(part.partId) ?? part);
  const stored = new Set(parts.map(({ partId }) => partId));
  const begun = [...byId.values()].filter(({ partId }) => !stored.has(partId));
  return { ...message, parts: [...parts, ...begun] };
}

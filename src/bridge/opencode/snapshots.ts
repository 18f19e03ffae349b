import { KeyedQueue } from '../../core/keyed-queue';
import type { Clock, Log } from '../../core/ports';
import type { ToBridgeOf } from '../../protocol/to-bridge';
import { readHistory } from './history';
import type { LivePart, LiveParts } from '../server/token-buffer';
import { validItems, sessionPath, type OpencodeApi } from './opencode-api';
import { readEvent, todo } from './opencode-event';
import type { KnownSession, SessionCache } from './session-cache';
import type { SnapshotState } from '../../core/engine/engine';
import type { Translator } from './translator';
import * as z from 'zod/mini';
import type { Clients } from '../server/clients';

interface SnapshotServices {
  readonly api: OpencodeApi;
  readonly clients: Pick<Clients, 'publish'>;
  readonly sessions: SessionCache;
  readonly clock: Pick<Clock, 'now'>;
  readonly live: LiveParts;
  readonly log: Log;
  readonly translator: Pick<Translator, 'progress' | 'standing' | 'translate' | 'waits'>;
}

type Message = SnapshotState['messages'][number];

type Todos = SnapshotState['todos'];

const todos = validItems(todo);

type SessionHead = Pick<KnownSession, 'title' | 'parentId' | 'agent'>;

/** Messages in a new snapshot. Clients request older ones. */
const MAX_MESSAGES = 100;

/** Snapshots of sessions, in pages. */
export class Snapshots {
  /** serializes reads, since all sessions may be requested at once after a restart */
  readonly #queue = new KeyedQueue();

  constructor(private readonly services: SnapshotServices) {}

  /** @throws WireError as `readHistory` */
  async history(message: ToBridgeOf<'session.history'>): Promise<readonly SnapshotState[]> {
    const { api, sessions } = this.services;
    const known = await sessions.get(message.sessionId);
    const pages = await readHistory(api, message);
    return this.#pages(message.sessionId, known, pages, []);
  }

  /**
   * The current snapshot of a session. If OpenCode doesn't return its messages, the snapshot has
   * none, but still has the pending requests.
   * @returns a function that makes the pages; call it when sending them, so that they include the
   * text written by then
   */
  current(sessionId: string): Promise<() => readonly SnapshotState[]> {
    return this.#queue.run('read', async () => {
      try {
        const { known, pages, todos } = await this.#read(sessionId);
        return () => {
          const { live, clock } = this.services;
          const whole = withLive(pages, live.of(sessionId), clock.now());
          return this.#pages(sessionId, known, whole, todos);
        };
      } catch (error) {
        this.services.log.note('A session could not be read anew.', {
          at: 'session.snapshot',
          error: String(error),
        });
        const known = this.services.sessions.cached(sessionId) ?? unknown(sessionId);
        return () => this.#pages(sessionId, known, [[]], []);
      }
    });
  }

  async #read(sessionId: string) {
    const { api, sessions } = this.services;
    const payload = { limit: MAX_MESSAGES };
    const [known, pages, list] = await Promise.all([
      sessions.get(sessionId),
      readHistory(api, { sessionId, payload }),
      api.ask(todos, { method: 'GET', path: `${sessionPath(sessionId)}/todo` }),
      this.#recover(sessionId),
    ]);
    return { known, pages, todos: list };
  }

  /**
   * Handles requests to the person that OpenCode made before this bridge was listening. Logs if
   * OpenCode doesn't list them.
   */
  async #recover(sessionId: string): Promise<void> {
    const { api, clients, log, translator } = this.services;
    for (const [path, type] of PENDING_LISTS) {
      try {
        const listed = await api.ask(z.array(z.unknown()), { method: 'GET', path });
        for (const event of listed.map((properties) => readEvent({ type, properties }))) {
          if (event?.type !== 'permission.asked' && event?.type !== 'question.asked') continue;
          const { id, sessionID } = event.properties;
          if (sessionID !== sessionId || translator.waits(sessionID, id)) continue;
          for (const draft of translator.translate(event)) clients.publish(draft);
        }
      } catch (error) {
        log.note('What waits for the person is not known.', {
          at: 'session.waiting',
          list: path,
          error: String(error),
        });
      }
    }
  }

  #pages(
    sessionId: string,
    { title, parentId, agent }: SessionHead,
    pages: readonly (readonly Message[])[],
    todos: Todos,
  ): readonly SnapshotState[] {
    const waiting = this.services.translator.standing(sessionId);
    const state = {
      title,
      status: this.services.translator.progress(sessionId).kind,
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

function unknown(sessionId: string): SessionHead {
  return { title: sessionId, parentId: undefined, agent: undefined };
}

/** Adds the text of parts that are still being written to the stored messages. */
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
  const messageParts = live.filter(({ messageId }) => messageId === message.messageId);
  if (messageParts.length === 0) return message;
  const byId = new Map(
    messageParts.map(({ partId, kind, text }) => [partId, { kind, partId, text }]),
  );
  const parts = message.parts.map((part) => byId.get(part.partId) ?? part);
  const stored = new Set(parts.map(({ partId }) => partId));
  const begun = [...byId.values()].filter(({ partId }) => !stored.has(partId));
  return { ...message, parts: [...parts, ...begun] };
}

/** Paths at which OpenCode lists pending requests, and the events that have the same form. */
const PENDING_LISTS = [
  ['/permission', 'permission.asked'],
  ['/question', 'question.asked'],
] as const;

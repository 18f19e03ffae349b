import * as z from 'zod/mini';
import type { FromDraft } from '../../core/engine/engine';
import type { Log } from '../../core/ports';
import { readMessages } from '../opencode/history';
import {
  validItems,
  sessionPath,
  type OpencodeApi,
  type SessionInfo,
} from '../opencode/opencode-api';
import { readEvent, type OpencodeEvent } from '../opencode/opencode-event';
import { RecentMap } from '../opencode/recent-map';
import type { Translator } from '../opencode/translator';
import { ServerError } from './opencode-server';

/** Messages to read per session; more than a turn has while a connection is lost. */
const MAX_MESSAGES = 100;

/** Parts and sessions to remember; more than there are events for while a connection is lost. */
const MAX_REMEMBERED = 5_000;

/** A message as OpenCode stores it, in the same form as in its events. */
const message = z.object({
  info: z.looseObject({
    id: z.string(),
    role: z.string(),
    finish: z.optional(z.string()),
    time: z.looseObject({ created: z.number(), completed: z.optional(z.number()) }),
  }),
  parts: z.array(z.unknown()),
});

type Message = z.infer<typeof message>;

const askedRequest = z.looseObject({ id: z.string(), sessionID: z.string() });

interface MissedEventsServices {
  readonly api: OpencodeApi;
  readonly translator: Pick<Translator, 'standing' | 'waits' | 'works'>;
  /** Handles an event as if it came from the stream. */
  readonly onEvent: (event: OpencodeEvent) => void;
  readonly log: Log;
}

/**
 * Recovers events missed while the stream was lost: reads the state of the sessions from OpenCode
 * and handles the differences as events. Doesn't repeat what was already reported.
 */
export class MissedEvents {
  /** the newest time in OpenCode's data so far, by its own clock */
  #newestTime = 0;
  #isFirst = true;
  /** known sessions; reported as deleted when they are no longer listed */
  readonly #sessions = new Set<string>();
  /** by session: the newest time up to which it was caught up, if that differs from the others' */
  readonly #ownTimes = new Map<string, number>();
  readonly #finals = new RecentMap<string, true>(MAX_REMEMBERED);
  readonly #todos = new RecentMap<string, string>(MAX_REMEMBERED);

  constructor(private readonly services: MissedEventsServices) {}

  /**
   * Whether clients should get this draft. They don't get what happened before this process
   * started.
   */
  shouldPublish(draft: FromDraft): boolean {
    if (draft.type !== 'message.final') return !this.#isFirst;
    const { partId } = draft.payload;
    const isNew = this.#finals.get(partId) === undefined;
    this.#finals.set(partId, true);
    return isNew && !this.#isFirst;
  }

  /** Takes note of an event from the stream. */
  observe({ type, properties }: OpencodeEvent): void {
    if (type === 'session.created' && this.#sessions.size < MAX_REMEMBERED) {
      this.#sessions.add(properties.sessionID);
    }
    if (type === 'session.deleted') {
      this.#sessions.delete(properties.sessionID);
      this.#ownTimes.delete(properties.sessionID);
    }
    if (type === 'todo.updated') this.#todos.set(properties.sessionID, keyOf(properties.todos));
    if (type !== 'message.updated') return;
    const { created, completed } = properties.info.time;
    this.#newestTime = Math.max(this.#newestTime, created, completed ?? 0);
  }

  /**
   * Tries everything again after a failure, except sessions that were caught up. A session that
   * can't be read is left to the next time: it must not keep the stream lost for all.
   * @throws WireError if OpenCode doesn't answer
   */
  async catchUp(): Promise<void> {
    const since = this.#newestTime;
    try {
      await this.#catchUpAll(since);
    } catch (error) {
      this.#newestTime = since;
      throw error;
    }
  }

  async #catchUpAll(since: number): Promise<void> {
    const { api, translator, log } = this.services;
    const [sessions, statuses] = await Promise.all([api.sessions(), api.statuses()]);
    const asks = [
      ...(await this.#pendingAsks('permission')),
      ...(await this.#pendingAsks('question')),
    ];
    const oldest = [...sessions].reverse();
    const caughtUp: string[] = [];
    for (const session of oldest) {
      const { id: sessionId, time } = session;
      this.#handleSession(session);
      const status = statuses.get(sessionId) ?? 'idle';
      const from = this.#ownTimes.get(sessionId) ?? since;
      const isNewer = !this.#isFirst && (time?.updated ?? 0) >= from;
      const works = status !== 'idle' || translator.works(sessionId);
      if (!isNewer && !works) continue;
      try {
        await this.#catchUpWith(sessionId, status, from, asks);
        this.#ownTimes.set(sessionId, this.#newestTime);
        caughtUp.push(sessionId);
      } catch (error) {
        if (error instanceof ServerError) throw error;
        this.#ownTimes.set(sessionId, from);
        log.note('What was missed of a session could not be read.', {
          ...{ at: 'bridge.stream', sessionId, error: String(error) },
        });
      }
    }
    for (const sessionId of caughtUp) this.#ownTimes.delete(sessionId);
    this.#forgetOthers(sessions);
    this.#isFirst = false;
  }

  #handleSession(info: SessionInfo): void {
    const isKnown = this.#sessions.has(info.id);
    this.#sessions.add(info.id);
    this.#newestTime = Math.max(this.#newestTime, info.time?.updated ?? 0);
    const type = isKnown ? 'session.updated' : 'session.created';
    this.#handleIfKnown(type, { sessionID: info.id, info });
  }

  async #catchUpWith(
    sessionID: string,
    status: string,
    since: number,
    asks: readonly AskedEvent[],
  ): Promise<void> {
    const { api, translator } = this.services;
    const todos = { method: 'GET', path: `${sessionPath(sessionID)}/todo` } as const;
    const [messages, list] = await Promise.all([
      readMessages(api, sessionID, message, MAX_MESSAGES),
      api.ask(z.array(z.unknown()), todos),
    ]);
    this.#handleMessages(sessionID, messages, since);
    this.#handleAnswered(sessionID, status, asks);
    this.#handleTodos(sessionID, list);
    for (const { type, properties } of asks) {
      const isNew = !translator.waits(sessionID, properties.id);
      this.#handleIfKnown(type, properties, isNew && properties.sessionID === sessionID);
    }
    this.#handleStatus(sessionID, status);
    if (status !== 'idle' || !translator.works(sessionID)) return;
    // A turn may have started since the sessions were listed.
    const now = (await api.statuses()).get(sessionID) ?? 'idle';
    if (now === 'idle') this.#endTurn(sessionID, messages);
    else this.#handleStatus(sessionID, now);
  }

  #handleTodos(sessionID: string, todos: readonly unknown[]): void {
    const event = readEvent({ type: 'todo.updated', properties: { sessionID, todos } });
    if (event?.type !== 'todo.updated') return;
    const known = this.#todos.get(sessionID) ?? keyOf([]);
    if (keyOf(event.properties.todos) !== known) this.#handle(event);
  }

  /** Handles messages that were incomplete when the stream broke, or are newer. */
  #handleMessages(sessionID: string, all: readonly Message[], since: number): void {
    const isLate = ({ info: { time, role } }: Message): boolean =>
      role === 'user' ? time.created >= since : (time.completed ?? Infinity) >= since;
    // If a turn was already running when this process started, the translator needs its prompt.
    const newest = this.#isFirst && all.findLast(({ info }) => info.role === 'user');
    for (const [at, one] of all.entries()) {
      if (!isLate(one) && one !== newest) continue;
      const { info, parts } = one;
      const before = all[at - 1]?.info;
      const isOver = before?.time.completed !== undefined && before.finish !== 'tool-calls';
      // Otherwise the new turn would be taken for a part of the one before.
      if (info.role === 'user' && isOver) this.#handleStatus(sessionID, 'idle');
      this.#handleIfKnown('message.updated', { sessionID, info });
      for (const part of parts) this.#handleIfKnown('message.part.updated', { sessionID, part });
      if (info.role === 'user') this.#handleStatus(sessionID, 'busy');
    }
  }

  /** Handles requests to the person that are no longer pending. */
  #handleAnswered(sessionID: string, status: string, asks: readonly AskedEvent[]): void {
    const waiting = new Set(asks.map(({ properties }) => properties.id));
    for (const draft of this.services.translator.standing(sessionID)) {
      if (draft.type !== 'permission.request' && draft.type !== 'question.request') continue;
      const { requestId: requestID } = draft.payload;
      if (waiting.has(requestID)) continue;
      const isQuestion = draft.type === 'question.request';
      // It isn't known how they were answered, only whether the session continues.
      const reply = status === 'idle' ? 'reject' : 'once';
      if (isQuestion) this.#handleIfKnown('question.rejected', { sessionID, requestID });
      else this.#handleIfKnown('permission.replied', { sessionID, requestID, reply });
    }
  }

  /** Ends a turn that OpenCode lost when its process ended. */
  #endTurn(sessionID: string, messages: readonly Message[]): void {
    const error = { name: 'MessageAbortedError', data: { message: 'OpenCode was ended.' } };
    const answer = messages.findLast(({ info }) => info.role === 'assistant')?.info;
    const isOpen = answer !== undefined && answer.time.completed === undefined;
    if (isOpen) {
      const time = { ...answer.time, completed: answer.time.created };
      this.#handleIfKnown('message.updated', { sessionID, info: { ...answer, time, error } });
    }
    this.#handleIfKnown('session.error', { sessionID, error });
    this.#handleStatus(sessionID, 'idle');
  }

  /** Handles sessions that were deleted. A list that was cut can't show that. */
  #forgetOthers(sessions: readonly SessionInfo[]): void {
    const there = new Set(sessions.map(({ id }) => id));
    if (sessions.length >= MAX_LISTED) return;
    for (const sessionID of [...this.#sessions]) {
      if (there.has(sessionID)) continue;
      this.#sessions.delete(sessionID);
      this.#handleIfKnown('session.deleted', { sessionID });
    }
  }

  async #pendingAsks(kind: 'permission' | 'question'): Promise<readonly AskedEvent[]> {
    const path = `/${kind}`;
    const listed = await this.services.api.ask(validItems(askedRequest), { method: 'GET', path });
    return listed.map((properties) => ({ type: `${kind}.asked` as const, properties }));
  }

  #handleStatus(sessionID: string, type: string): void {
    this.#handleIfKnown('session.status', { sessionID, status: { type } });
  }

  #handleIfKnown(type: OpencodeEvent['type'], properties: object, isNew = true): void {
    const event = isNew ? readEvent({ type, properties }) : undefined;
    if (event !== undefined) this.#handle(event);
  }

  #handle(event: OpencodeEvent): void {
    this.observe(event);
    this.services.onEvent(event);
  }
}

interface AskedEvent {
  readonly type: 'permission.asked' | 'question.asked';
  readonly properties: z.infer<typeof askedRequest>;
}

/** The most sessions that a list has. */
const MAX_LISTED = 500;

function keyOf(todos: readonly unknown[]): string {
  return JSON.stringify(todos);
}

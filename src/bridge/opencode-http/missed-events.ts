import * as z from 'zod/mini';
import type { FromDraft } from '../../core/engine/engine';
import { messagePage } from '../opencode/history';
import { items, sessionPath, type OpencodeApi, type SessionInfo } from '../opencode/opencode-api';
import { readEvent, type OpencodeEvent } from '../opencode/opencode-event';
import { RecentMap } from '../opencode/recent-map';
import type { Translator } from '../opencode/translator';

/** Messages to read per session; more than a turn has while a connection is lost. */
const NEWEST = 100;

/** Parts and sessions to remember; more than there are events for while a connection is lost. */
const REMEMBERED = 5_000;

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

const ask = z.looseObject({ id: z.string(), sessionID: z.string() });

interface MissedEventsServices {
  readonly api: OpencodeApi;
  readonly translator: Pick<Translator, 'standing' | 'waits' | 'works'>;
  /** Handles an event as if it came from the stream. */
  readonly heard: (event: OpencodeEvent) => void;
}

/**
 * Recovers events missed while the stream was lost: reads the state of the sessions from OpenCode
 * and handles the differences as events. Doesn't repeat what was already reported.
 */
export class MissedEvents {
  /** the newest time in OpenCode's data so far, by its own clock */
  #told = 0;
  #isFirst = true;
  /** known sessions; reported as deleted when they are no longer listed */
  readonly #sessions = new Set<string>();
  readonly #finals = new RecentMap<string, true>(REMEMBERED);
  readonly #todos = new RecentMap<string, string>(REMEMBERED);

  constructor(private readonly services: MissedEventsServices) {}

  /**
   * Whether clients should get this draft. They don't get what happened before this process
   * started.
   */
  isTold(draft: FromDraft): boolean {
    if (draft.type !== 'message.final') return !this.#isFirst;
    const { partId } = draft.payload;
    const isNew = this.#finals.get(partId) === undefined;
    this.#finals.set(partId, true);
    return isNew && !this.#isFirst;
  }

  /** Takes note of an event from the stream. */
  passed({ type, properties }: OpencodeEvent): void {
    if (type === 'session.created' && this.#sessions.size < REMEMBERED) {
      this.#sessions.add(properties.sessionID);
    }
    if (type === 'session.deleted') this.#sessions.delete(properties.sessionID);
    if (type === 'todo.updated') this.#todos.set(properties.sessionID, keyOf(properties.todos));
    if (type !== 'message.updated') return;
    const { created, completed } = properties.info.time;
    this.#told = Math.max(this.#told, created, completed ?? 0);
  }

  /** @throws WireError if OpenCode doesn't answer */
  async catchUp(): Promise<void> {
    const { api, translator } = this.services;
    const [sessions, statuses] = await Promise.all([api.sessions(), api.statuses()]);
    const asks = [...(await this.#asks('permission')), ...(await this.#asks('question'))];
    const since = this.#told;
    const oldest = [...sessions].reverse();
    for (const session of oldest) {
      this.#listed(session);
      const status = statuses.get(session.id) ?? 'idle';
      const isNewer = !this.#isFirst && (session.time?.updated ?? 0) >= since;
      const works = status !== 'idle' || translator.works(session.id);
      if (isNewer || works) await this.#catchUpWith(session.id, status, since, asks);
    }
    this.#forgetOthers(sessions);
    this.#isFirst = false;
  }

  #listed(info: SessionInfo): void {
    const isKnown = this.#sessions.has(info.id);
    this.#sessions.add(info.id);
    this.#told = Math.max(this.#told, info.time?.updated ?? 0);
    const type = isKnown ? 'session.updated' : 'session.created';
    this.#hear(type, { sessionID: info.id, info });
  }

  async #catchUpWith(
    sessionID: string,
    status: string,
    since: number,
    asks: readonly Asked[],
  ): Promise<void> {
    const { api, translator } = this.services;
    const todos = { method: 'GET', path: `${sessionPath(sessionID)}/todo` } as const;
    const [messages, list] = await Promise.all([
      messagePage(api, sessionID, message, NEWEST),
      api.ask(z.array(z.unknown()), todos),
    ]);
    this.#messages(sessionID, messages, since);
    this.#answered(sessionID, status, asks);
    this.#todosAre(sessionID, list);
    for (const { type, properties } of asks) {
      const isNew = !translator.waits(sessionID, properties.id);
      this.#hear(type, properties, isNew && properties.sessionID === sessionID);
    }
    this.#status(sessionID, status);
    if (status !== 'idle' || !translator.works(sessionID)) return;
    // A turn may have started since the sessions were listed.
    const now = (await api.statuses()).get(sessionID) ?? 'idle';
    if (now === 'idle') this.#broken(sessionID, messages);
    else this.#status(sessionID, now);
  }

  #todosAre(sessionID: string, todos: readonly unknown[]): void {
    const event = readEvent({ type: 'todo.updated', properties: { sessionID, todos } });
    if (event?.type !== 'todo.updated') return;
    const known = this.#todos.get(sessionID) ?? keyOf([]);
    if (keyOf(event.properties.todos) !== known) this.#take(event);
  }

  /** Handles messages that were incomplete when the stream broke, or are newer. */
  #messages(sessionID: string, all: readonly Message[], since: number): void {
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
      if (info.role === 'user' && isOver) this.#status(sessionID, 'idle');
      this.#hear('message.updated', { sessionID, info });
      for (const part of parts) this.#hear('message.part.updated', { sessionID, part });
      if (info.role === 'user') this.#status(sessionID, 'busy');
    }
  }

  /** Handles requests to the person that are no longer pending. */
  #answered(sessionID: string, status: string, asks: readonly Asked[]): void {
    const waiting = new Set(asks.map(({ properties }) => properties.id));
    for (const draft of this.services.translator.standing(sessionID)) {
      if (draft.type !== 'permission.request' && draft.type !== 'question.request') continue;
      const { requestId: requestID } = draft.payload;
      if (waiting.has(requestID)) continue;
      const isQuestion = draft.type === 'question.request';
      // It isn't known how they were answered, only whether the session continues.
      const reply = status === 'idle' ? 'reject' : 'once';
      if (isQuestion) this.#hear('question.rejected', { sessionID, requestID });
      else this.#hear('permission.replied', { sessionID, requestID, reply });
    }
  }

  /** Ends a turn that OpenCode lost when its process ended. */
  #broken(sessionID: string, messages: readonly Message[]): void {
    const error = { name: 'MessageAbortedError', data: { message: 'OpenCode was ended.' } };
    const answer = messages.findLast(({ info }) => info.role === 'assistant')?.info;
    const isOpen = answer !== undefined && answer.time.completed === undefined;
    if (isOpen) {
      const time = { ...answer.time, completed: answer.time.created };
      this.#hear('message.updated', { sessionID, info: { ...answer, time, error } });
    }
    this.#hear('session.error', { sessionID, error });
    this.#status(sessionID, 'idle');
  }

  /** Handles sessions that were deleted. A list that was cut can't show that. */
  #forgetOthers(sessions: readonly SessionInfo[]): void {
    const there = new Set(sessions.map(({ id }) => id));
    if (sessions.length >= MAX_LISTED) return;
    for (const sessionID of [...this.#sessions]) {
      if (there.has(sessionID)) continue;
      this.#sessions.delete(sessionID);
      this.#hear('session.deleted', { sessionID });
    }
  }

  async #asks(kind: 'permission' | 'question'): Promise<readonly Asked[]> {
    const path = `/${kind}`;
    const listed = await this.services.api.ask(items(ask), { method: 'GET', path });
    return listed.map((properties) => ({ type: `${kind}.asked` as const, properties }));
  }

  #status(sessionID: string, type: string): void {
    this.#hear('session.status', { sessionID, status: { type } });
  }

  #hear(type: OpencodeEvent['type'], properties: object, isNew = true): void {
    const event = isNew ? readEvent({ type, properties }) : undefined;
    if (event !== undefined) this.#take(event);
  }

  #take(event: OpencodeEvent): void {
    this.passed(event);
    this.services.heard(event);
  }
}

interface Asked {
  readonly type: 'permission.asked' | 'question.asked';
  readonly properties: z.infer<typeof ask>;
}

/** The most sessions that a list has. */
const MAX_LISTED = 500;

function keyOf(todos: readonly unknown[]): string {
  return JSON.stringify(todos);
}

import type { TodoManager } from '../board/todo-manager';
import { KeyedQueue } from '../keyed-queue';
import { StoreError, type Clock, type Ids, type Log, type NoteStore } from '../ports';
import type { FromBridgeOf } from '../../protocol/from-bridge';
import type { ToBridgeOf } from '../../protocol/to-bridge';
import { WireError } from '../../protocol/wire-error';
import type { CreatedDraft, Engine, FromDraft, SnapshotState } from './engine';
import { splitIntoPages } from './history-pages';
import type { LiveSession, RunningTurn, EngineTurnEnd } from './live-session';
import { LiveSessions } from './live-sessions';
import { attachments, contextText } from './prompt-context';
import { isTurnOpen, newestPrompt, type LoggedPrompt, type SessionFacts } from './session-log';
import { EngineSessionStore } from './session-store';
import {
  createdFrom,
  finalDraft,
  messagesOf,
  statusFrom,
  snapshotState,
  twinOf,
} from './session-view';

export interface SessionEngineServices {
  readonly self: Engine['self'];
  /** equal in all engines with this program behind them; absent if none stores sessions itself */
  readonly program?: string;
  readonly store: NoteStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** resolves after the other pending tasks of the event loop */
  readonly pause?: () => Promise<void>;
  /** told of all that happens in sessions */
  readonly clients: {
    publish(draft: FromDraft): void;
    publishCreated(draft: CreatedDraft): void;
  };
  readonly boards: { manager(): Promise<Pick<TodoManager, 'boundFault'>> };
}

/** The agent and model that a prompt or its session names. */
export interface WantedAnswerer {
  readonly agent: string | undefined;
  readonly model: string | undefined;
}

export type Answerer = Pick<LoggedPrompt, 'agent' | 'model'>;

/** How many messages a snapshot contains; clients request older ones. */
const NEWEST = 100;

/** How many sessions are listed: the newest. */
export const MAX_LISTED = 500;

/** Maximum characters of a title made from the first prompt. */
const MAX_TITLE = 60;

/**
 * An engine that stores its sessions in the vault, and serves their history from there. The
 * subclass decides what answers. Prompts that arrive while a session works are answered by the same
 * turn.
 */
export abstract class SessionEngine<S extends SessionEngineServices, T = never> implements Engine {
  readonly self: Engine['self'];
  readonly sendsNotes = true;
  protected readonly sessionStore: EngineSessionStore;
  protected readonly live: LiveSessions;
  /** by session: keeps new prompts and ends of turns in order */
  protected readonly queue = new KeyedQueue();
  readonly #starts = new KeyedQueue();
  #closed = false;

  /**
   * @param folder of the sessions, in the vault
   * @param formerFolder their former folder
   */
  constructor(
    protected readonly services: S,
    folder: string,
    formerFolder?: string,
  ) {
    const { self, store, log, clock, clients, pause } = services;
    this.self = self;
    this.sessionStore = new EngineSessionStore({ store, log }, folder, formerFolder);
    const publish = (draft: FromDraft): void => clients.publish(draft);
    this.live = new LiveSessions({ store: this.sessionStore, clock, log, publish, pause });
  }

  /** @throws WireError `bad_message` if the agent or the model does not exist */
  protected abstract check(agent: string | undefined, model: string | undefined): Promise<void>;

  /** The agent and model that answer a prompt. @throws WireError */
  protected abstract answererFor(facts: SessionFacts, wanted: WantedAnswerer): Promise<Answerer>;

  /** Creates a turn, without running it. @param ended see `ModelTurnServices.onTurnEnded` */
  protected abstract createTurn(
    session: LiveSession,
    kind: RunningTurn['kind'],
    ended: (end: EngineTurnEnd) => Promise<boolean>,
    more: T | undefined,
  ): RunningTurn;

  async sessions(): ReturnType<Engine['sessions']> {
    const newest = await withWireErrors(() => this.sessionStore.newest(MAX_LISTED));
    return newest.map(({ facts, updated }) => {
      const { id, title, parentId, agent, board } = facts;
      return {
        ...{ id, title, updated },
        ...twinOf(facts, true, this.services.program),
        status: this.live.loaded(id)?.turn?.progress.kind ?? ('idle' as const),
        ...(parentId !== undefined && { parentId }),
        ...(agent !== undefined && { agent }),
        ...(board !== undefined && { board }),
      };
    });
  }

  async sessionInfo(sessionId: string): Promise<SessionFacts> {
    return (await this.session(sessionId)).facts;
  }

  async start(...[start, onCreated]: Parameters<NonNullable<Engine['start']>>): Promise<void> {
    const { key, parentId } = start;
    if (parentId !== undefined) await this.sessionInfo(parentId);
    if (key === undefined) return this.createSession(start, this.newId(), onCreated);
    return this.#starts.run(key, async () => {
      // If another key has the same hash, tries the next number.
      for (let nth = 0; ; nth += 1) {
        const id = idOfKey(key, nth);
        const found = await withWireErrors(() => this.sessionStore.facts(id));
        if (found === undefined) return this.createSession(start, id, onCreated);
        if (found.key === key) return onCreated(this.#created(found), false);
      }
    });
  }

  protected async createSession(
    start: Omit<ToBridgeOf<'session.start'>['payload'], 'requestId'> & Pick<SessionFacts, 'by'>,
    id: string,
    onCreated: Parameters<NonNullable<Engine['start']>>[1],
  ): Promise<void> {
    const { title = '', agent, model, parentId, board, by, key } = start;
    await this.check(agent, model);
    if (board !== undefined) {
      const { session, agent: of, task, tasks } = board;
      const manager = await this.services.boards.manager();
      const fault = await manager.boundFault(session, { agent: of, task, tasks });
      if (fault !== undefined) throw new WireError('bad_message', fault.message);
    }
    const facts: SessionFacts = {
      ...{ v: 1, id, title, created: this.services.clock.now() },
      ...(agent !== undefined && { agent }),
      ...(model !== undefined && { model }),
      ...(parentId !== undefined && { parentId }),
      ...(board !== undefined && { board }),
      ...(by !== undefined && { by }),
      ...(key !== undefined && { key }),
    };
    await withWireErrors(() => this.sessionStore.saveFacts(facts));
    this.live.add(facts);
    onCreated(this.#created(facts), true);
  }

  #created(facts: SessionFacts): CreatedDraft {
    return createdFrom(facts, this.self.directory, this.services.program);
  }

  prompt(message: ToBridgeOf<'session.message'>): ReturnType<NonNullable<Engine['prompt']>> {
    const { sessionId, payload } = message;
    return this.queue.run(sessionId, async () => {
      const session = await this.session(sessionId);
      const { key } = payload;
      const before =
        key !== undefined &&
        session.records.find((one) => one.kind === 'prompt' && one.key === key);
      if (before && before.kind === 'prompt') return { messageId: before.id, before: true };
      return session.keep(async () => {
        const prompt = await this.#loggedPrompt(session, payload);
        await withWireErrors(() => session.addPrompt(prompt));
        this.publishPrompt(session, prompt);
        this.beginTurn(session, 'prompt');
        await this.#titleFrom(session, prompt);
        return key === undefined ? undefined : { messageId: prompt.id, before: false };
      });
    });
  }

  async #loggedPrompt(
    { facts }: LiveSession,
    { text, agent, model, context, key }: ToBridgeOf<'session.message'>['payload'],
  ): Promise<LoggedPrompt> {
    const by = await this.answererFor(facts, { agent, model });
    const words = [contextText(context ?? {}), context?.related?.text ?? ''];
    const along = words.filter((one) => one !== '').join('\n\n');
    const attached = attachments(context ?? {});
    return {
      ...{ kind: 'prompt', id: `msg_${this.services.ids.unique()}`, at: this.services.clock.now() },
      ...{ text, ...by },
      ...(along !== '' && { along }),
      ...(key !== undefined && { key }),
      ...(attached.length > 0 && { attached }),
    };
  }

  protected publishPrompt(
    { facts }: LiveSession,
    { id, text, agent, model, attached }: LoggedPrompt,
  ): void {
    const named = attached && { attached: [...attached] };
    const part = { messageId: id, partId: `${id}_text`, kind: 'text', text, ...named } as const;
    this.services.clients.publish(finalDraft(facts.id, 'user', part, { agent, model }));
  }

  /** Never rejects: the prompt is already accepted. */
  async #titleFrom(session: LiveSession, { text }: LoggedPrompt): Promise<void> {
    const [line = ''] = text.trim().split('\n');
    if (session.facts.title !== '' || line === '') return;
    const title = line.length <= MAX_TITLE ? line : `${line.slice(0, MAX_TITLE - 1)}…`;
    await this.#retitle(session, title).catch((error: unknown) => {
      this.services.log.note('The title of a session could not be stored.', {
        ...{ at: 'session.title', sessionId: session.facts.id, error: String(error) },
      });
    });
  }

  /** Begins a turn; a turn that runs already continues with the newest prompt instead. */
  protected beginTurn(session: LiveSession, kind: RunningTurn['kind'], more?: T): void {
    if (session.turn !== undefined || this.#closed) return;
    const ended = (end: EngineTurnEnd): Promise<boolean> => this.#onTurnEnded(session, turn, end);
    const turn: RunningTurn = this.createTurn(session, kind, ended, more);
    session.turn = turn;
    this.publishProgress(session, { kind: 'busy' });
    void turn.run();
  }

  #onTurnEnded(session: LiveSession, turn: RunningTurn, end: EngineTurnEnd): Promise<boolean> {
    const { facts, records } = session;
    return this.queue.run(facts.id, async () => {
      if (session.turn !== turn) return true;
      const answered = records.findLast((one) => one.kind === 'answer' && one.id === end.messageId);
      const isAnswered =
        answered?.kind !== 'answer' || answered.prompt === newestPrompt(records)?.id;
      if (end.reason === 'completed' && !isAnswered) return false;
      await session.whenWritten();
      // It may have been interrupted meanwhile.
      if (session.turn === turn) this.#endTurn(session, end);
      return true;
    });
  }

  #endTurn(session: LiveSession, end: EngineTurnEnd, isLast = false): void {
    const { messageId, reason, error } = end;
    session.turn = undefined;
    const payload = {
      reason,
      ...(messageId !== undefined && { messageId }),
      ...(error !== undefined && { error }),
    };
    this.services.clients.publish({ type: 'turn.end', sessionId: session.facts.id, payload });
    this.publishProgress(session, { kind: 'idle' });
    const { onTurnEnd } = session;
    session.onTurnEnd = undefined;
    onTurnEnd?.(end);
    // For a prompt that arrived during a compaction.
    if (!isLast && isTurnOpen(session.records)) this.beginTurn(session, 'prompt');
  }

  interrupt(sessionId: string): Promise<void> {
    this.#interrupt(sessionId);
    return Promise.resolve();
  }

  /** @param isLast whether no turn may follow for a prompt that waited */
  #interrupt(sessionId: string, isLast = false): void {
    const session = this.live.loaded(sessionId);
    if (session?.turn !== undefined) this.#endTurn(session, session.turn.interrupt(), isLast);
  }

  currentEvents(sessionId: string): readonly FromDraft[] {
    const session = this.live.loaded(sessionId);
    if (session === undefined) return [];
    const payload = session.turn?.progress ?? ({ kind: 'idle' } as const);
    return [{ type: 'progress.update', sessionId, payload }, ...session.requests.all];
  }

  answerPermission({
    requestId,
    reply,
    message,
  }: ToBridgeOf<'permission.response'>['payload']): Promise<void> {
    return this.#answer(requestId, { reply, message });
  }

  answerQuestion({
    requestId,
    answers,
  }: ToBridgeOf<'question.response'>['payload']): Promise<void> {
    return this.#answer(requestId, answers);
  }

  async #answer(
    requestId: string,
    ...given: [Parameters<LiveSession['requests']['answer']>[1]]
  ): Promise<void> {
    const asking = this.live.all.find(({ requests }) => requests.has(requestId));
    if (asking === undefined)
      throw new WireError('conflict', 'It was answered, or is no longer asked.');
    asking.requests.answer(requestId, ...given);
    return Promise.resolve();
  }

  async rename(sessionId: string, title: string): Promise<void> {
    const session = await this.session(sessionId);
    if (session.facts.title !== title) await this.#retitle(session, title);
  }

  async #retitle(session: LiveSession, title: string): Promise<void> {
    session.facts = { ...session.facts, title };
    await withWireErrors(() => this.sessionStore.saveFacts(session.facts));
    this.publishFacts(session.facts);
  }

  /** Also removes the sessions of its subagents. */
  async remove(sessionId: string): Promise<void> {
    await this.interrupt(sessionId);
    const all = await withWireErrors(() => this.sessionStore.all());
    for (const { id, parentId, by } of all) {
      if (parentId === sessionId && by !== undefined) await this.remove(id);
    }
    await this.queue.run(sessionId, async () => {
      // A prompt may have been accepted meanwhile.
      this.#interrupt(sessionId, true);
      await this.live.drop(sessionId);
      await withWireErrors(() => this.sessionStore.remove(sessionId));
    });
    this.services.clients.publish({
      type: 'session.end',
      sessionId,
      payload: { reason: 'deleted' },
    });
  }

  async history({
    sessionId,
    payload,
  }: ToBridgeOf<'session.history'>): Promise<readonly SnapshotState[]> {
    const { before, limit } = payload;
    const session = await this.session(sessionId);
    const all = messagesOf(session);
    const end =
      before === undefined ? all.length : all.findIndex(({ messageId }) => messageId === before);
    if (end === -1) throw new WireError('bad_message', 'before: no message.');
    return pagesOf(session, all.slice(Math.max(0, end - limit), end));
  }

  async snapshot(sessionId: string): Promise<() => readonly SnapshotState[]> {
    try {
      const session = await this.session(sessionId);
      return () => pagesOf(session, messagesOf(session).slice(-NEWEST));
    } catch (error) {
      const gone = error instanceof WireError && error.code === 'unknown_session';
      if (!gone) {
        this.services.log.note('A session could not be read anew.', {
          ...{ at: 'session.snapshot', sessionId, error: String(error) },
        });
      }
      const none = { permissions: [], questions: [], todos: [], messages: [] };
      return () => [{ title: sessionId, status: 'idle', ...none }];
    }
  }

  async getStatus(sessionId: string): ReturnType<Engine['getStatus']> {
    const session = await this.session(sessionId);
    return { created: this.#created(session.facts), status: statusFrom(session) };
  }

  /** Interrupts all turns, and waits until all records are stored. May be called twice. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { facts } of this.live.all) await this.interrupt(facts.id);
    await Promise.all(this.live.all.map((session) => session.whenWritten()));
    this.live.close();
  }

  /** @throws WireError `unknown_session` */
  protected session(id: string): Promise<LiveSession> {
    return withWireErrors(() => this.live.get(id));
  }

  /** Publishes the facts of a session that may have changed. */
  protected publishFacts(facts: SessionFacts): void {
    const { id: sessionId, title } = facts;
    const payload = {
      kind: 'title',
      title,
      ...twinOf(facts, true, this.services.program),
    } as const;
    this.services.clients.publish({ type: 'progress.update', sessionId, payload });
  }

  protected publishProgress(
    { facts }: LiveSession,
    payload: FromBridgeOf<'progress.update'>['payload'],
  ): void {
    this.services.clients.publish({ type: 'progress.update', sessionId: facts.id, payload });
  }

  protected newId(): string {
    const { clock, ids } = this.services;
    const random = ids
      .unique()
      .toLowerCase()
      .replace(/[^a-z0-9]/g, '')
      .slice(0, 20);
    return `ses_${clock.now().toString(36)}${random}`;
  }
}

function pagesOf(
  session: LiveSession,
  messages: SnapshotState['messages'],
): readonly SnapshotState[] {
  const state = snapshotState(session);
  return splitIntoPages(messages).map((page) => ({ ...state, messages: [...page] }));
}

/** Runs a task of the store. @throws WireError in place of a StoreError */
export async function withWireErrors<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new WireError('internal', error.message, error.code === 'busy');
  }
}

/**
 * The id of a session that is started with a key, so that a repeated start finds it, even after a
 * crash.
 */
export function idOfKey(key: string, nth: number): string {
  const text = `${nth} ${key}`;
  let [one, two] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 0x9e3779b1);
    two = Math.imul(two ^ unit, 0x5f356495);
    one ^= one >>> 15;
    two ^= two >>> 13;
  }
  return `ses_key${(one >>> 0).toString(36)}x${(two >>> 0).toString(36)}`;
}

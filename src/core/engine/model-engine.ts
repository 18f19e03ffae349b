import { callContext } from '../tool/tool';
import type { TodoManager } from '../board/todo-manager';
import type { LoadedConfig } from '../config/load-config';
import { KeyedQueue } from '../keyed-queue';
import type { PathResolver } from '../permission/path-resolver';
import { StoreError, type Clock, type Ids, type Log, type NoteStore } from '../ports';
import type { SharedSettings } from '../shared-settings';
import type { FromBridgeOf } from '../../protocol/from-bridge';
import type { ToBridgeOf } from '../../protocol/to-bridge';
import { WireError } from '../../protocol/wire-error';
import type { Calls } from './calls';
import type { CreatedDraft, Engine, FromDraft, SnapshotState } from './engine';
import { engineAgent, engineAgents } from './engine-agent';
import { EngineTools, toolsFor } from './engine-tools';
import { inPages } from './history-pages';
import type { LiveSession, ModelTurnEnd } from './live-session';
import { attachments, contextWords } from './prompt-context';
import { LiveSessions } from './live-sessions';
import {
  isTurnOpen,
  newestAnswer,
  newestPrompt,
  type LoggedPrompt,
  type SessionFacts,
} from './session-log';
import { DEFAULT_AGENT, ModelChoice, type EngineProvider } from './model-choice';
import { ModelSessionStore } from './model-session-store';
import { createdFrom, finalDraft, messagesOf, standFrom, snapshotState } from './session-view';
import { ModelTurn, MOST_TOKENS } from './model-turn';
import {
  startableBy,
  type SubAgentEnd,
  type SubAgentSessions,
  type SubAgentWork,
  type TokenBudget,
} from './sub-agents';

export interface ModelEngineServices {
  readonly self: Engine['self'];
  /** as it is set now */
  readonly provider: () => EngineProvider;
  readonly store: NoteStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** told of all that happens in sessions */
  readonly clients: {
    publish(draft: FromDraft): void;
    publishCreated(draft: CreatedDraft): void;
  };
  /** where calls of our tools run */
  readonly calls: Calls;
  readonly places: Pick<PathResolver, 'resolveFolder'>;
  readonly boards: {
    manager(): Promise<Pick<TodoManager, 'boundFault' | 'summary'>>;
    settings(): Promise<SharedSettings>;
  };
  /** agents, skills and instructions as they are now */
  readonly config: () => Promise<LoadedConfig>;
}

/** Of the sessions, in the vault. */
export const MODEL_SESSIONS = '.opencode/agent-task-boards/model-sessions';

/** Messages of a session that is sent anew; older ones are asked for. */
const NEWEST = 100;

/** Sessions that are listed, the newest. */
const MOST_LISTED = 500;

/** Characters of a title that is made from the first prompt. */
const MOST_TITLE = 60;

/**
 * Runs sessions on a model of a provider: keeps what was said, asks the model, and carries out what it calls.
 * Prompts of a session that come while it works are answered by the same turn.
 */
export class ModelEngine implements Engine {
  readonly self: Engine['self'];
  readonly sendsNotes = true;
  readonly #store: ModelSessionStore;
  readonly #sessions: LiveSessions;
  readonly #tools: EngineTools;
  /** by session: what is taken and what ends, in order */
  readonly #queue = new KeyedQueue();
  readonly #starts = new KeyedQueue();
  readonly #choice: ModelChoice;

  constructor(private readonly services: ModelEngineServices) {
    const { self, store, log, clock, clients } = services;
    this.self = self;
    this.#store = new ModelSessionStore({ store, log }, MODEL_SESSIONS);
    const tell = (draft: FromDraft): void => clients.publish(draft);
    this.#sessions = new LiveSessions({ store: this.#store, clock, log, tell });
    this.#choice = new ModelChoice(services);
    this.#tools = new EngineTools({ ...services, subAgents: this.#subAgents() });
  }

  async sessions(): ReturnType<Engine['sessions']> {
    const all = await kept(() => this.#store.all());
    const listed = await Promise.all(
      all.map(async ({ id, title, parentId, agent, board }) => ({
        ...{ id, title, updated: (await this.#store.stamp(id)).mtime },
        status: this.#sessions.loaded(id)?.turn?.progress.kind ?? ('idle' as const),
        ...(parentId !== undefined && { parentId }),
        ...(agent !== undefined && { agent }),
        ...(board !== undefined && { board }),
      })),
    );
    return listed.sort((a, b) => b.updated - a.updated).slice(0, MOST_LISTED);
  }

  async known(sessionId: string): Promise<SessionFacts> {
    return (await this.#session(sessionId)).facts;
  }

  async start(...[start, told]: Parameters<NonNullable<Engine['start']>>): Promise<void> {
    const { key, parentId } = start;
    if (parentId !== undefined) await this.known(parentId);
    if (key === undefined) return this.#make(start, this.#newId(), told);
    return this.#starts.run(key, async () => {
      // Another key with the same sum: then the next one.
      for (let nth = 0; ; nth += 1) {
        const id = idOfKey(key, nth);
        const found = await kept(() => this.#store.facts(id));
        if (found === undefined) return this.#make(start, id, told);
        if (found.key === key) return told(createdFrom(found, this.self.directory), false);
      }
    });
  }

  async #make(
    start: Omit<ToBridgeOf<'session.start'>['payload'], 'requestId'> & Pick<SessionFacts, 'by'>,
    id: string,
    told: Parameters<NonNullable<Engine['start']>>[1],
  ): Promise<void> {
    const { title = '', agent, model, parentId, board, by, key } = start;
    await this.#choice.check(agent, model);
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
    await kept(() => this.#store.keepFacts(facts));
    told(createdFrom(facts, this.self.directory), true);
  }

  prompt(message: ToBridgeOf<'session.message'>): ReturnType<NonNullable<Engine['prompt']>> {
    const { sessionId, payload } = message;
    return this.#queue.run(sessionId, async () => {
      const session = await this.#session(sessionId);
      const { key } = payload;
      const before =
        key !== undefined &&
        session.records.find((one) => one.kind === 'prompt' && one.key === key);
      if (before && before.kind === 'prompt') return { messageId: before.id, before: true };
      const prompt = await this.#loggedPrompt(session, payload);
      await kept(() => session.take(prompt));
      this.#tellPrompt(session, prompt);
      await this.#titleFrom(session, prompt);
      this.#begin(session, 'prompt');
      return key === undefined ? undefined : { messageId: prompt.id, before: false };
    });
  }

  async #loggedPrompt(
    { facts }: LiveSession,
    { text, agent: wanted, model: chosen, context, key }: ToBridgeOf<'session.message'>['payload'],
  ): Promise<LoggedPrompt> {
    await this.#choice.check(wanted, chosen);
    // What fits into a request is known a little later; nothing waits for it.
    void this.#choice.listed();
    const agent = wanted ?? facts.agent ?? DEFAULT_AGENT;
    const words = [contextWords(context ?? {}), context?.related?.text ?? ''];
    const along = words.filter((one) => one !== '').join('\n\n');
    const attached = attachments(context ?? {});
    return {
      ...{ kind: 'prompt', id: `msg_${this.services.ids.unique()}`, at: this.services.clock.now() },
      ...{ text, agent, model: await this.#choice.of(agent, chosen ?? facts.model) },
      ...(along !== '' && { along }),
      ...(key !== undefined && { key }),
      ...(attached.length > 0 && { attached }),
    };
  }

  #tellPrompt({ facts }: LiveSession, { id, text, agent, model, attached }: LoggedPrompt): void {
    const named = attached && { attached: [...attached] };
    const part = { messageId: id, partId: `${id}_text`, kind: 'text', text, ...named } as const;
    this.services.clients.publish(finalDraft(facts.id, 'user', part, { agent, model }));
  }

  async #titleFrom(session: LiveSession, { text }: LoggedPrompt): Promise<void> {
    const [line = ''] = text.trim().split('\n');
    if (session.facts.title === '' && line !== '') {
      const title = line.length <= MOST_TITLE ? line : `${line.slice(0, MOST_TITLE - 1)}…`;
      await this.#retitle(session, title);
    }
  }

  /** A turn, unless one runs: it goes on with the newest prompt. */
  #begin(
    session: LiveSession,
    kind: ModelTurn['kind'],
    budget: TokenBudget = { left: MOST_TOKENS },
  ): void {
    if (session.turn !== undefined) return;
    const { clock, ids } = this.services;
    const turn: ModelTurn = new ModelTurn(
      session,
      {
        ...{ clock, ids, tools: this.#tools, budget },
        tell: (draft) => this.services.clients.publish(draft),
        modelOf: (model) => this.#choice.called(model),
        agentOf: (name) => this.#agentFor(session.facts, name),
        boardOf: async (agent) => {
          const { id: sessionId, board } = session.facts;
          const manager = await this.services.boards.manager();
          return manager.summary(callContext({ sessionId, agent, ...(board && { board }) }));
        },
        ended: (end) => this.#ended(session, turn, end),
      },
      kind,
    );
    session.turn = turn;
    this.#tellProgress(session, { kind: 'busy' });
    void turn.run();
  }

  #ended(session: LiveSession, turn: ModelTurn, end: ModelTurnEnd): Promise<boolean> {
    const { facts, records } = session;
    return this.#queue.run(facts.id, async () => {
      if (session.turn !== turn) return true;
      const answered = records.findLast((one) => one.kind === 'answer' && one.id === end.messageId);
      const isAnswered =
        answered?.kind !== 'answer' || answered.prompt === newestPrompt(records)?.id;
      if (end.reason === 'completed' && !isAnswered) return false;
      await session.written();
      // It may have been interrupted meanwhile.
      if (session.turn === turn) this.#tellEnd(session, end);
      return true;
    });
  }

  #tellEnd(session: LiveSession, end: ModelTurnEnd): void {
    const { messageId, reason, error } = end;
    session.turn = undefined;
    const payload = {
      reason,
      ...(messageId !== undefined && { messageId }),
      ...(error !== undefined && { error }),
    };
    this.services.clients.publish({ type: 'turn.end', sessionId: session.facts.id, payload });
    this.#tellProgress(session, { kind: 'idle' });
    const { waiting } = session;
    session.waiting = undefined;
    waiting?.(end);
    // A prompt that came while a summary was written.
    if (isTurnOpen(session.records)) this.#begin(session, 'prompt');
  }

  interrupt(sessionId: string): Promise<void> {
    const session = this.#sessions.loaded(sessionId);
    if (session?.turn !== undefined) this.#tellEnd(session, session.turn.interrupt());
    return Promise.resolve();
  }

  standing(sessionId: string): readonly FromDraft[] {
    const session = this.#sessions.loaded(sessionId);
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
    const asking = this.#sessions.all.find(({ requests }) => requests.has(requestId));
    if (asking === undefined)
      throw new WireError('conflict', 'It was answered, or is no longer asked.');
    asking.requests.answer(requestId, ...given);
    return Promise.resolve();
  }

  async rename(sessionId: string, title: string): Promise<void> {
    const session = await this.#session(sessionId);
    if (session.facts.title !== title) await this.#retitle(session, title);
  }

  async #retitle(session: LiveSession, title: string): Promise<void> {
    session.facts = { ...session.facts, title };
    await kept(() => this.#store.keepFacts(session.facts));
    this.#tellProgress(session, { kind: 'title', title });
  }

  /** With the sessions of its sub-agents. */
  async remove(sessionId: string): Promise<void> {
    await this.interrupt(sessionId);
    const all = await kept(() => this.#store.all());
    for (const { id, parentId, by } of all) {
      if (parentId === sessionId && by !== undefined) await this.remove(id);
    }
    await this.#queue.run(sessionId, async () => {
      await this.#sessions.drop(sessionId);
      await kept(() => this.#store.remove(sessionId));
    });
    this.services.clients.publish({
      type: 'session.end',
      sessionId,
      payload: { reason: 'deleted' },
    });
  }

  compact(sessionId: string): Promise<void> {
    return this.#queue.run(sessionId, async () => {
      const session = await this.#session(sessionId);
      if (session.turn !== undefined) throw new WireError('busy', 'It works at the moment.', true);
      if (newestPrompt(session.records) === undefined) {
        throw new WireError('conflict', 'Nothing was said in it yet.');
      }
      this.#begin(session, 'compaction');
    });
  }

  async history({
    sessionId,
    payload,
  }: ToBridgeOf<'session.history'>): Promise<readonly SnapshotState[]> {
    const { before, limit } = payload;
    const session = await this.#session(sessionId);
    const all = messagesOf(session);
    const end =
      before === undefined ? all.length : all.findIndex(({ messageId }) => messageId === before);
    if (end === -1) throw new WireError('bad_message', 'before: no message.');
    return pagesOf(session, all.slice(Math.max(0, end - limit), end));
  }

  async snapshot(sessionId: string): Promise<() => readonly SnapshotState[]> {
    try {
      const session = await this.#session(sessionId);
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

  async look(sessionId: string): ReturnType<Engine['look']> {
    const session = await this.#session(sessionId);
    return { created: createdFrom(session.facts, this.self.directory), stand: standFrom(session) };
  }

  catalog(): Promise<FromBridgeOf<'catalog'>['payload']> {
    return this.#choice.catalog();
  }

  /** Breaks off what runs, and waits until all is kept. May be called twice. */
  async close(): Promise<void> {
    for (const { facts } of this.#sessions.all) await this.interrupt(facts.id);
    await Promise.all(this.#sessions.all.map((session) => session.written()));
    this.#sessions.close();
  }

  /** @throws WireError `unknown_session` */
  #session(id: string): Promise<LiveSession> {
    return kept(() => this.#sessions.get(id));
  }

  #tellProgress({ facts }: LiveSession, payload: FromBridgeOf<'progress.update'>['payload']): void {
    this.services.clients.publish({ type: 'progress.update', sessionId: facts.id, payload });
  }

  /** The agent as it works in a session, and what it is offered there; undefined where it is gone. */
  async #agentFor(facts: SessionFacts, name: string) {
    const config = await this.services.config();
    const found = engineAgent(config, name);
    if (found === undefined) return undefined;
    const above = facts.by === undefined ? undefined : engineAgent(config, facts.by);
    const agent = { ...found, above: above?.rules ?? [] };
    const settings = await this.services.boards.settings();
    const startable = startableBy(agent, facts, engineAgents(config), settings);
    return { agent, offered: toolsFor(agent, facts, settings, startable) };
  }

  #subAgents(): SubAgentSessions {
    return {
      startable: async (caller, facts) => {
        const agents = engineAgents(await this.services.config());
        return startableBy(caller, facts, agents, await this.services.boards.settings());
      },
      start: async ({ id: parentId }, by, agent, title) => {
        const id = this.#newId();
        await this.#make({ title, agent, parentId, by }, id, (created) =>
          this.services.clients.publishCreated(created),
        );
        return id;
      },
      find: async ({ id: parentId }, id) => {
        const found = await kept(() => this.#store.facts(id));
        return found?.parentId === parentId && found.by !== undefined ? found : undefined;
      },
      work: (id, work) => this.#workOf(id, work),
    };
  }

  /** One turn of a sub-agent. */
  async #workOf(
    id: string,
    { text, agent, model, budget, abort }: SubAgentWork,
  ): Promise<SubAgentEnd | undefined> {
    const session = await this.#session(id);
    const stop = (): void => void this.interrupt(id);
    abort.addEventListener('abort', stop);
    try {
      const end = await this.#queue.run(id, async () => {
        if (session.turn !== undefined) return undefined;
        const { clock, ids } = this.services;
        const prompt: LoggedPrompt = {
          ...{ kind: 'prompt', id: `msg_${ids.unique()}`, at: clock.now(), text, agent },
          model: await this.#choice.of(agent, undefined, model),
        };
        await kept(() => session.take(prompt));
        this.#tellPrompt(session, prompt);
        const ended = new Promise<ModelTurnEnd>((resolve) => (session.waiting = resolve));
        this.#begin(session, 'prompt', budget);
        if (abort.aborted) stop();
        // In an object: the queue must not wait for the turn.
        return { ended };
      });
      if (end === undefined) return undefined;
      const { reason, error } = await end.ended;
      return { reason, error, text: newestAnswer(session.records)?.text ?? '' };
    } finally {
      abort.removeEventListener('abort', stop);
    }
  }

  #newId(): string {
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
  return inPages(messages).map((page) => ({ ...state, messages: [...page] }));
}

/** @throws WireError in place of a StoreError */
async function kept<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new WireError('internal', error.message, error.code === 'busy');
  }
}

/** The id of the session that is started with a key: who starts it again finds it, also after a crash. */
function idOfKey(key: string, nth: number): string {
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

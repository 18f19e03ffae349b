import { cacheLines } from '../../core/cache';
import { boundBoardField } from './prompt-parts';
import type { FromBridgeOf } from '../../protocol/from-bridge';
import { catalogCommands, type Engine, type FromDraft } from '../../core/engine/engine';
import { TOO_MANY_REQUESTS, type PersonRequest } from '../../core/engine/person-requests';
import type { AgentInfo, OpencodeModel, OpencodeApi } from './opencode-api';
import type { LimitOf } from './message-drafts';
import type { OpencodeEvent } from './opencode-event';
import { Prompter, StoredPrompts } from './prompter';
import type { SessionCache } from './session-cache';
import { readSessionStatus } from './session-status';
import type { Clock, Log } from '../../core/ports';
import { SessionStarts, START_MARK, type SessionStartsServices } from './session-starts';
import { Snapshots } from './snapshots';
import { TodoFeed, type TodoFeedServices } from './todo-feed';
import { Translator } from './translator';
import type { Clients } from '../server/clients';
import type { LiveParts } from '../server/token-buffer';

interface OpencodeSessionsServices extends Pick<SessionStartsServices, 'boundRules'> {
  readonly api: OpencodeApi;
  readonly boards: SessionStartsServices['boards'] & TodoFeedServices['boards'];
  readonly clients: Pick<Clients, 'publish' | 'publishCreated'>;
  readonly clock: Clock;
  readonly ignoresTodowrite: boolean;
  readonly limitOf: LimitOf;
  readonly live: LiveParts;
  readonly log: Log;
  readonly self: Engine['self'];
  readonly sessions: SessionCache;
  /**
   * ms since the epoch, by OpenCode's clock; token counts of answers completed before are not
   * reported
   */
  readonly since: number;
}

/** The sessions of an OpenCode, local or remote, as an engine. Also handles OpenCode's events. */
export class OpencodeSessions {
  readonly engine: Required<Omit<Engine, 'lacksTools'>>;
  readonly todos: TodoFeed;
  readonly translator: Translator;
  readonly #prompter: Prompter;
  readonly #prompts: StoredPrompts;
  readonly #starts: SessionStarts;

  constructor(private readonly services: OpencodeSessionsServices) {
    const { api, clock, limitOf, self, sessions, since } = services;
    const translator = new Translator(limitOf, since, (ask) => this.#refuse(ask));
    const prompts = new StoredPrompts(api, clock);
    const prompter = new Prompter(api, sessions, prompts);
    const starts = new SessionStarts({ ...services, prompter });
    const snapshots = new Snapshots({ ...services, translator });
    this.translator = translator;
    this.todos = new TodoFeed(services);
    this.#prompter = prompter;
    this.#prompts = prompts;
    this.#starts = starts;
    this.engine = {
      self,
      sessions: () => listSessions(api),
      sessionInfo: (sessionId) => sessions.get(sessionId),
      start: (payload, onStarted) => starts.start(payload, onStarted),
      prompt: (message) => prompter.send(message, () => translator.expectPrompt(message.sessionId)),
      interrupt: (sessionId) => api.sendToSession(sessionId, 'POST', '/abort'),
      currentEvents: (sessionId) => translator.standing(sessionId),
      answerPermission: ({ requestId, reply, message }) =>
        api.reply('permission', requestId, { reply, ...(message !== undefined && { message }) }),
      answerQuestion: ({ requestId, answers }) => api.reply('question', requestId, { answers }),
      rename: (sessionId, title) => api.sendToSession(sessionId, 'PATCH', '', { title }),
      remove: (sessionId) => {
        prompter.forget(sessionId);
        return api.sendToSession(sessionId, 'DELETE');
      },
      compact: (sessionId) => prompter.compact(sessionId),
      history: (message) => snapshots.history(message),
      snapshot: (sessionId) => snapshots.current(sessionId),
      getStatus: (sessionId) => readSessionStatus({ api, clock, translator }, sessionId),
      catalog: () => readCatalog(api),
      caches: () => cacheLines([sessions.meter.use]),
      sendsNotes: true,
    };
  }

  /** Its agent is told; it may be answered meanwhile, or gone with its turn. */
  #refuse({ type, sessionId, payload: { requestId } }: PersonRequest): void {
    const { api, log } = this.services;
    log.note(TOO_MANY_REQUESTS, { at: 'session.ask', sessionId });
    const kind = type === 'permission.request' ? 'permission' : 'question';
    api.refuse(kind, requestId, TOO_MANY_REQUESTS).catch(() => undefined);
  }

  /**
   * Handles an event and notifies the clients synchronously.
   * @param shouldPublish whether clients get a draft; all are sent if absent
   */
  handleEvent(
    event: OpencodeEvent,
    shouldPublish: (draft: FromDraft) => boolean = () => true,
  ): void {
    const { sessions, clients } = this.services;
    sessions.handleEvent(event);
    this.todos.handleEvent(event);
    this.#prompts.handleEvent(event);
    this.#prompter.handleEvent(event);
    const mark =
      event.type === 'session.created' ? event.properties.info.metadata?.[START_MARK] : undefined;
    for (const draft of this.translator.translate(event)) {
      if (!shouldPublish(draft)) continue;
      if (draft.type === 'session.created') this.#starts.handleCreated(draft, mark);
      else clients.publish(draft);
    }
  }
}

async function listSessions(api: OpencodeApi) {
  const [sessions, statuses] = await Promise.all([api.sessions(), api.statuses()]);
  return sessions.map(({ id, title, parentID, agent, time, metadata }) => ({
    id,
    title,
    status: statusOf(statuses.get(id)),
    ...(parentID !== undefined && { parentId: parentID }),
    ...(agent !== undefined && { agent }),
    ...(time?.updated !== undefined && { updated: time.updated }),
    ...boundBoardField(metadata),
  }));
}

function statusOf(type: string | undefined): 'idle' | 'busy' | 'retry' {
  if (type === undefined || type === 'idle') return 'idle';
  return type === 'retry' ? 'retry' : 'busy';
}

type Catalog = FromBridgeOf<'catalog'>['payload'];

/**
 * The agents, models and commands that a person can choose. Leaves out OpenCode's hidden agents.
 * @throws WireError
 */
export async function readCatalog(api: OpencodeApi): Promise<Catalog> {
  const [agents, models, model, commands] = await Promise.all([
    api.agents(),
    api.models(),
    api.defaultModel(),
    api.commands(),
  ]);
  return {
    agents: agents.filter(({ hidden }) => hidden !== true).map(toAgent),
    models: models.map(toModel),
    ...(model !== undefined && { model }),
    ...catalogCommands(commands),
  };
}

function toAgent({ name, description, mode, model }: AgentInfo): Catalog['agents'][number] {
  return {
    name,
    ...(description !== undefined && { description }),
    ...(mode !== undefined && { mode }),
    ...(model !== undefined && { model: `${model.providerID}/${model.modelID}` }),
  };
}

function toModel({
  id,
  name,
  provider,
  limit,
  capabilities,
}: OpencodeModel): Catalog['models'][number] {
  const reasoning = capabilities?.reasoning;
  return {
    id,
    ...(name !== undefined && { name }),
    ...(provider !== undefined && { provider }),
    ...(limit?.context !== undefined && { context: limit.context }),
    ...(limit?.output !== undefined && { output: limit.output }),
    ...(reasoning !== undefined && { reasoning }),
  };
}

import { FEATURES } from '../../protocol/handshake';
import type { FromBridgeOf } from '../../protocol/from-bridge';
import type { ToBridge, ToBridgeOf } from '../../protocol/to-bridge';
import { WireError } from '../../protocol/wire-error';
import type { Client, Engine } from '../engine';
import type { Clients } from '../server/clients';
import type { AgentInfo, ModelInfo, OpencodeApi } from './opencode-api';
import type { Prompter } from './prompter';
import type { RemoteCalls } from '../server/remote-calls';
import type { SessionCache } from './session-cache';
import type { SessionStands } from './session-looks';
import { createdOf, type SessionStarts } from './session-starts';
import { snapshotPages } from '../server/snapshot-pages';
import type { Snapshots } from './snapshots';
import type { Translator } from './translator';

export interface OpencodeEngineServices {
  readonly api: OpencodeApi;
  readonly sessions: SessionCache;
  readonly calls: RemoteCalls;
  readonly clients: Clients;
  readonly looks: Pick<SessionStands, 'look'>;
  readonly prompter: Prompter;
  readonly snapshots: Snapshots;
  readonly starts: SessionStarts;
  readonly translator: Translator;
  /** what every welcome says alike */
  readonly self: Pick<Welcome, 'bridge' | 'opencode' | 'directory'>;
}

const NOT_ITS_OWN =
  'Nothing was answered, and the request stays open: a client answers in sessions that it is attached to, where its hello repeated the “folder” of the run file and named the capability';

type Welcome = FromBridgeOf<'welcome'>['payload'];

/** Does what a client that said hello asks for. */
export class OpencodeEngine implements Engine {
  constructor(private readonly services: OpencodeEngineServices) {}

  /** Who we are, and the folder's sessions. @throws WireError where OpenCode doesn't say */
  async welcome(): Promise<Omit<Welcome, 'epoch' | 'resumed'>> {
    const { api, self } = this.services;
    const [sessions, statuses] = await Promise.all([api.sessions(), api.statuses()]);
    const listed = sessions.map(({ id, title, parentID, agent, time }) => ({
      id,
      title,
      status: statusOf(statuses.get(id)),
      ...(parentID !== undefined && { parentId: parentID }),
      ...(agent !== undefined && { agent }),
      ...(time?.updated !== undefined && { updated: time.updated }),
    }));
    return { ...self, features: [...FEATURES], sessions: listed };
  }

  /** Settles when it is done or refused. @throws WireError what to answer */
  async serve(client: Client, message: ToBridge): Promise<void> {
    const { api, calls, prompter } = this.services;
    switch (message.type) {
      case 'hello':
        throw new WireError('duplicate', 'Hello was said already.');
      case 'session.start':
        return this.start(client, message);
      case 'session.attach':
        return this.attach(client, message.sessionId);
      case 'session.list':
        return this.list(client, message.id);
      case 'session.message':
        return this.prompt(client, message);
      case 'session.interrupt':
        await this.known(message.sessionId);
        return api.abort(message.sessionId);
      case 'tool.result':
        // One that comes too late is for nobody; that is no fault of the client.
        return void calls.answer(client, message.sessionId, message.payload);
      case 'tool.waiting':
        return calls.waits(client, message.sessionId, message.payload);
      case 'permission.response':
      case 'question.response':
        return this.answer(client, message);
      case 'session.update':
        return this.rename(client, message);
      case 'session.delete':
        await this.known(message.sessionId);
        prompter.forget(message.sessionId);
        return api.remove(message.sessionId);
      case 'session.compact':
        await this.known(message.sessionId);
        return api.compact(message.sessionId, await prompter.anyModel(message.sessionId));
      case 'session.history':
        return this.history(client, message);
      case 'session.look':
        return this.look(client, message);
      case 'catalog.get':
        return this.catalog(client, message.id);
      case 'ack':
        return;
      case 'ping':
        return client.send({ type: 'pong', replyTo: message.id, payload: {} });
    }
  }

  private async start(client: Client, message: ToBridgeOf<'session.start'>): Promise<void> {
    const { agent, model, parentId } = message.payload;
    if (parentId !== undefined) await this.known(parentId);
    await this.services.starts.start(client, message, () =>
      this.services.prompter.check({ agent, model }),
    );
  }

  /** A session that the list was too long for is told of first, and attached. */
  private async look(client: Client, { id, sessionId }: ToBridgeOf<'session.look'>): Promise<void> {
    const { info, stand } = await this.services.looks.look(sessionId);
    if (!client.sessions.has(sessionId)) {
      client.sessions.add(sessionId);
      for (const draft of [createdOf(info), ...this.services.translator.standing(sessionId)]) {
        this.services.clients.deliver(client, draft);
      }
    }
    client.send({ type: 'session.stands', sessionId, replyTo: id, payload: stand });
  }

  /** Told to the asker in any case: for a title that it has already there is no event. */
  private async rename(client: Client, message: ToBridgeOf<'session.update'>): Promise<void> {
    const { sessionId, id: replyTo } = message;
    const before = await this.known(sessionId);
    const { title = before.title } = message.payload;
    if (message.payload.title !== undefined) await this.services.api.rename(sessionId, title);
    client.send({ type: 'progress.update', sessionId, replyTo, payload: { kind: 'title', title } });
  }

  private async attach(client: Client, sessionId: string): Promise<void> {
    await this.known(sessionId);
    client.sessions.add(sessionId);
    for (const draft of this.services.translator.standing(sessionId)) {
      this.services.clients.deliver(client, draft);
    }
  }

  private async list(client: Client, replyTo: string): Promise<void> {
    const payload = { ...(await this.welcome()), epoch: client.epoch, resumed: false };
    client.send({ type: 'welcome', replyTo, payload });
  }

  private async prompt(client: Client, message: ToBridgeOf<'session.message'>): Promise<void> {
    const { prompter, translator } = this.services;
    const { sessionId } = message;
    const { key } = message.payload;
    const expect = (): void => translator.expectPrompt(sessionId);
    if (key !== undefined) {
      const payload = await prompter.sendOnce(message, key, expect);
      return client.send({ type: 'prompt.taken', sessionId, replyTo: message.id, payload });
    }
    await prompter.send(message, expect);
    // Where the session works already, no event will tell that this prompt was taken.
    const now = translator.progress(sessionId);
    if (now.kind === 'idle') return;
    client.send({ type: 'progress.update', sessionId, replyTo: message.id, payload: now });
  }

  /** Only what waits is passed on: a reject of an old request would reject the session's new ones. */
  private async answer(
    client: Client,
    message: ToBridgeOf<'permission.response'> | ToBridgeOf<'question.response'>,
  ): Promise<void> {
    const what = message.type === 'question.response' ? 'questions' : 'permissions';
    if (!client.offers(what) || !(await this.follows(client, message.sessionId))) {
      throw new WireError('unauthorized', `${NOT_ITS_OWN} “${what}”.`);
    }
    const { requestId } = message.payload;
    if (!this.services.translator.waits(message.sessionId, requestId)) {
      throw new WireError('conflict', 'This request does not wait for an answer any more.');
    }
    if (message.type === 'question.response') {
      return this.services.api.answerQuestion(requestId, message.payload.answers);
    }
    const { reply, message: words } = message.payload;
    const body = { reply, ...(words !== undefined && { message: words }) };
    return this.services.api.answerPermission(requestId, body);
  }

  /** Attached to the session, or to the one that all of its sub-agents come from. */
  private async follows(client: Client, sessionId: string): Promise<boolean> {
    if (client.sessions.has(sessionId)) return true;
    const seen = new Set<string>();
    let root = sessionId;
    for (;;) {
      seen.add(root);
      const { parentId } = await this.known(root);
      if (parentId === undefined || seen.has(parentId)) return client.sessions.has(root);
      root = parentId;
    }
  }

  private async history(client: Client, message: ToBridgeOf<'session.history'>): Promise<void> {
    const { sessionId, id: replyTo } = message;
    const pages = await this.services.snapshots.history(message);
    for (const page of snapshotPages({ sessionId, replyTo }, { uptoSeq: 0 }, pages)) {
      client.send(page);
    }
  }

  private async catalog(client: Client, replyTo: string): Promise<void> {
    const payload = await readCatalog(this.services.api);
    client.send({ type: 'catalog', replyTo, payload });
  }

  private known(sessionId: string) {
    return this.services.sessions.get(sessionId);
  }
}

function statusOf(type: string | undefined): 'idle' | 'busy' | 'retry' {
  if (type === undefined || type === 'idle') return 'idle';
  return type === 'retry' ? 'retry' : 'busy';
}

type Catalog = FromBridgeOf<'catalog'>['payload'];

/** What a person can choose for a session; hidden agents are OpenCode's own business. @throws WireError */
export async function readCatalog(api: OpencodeApi): Promise<Catalog> {
  const [agents, models, model] = await Promise.all([
    api.agents(),
    api.models(),
    api.defaultModel(),
  ]);
  return {
    agents: agents.filter(({ hidden }) => hidden !== true).map(toAgent),
    models: models.map(toModel),
    ...(model !== undefined && { model }),
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
}: ModelInfo): Catalog['models'][number] {
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

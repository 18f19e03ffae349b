import { FEATURES } from '../protocol/features';
import type { FromBridgeOf } from '../protocol/from-bridge';
import type { ToBridge, ToBridgeOf } from '../protocol/to-bridge';
import { WireError } from '../protocol/wire-error';
import { readCatalog } from './catalog';
import type { Client } from './client';
import type { Clients } from './clients';
import type { OpencodeApi } from './opencode-api';
import type { Prompter } from './prompter';
import type { RemoteCalls } from './remote-calls';
import type { SessionBook } from './session-book';
import type { SessionLooks } from './session-looks';
import { createdOf, type SessionStarts } from './session-starts';
import { snapshotPages } from './snapshot-pages';
import type { Snapshots } from './snapshots';
import type { Translator } from './translate';

export interface DeskParts {
  readonly api: OpencodeApi;
  readonly book: SessionBook;
  readonly calls: RemoteCalls;
  readonly clients: Clients;
  readonly looks: Pick<SessionLooks, 'look'>;
  readonly prompter: Prompter;
  readonly snapshots: Snapshots;
  readonly starts: SessionStarts;
  readonly translator: Translator;
  /** what every welcome says alike */
  readonly self: Pick<Welcome, 'bridge' | 'opencode' | 'directory'>;
}

type Welcome = FromBridgeOf<'welcome'>['payload'];

/** Does what a client that said hello asks for. */
export class Desk {
  constructor(private readonly parts: DeskParts) {}

  /** Who we are, and the folder's sessions. @throws WireError where OpenCode doesn't say */
  async welcome(): Promise<Omit<Welcome, 'epoch' | 'resumed'>> {
    const { api, self } = this.parts;
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
    const { api, calls, prompter } = this.parts;
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
        return this.answer(message);
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
    await this.parts.starts.start(client, message, () =>
      this.parts.prompter.check({ agent, model }),
    );
  }

  /** A session that the list was too long for is told of first, and attached. */
  private async look(client: Client, { id, sessionId }: ToBridgeOf<'session.look'>): Promise<void> {
    const { info, stand } = await this.parts.looks.look(sessionId);
    if (!client.sessions.has(sessionId)) {
      client.sessions.add(sessionId);
      for (const draft of [createdOf(info), ...this.parts.translator.standing(sessionId)]) {
        this.parts.clients.deliver(client, draft);
      }
    }
    client.send({ type: 'session.stands', sessionId, replyTo: id, payload: stand });
  }

  /** Told to the asker in any case: for a title that it has already there is no event. */
  private async rename(client: Client, message: ToBridgeOf<'session.update'>): Promise<void> {
    const { sessionId, id: replyTo } = message;
    const before = await this.known(sessionId);
    const { title = before.title } = message.payload;
    if (message.payload.title !== undefined) await this.parts.api.rename(sessionId, title);
    client.send({ type: 'progress.update', sessionId, replyTo, payload: { kind: 'title', title } });
  }

  private async attach(client: Client, sessionId: string): Promise<void> {
    await this.known(sessionId);
    client.sessions.add(sessionId);
    for (const draft of this.parts.translator.standing(sessionId)) {
      this.parts.clients.deliver(client, draft);
    }
  }

  private async list(client: Client, replyTo: string): Promise<void> {
    const payload = { ...(await this.welcome()), epoch: client.epoch, resumed: false };
    client.send({ type: 'welcome', replyTo, payload });
  }

  private async prompt(client: Client, message: ToBridgeOf<'session.message'>): Promise<void> {
    const { prompter, translator } = this.parts;
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
    message: ToBridgeOf<'permission.response'> | ToBridgeOf<'question.response'>,
  ): Promise<void> {
    const { requestId } = message.payload;
    if (!this.parts.translator.waits(message.sessionId, requestId)) {
      throw new WireError('conflict', 'This request does not wait for an answer any more.');
    }
    if (message.type === 'question.response') {
      return this.parts.api.answerQuestion(requestId, message.payload.answers);
    }
    const { reply, message: words } = message.payload;
    const body = { reply, ...(words !== undefined && { message: words }) };
    return this.parts.api.answerPermission(requestId, body);
  }

  private async history(client: Client, message: ToBridgeOf<'session.history'>): Promise<void> {
    const { sessionId, id: replyTo } = message;
    const pages = await this.parts.snapshots.history(message);
    for (const page of snapshotPages({ sessionId, replyTo }, { uptoSeq: 0 }, pages)) {
      client.send(page);
    }
  }

  private async catalog(client: Client, replyTo: string): Promise<void> {
    const payload = await readCatalog(this.parts.api);
    client.send({ type: 'catalog', replyTo, payload });
  }

  private known(sessionId: string) {
    return this.parts.book.get(sessionId);
  }
}

function statusOf(type: string | undefined): 'idle' | 'busy' | 'retry' {
  if (type === undefined || type === 'idle') return 'idle';
  return type === 'retry' ? 'retry' : 'busy';
}

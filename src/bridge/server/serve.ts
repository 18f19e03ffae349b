import type { ToBridge, ToBridgeOf } from '../../protocol/to-bridge';
import { WireError } from '../../protocol/wire-error';
import { engineFeatures, engineWith, type Engine } from '../../core/engine/engine';
import { faultLines } from '../../core/diagnostics';
import type { ErrorHandler } from '../../core/error-handler';
import type { Log } from '../../core/ports';
import type { Clients } from './clients';
import { fittingCatalog } from './fitting-catalog';
import type { LinkedClient } from './linked-client';
import type { RemoteCalls } from './remote-calls';
import { snapshotPages } from './snapshot-pages';

const NOT_ITS_OWN =
  'Nothing was answered, and the request stays open: a client answers in sessions that it is attached to, where its hello repeated the “folder” of the run file and named the capability';

interface ServeServices {
  readonly calls: RemoteCalls;
  readonly clients: Clients;
  readonly engine: Engine;
  readonly log: FaultLog;
}

/** Log for faults. An ErrorHandler can also list them. */
export type FaultLog = Log & Partial<Pick<ErrorHandler, 'faults'>>;

/**
 * Handles a client's request after its hello. Resolves when it is done or refused.
 * @throws WireError with the answer
 */
export async function handleClientRequest(
  services: ServeServices,
  client: LinkedClient,
  message: ToBridge,
): Promise<void> {
  const { calls, engine } = services;
  switch (message.type) {
    case 'hello':
      throw new WireError('duplicate', 'Hello was said already.');
    case 'session.start':
      return start(services, client, message);
    case 'session.attach':
      await engine.sessionInfo(message.sessionId);
      client.sessions.add(message.sessionId);
      return deliverCurrentState(services, client, message.sessionId);
    case 'session.list': {
      const payload = { ...(await readWelcome(engine)), epoch: client.epoch, resumed: false };
      return client.send({ type: 'welcome', replyTo: message.id, payload });
    }
    case 'session.message':
      return prompt(engine, client, message);
    case 'session.interrupt':
      return (await withSession(engine, 'interrupt', message)).interrupt(message.sessionId);
    case 'tool.result':
      // A late result is dropped; that is not an error of the client.
      return void calls.answer(client, message.sessionId, message.payload);
    case 'tool.waiting':
      return calls.handleWaiting(client, message.sessionId, message.payload);
    case 'permission.response':
    case 'question.response':
      return forwardAnswer(engine, client, message);
    case 'session.update':
      return rename(engine, client, message);
    case 'session.delete':
      return (await withSession(engine, 'remove', message)).remove(message.sessionId);
    case 'session.compact':
      return (await withSession(engine, 'compact', message)).compact(message.sessionId);
    case 'session.history': {
      const { sessionId, id: replyTo } = message;
      const states = await engine.history(message);
      const pages = snapshotPages({ sessionId, replyTo }, { uptoSeq: 0 }, states);
      return pages.forEach((page) => client.send(page));
    }
    case 'session.look':
      return sendStatus(services, client, message);
    case 'catalog.get': {
      const catalog = await engineWith(engine, 'catalog').catalog();
      const { payload, leftOut } = fittingCatalog(catalog);
      if (leftOut !== undefined) {
        services.log.note('There are more agents and models than can be listed.', {
          ...{ at: 'bridge.catalog', why: `Left out: ${leftOut}.` },
        });
      }
      return client.send({ type: 'catalog', replyTo: message.id, payload });
    }
    case 'faults.get': {
      const [, ...lines] = faultLines(services.log.faults?.() ?? []);
      const payload = { lines, caches: [...(engine.caches?.() ?? [])] };
      return client.send({ type: 'faults', replyTo: message.id, payload });
    }
    case 'ack':
      return;
    case 'ping':
      return client.send({ type: 'pong', replyTo: message.id, payload: {} });
  }
}

/**
 * The engine, its features and its sessions.
 * @throws WireError if the engine doesn't list them
 */
export async function readWelcome(engine: Pick<Engine, 'self' | 'sessions'> & Partial<Engine>) {
  const features = [...engineFeatures(engine)];
  return { ...engine.self, features, sessions: await engine.sessions() };
}

/**
 * The engine, if it supports a feature and has the message's session.
 * @throws WireError `unsupported`, `unknown_session`
 */
async function withSession<F extends 'interrupt' | 'compact' | 'remove'>(
  engine: Engine,
  feature: F,
  { sessionId }: { readonly sessionId: string },
) {
  const able = engineWith(engine, feature);
  await able.sessionInfo(sessionId);
  return able;
}

/**
 * Starts a session. Its starter is notified first, with its `requestId`; other clients without it.
 */
function start(
  { clients, engine }: ServeServices,
  client: LinkedClient,
  { id: replyTo, payload }: ToBridgeOf<'session.start'>,
): Promise<void> {
  const { requestId } = payload;
  return engineWith(engine, 'start').start(payload, (draft, isNew) => {
    client.sessions.add(draft.sessionId);
    clients.deliver(client, { ...draft, replyTo, payload: { ...draft.payload, requestId } });
    if (isNew) clients.publishCreated(draft, client);
  });
}

function deliverCurrentState(
  { clients, engine }: ServeServices,
  client: LinkedClient,
  sessionId: string,
): void {
  for (const draft of engine.currentEvents(sessionId)) clients.deliver(client, draft);
}

async function prompt(
  engine: Engine,
  client: LinkedClient,
  message: ToBridgeOf<'session.message'>,
): Promise<void> {
  const { sessionId, id: replyTo } = message;
  const taken = await engineWith(engine, 'prompt').prompt(message);
  if (taken) return client.send({ type: 'prompt.taken', sessionId, replyTo, payload: taken });
  // If the session was already working, no event will confirm that this prompt was accepted.
  for (const draft of engine.currentEvents(sessionId)) {
    const works = draft.type === 'progress.update' && draft.payload.kind !== 'idle';
    if (works) client.send({ ...draft, replyTo });
  }
}

/**
 * Forwards an answer only if the request is pending: rejecting an old one would reject the
 * session's new ones.
 */
async function forwardAnswer(
  engine: Engine,
  client: LinkedClient,
  message: ToBridgeOf<'permission.response'> | ToBridgeOf<'question.response'>,
): Promise<void> {
  const what = message.type === 'question.response' ? 'questions' : 'permissions';
  const able = engineWith(engine, what);
  if (!client.offers(what) || !(await isAttached(engine, client, message.sessionId))) {
    throw new WireError('unauthorized', `${NOT_ITS_OWN} “${what}”.`);
  }
  const { requestId } = message.payload;
  const isPending = engine
    .currentEvents(message.sessionId)
    .some(
      (draft) =>
        (draft.type === 'permission.request' || draft.type === 'question.request') &&
        draft.payload.requestId === requestId,
    );
  if (!isPending) {
    throw new WireError('conflict', 'This request no longer waits for an answer.');
  }
  if (message.type === 'question.response') return able.answerQuestion(message.payload);
  return able.answerPermission(message.payload);
}

/** Whether the client is attached to the session or to the root session of its subagents. */
async function isAttached(
  engine: Engine,
  client: LinkedClient,
  sessionId: string,
): Promise<boolean> {
  if (client.sessions.has(sessionId)) return true;
  const seen = new Set<string>();
  let root = sessionId;
  for (;;) {
    seen.add(root);
    const { parentId } = await engine.sessionInfo(root);
    if (parentId === undefined || seen.has(parentId)) return client.sessions.has(root);
    root = parentId;
  }
}

/**
 * Renames a session. Always confirms to the sender, since there is no event if the title is
 * unchanged.
 */
async function rename(
  engine: Engine,
  client: LinkedClient,
  { sessionId, id: replyTo, payload }: ToBridgeOf<'session.update'>,
): Promise<void> {
  const able = engineWith(engine, 'rename');
  const before = await able.sessionInfo(sessionId);
  const { title = before.title } = payload;
  if (payload.title !== undefined) await able.rename(sessionId, title);
  client.send({ type: 'progress.update', sessionId, replyTo, payload: { kind: 'title', title } });
}

/**
 * Sends the status of a session. If the client isn't attached to it (the list may have been too
 * long), it is announced and attached first.
 */
async function sendStatus(
  services: ServeServices,
  client: LinkedClient,
  { id: replyTo, sessionId }: ToBridgeOf<'session.look'>,
): Promise<void> {
  const { created, status: stand } = await services.engine.getStatus(sessionId);
  if (!client.sessions.has(sessionId)) {
    client.sessions.add(sessionId);
    services.clients.deliver(client, created);
    deliverCurrentState(services, client, sessionId);
  }
  client.send({ type: 'session.stands', sessionId, replyTo, payload: stand });
}

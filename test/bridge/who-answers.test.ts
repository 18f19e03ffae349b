import { describe, expect, test } from 'vitest';
import type { Engine, FromDraft } from '../../src/core/engine/engine';
import { Clients } from '../../src/bridge/server/clients';
import { LinkedClient } from '../../src/bridge/server/linked-client';
import { LiveParts } from '../../src/bridge/server/token-buffer';
import { RemoteCalls } from '../../src/bridge/server/remote-calls';
import { handleClientRequest } from '../../src/bridge/server/serve';
import { Peer } from '../../src/bridge/server/peer';
import type { WireError } from '../../src/protocol/wire-error';
import { SocketPair } from '../link/socket-pair';
import { ManualClock } from '../wire/manual-clock';

/** ses_root started ses_mid, which started ses_leaf, where `per_1` waits. */
const PARENTS = new Map([
  ['ses_root', undefined],
  ['ses_mid', 'ses_root'],
  ['ses_leaf', 'ses_mid'],
  ['ses_other', undefined],
]);

const WAITS: FromDraft = {
  type: 'permission.request',
  sessionId: 'ses_leaf',
  payload: { requestId: 'per_1', permission: 'bash', patterns: [], always: [], metadata: {} },
};

function scene() {
  const passed: string[] = [];
  const engine = {
    sessionInfo: (id: string) => Promise.resolve({ title: id, parentId: PARENTS.get(id) }),
    currentEvents: () => [WAITS],
    answerPermission: ({ requestId }) => Promise.resolve(void passed.push(requestId)),
  } satisfies Partial<Engine> as Partial<Engine> as Engine;
  const clock = new ManualClock();
  const log = { note: () => undefined };
  const clients = new Clients(log, clock, new LiveParts());
  const services = { calls: new RemoteCalls(clock), clients, engine, log };
  const client = (capabilities: string[], proved: boolean, attached: string): LinkedClient => {
    const hello = { client: 'x', version: '1', vault: 'v', capabilities };
    const deps = { clock, nextId: () => 'b', engine };
    const one = new LinkedClient(deps, 'e', 1, hello);
    const handlers = {
      frame: () => undefined,
      received: () => undefined,
      held: () => 0,
      closed: () => undefined,
    };
    one.attach(new Peer(new SocketPair().server, clock, handlers, clock.now()), hello, proved);
    one.sessions.add(attached);
    clients.add(one);
    return one;
  };
  const answer = (from: LinkedClient): Promise<string> =>
    handleClientRequest(services, from, {
      ...{ v: 1, id: 'c1', ts: 1, type: 'permission.response', sessionId: 'ses_leaf' },
      payload: { requestId: 'per_1', reply: 'once' },
    }).then(
      () => 'taken',
      (error: WireError) => error.code,
    );
  return { client, clients, answer, passed };
}

describe('who may answer for the person', () => {
  test('[BRIDGE92] a client that is attached to the root session answers for a subagent’s', async () => {
    const { client, answer, passed } = scene();
    expect(await answer(client(['permissions'], true, 'ses_root'))).toBe('taken');
    expect(passed).toEqual(['per_1']);
  });

  test.each([
    ['without the capability', ['tools', 'questions'], true, 'ses_leaf'],
    ['without proof of the folder', ['permissions'], false, 'ses_leaf'],
    ['attached to another session', ['permissions'], true, 'ses_other'],
    ['attached to a session between the two', ['permissions'], true, 'ses_mid'],
  ])('[BRIDGE92] a client %s is refused, and nothing is passed on', async (_, said, proved, to) => {
    const { client, answer, passed } = scene();
    expect(await answer(client(said, proved, to))).toBe('unauthorized');
    expect(passed).toEqual([]);
    expect(await answer(client(['permissions'], true, 'ses_leaf'))).toBe('taken');
  });

  test('[BRIDGE92] without the capability for tools a client runs none', () => {
    const { client, clients } = scene();
    const watcher = client(['permissions', 'questions'], true, 'ses_leaf');
    expect(clients.runner('ses_leaf')).toBeUndefined();
    expect(watcher.sessions.has('ses_leaf')).toBe(true);
  });
});

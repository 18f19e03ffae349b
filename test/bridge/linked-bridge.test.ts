import { describe, expect, test } from 'vitest';
import { Clients } from '../../src/bridge/server/clients';
import { linkedPair, openLinkedBridge } from '../../src/bridge/server/linked-pair';
import { RemoteCalls } from '../../src/bridge/server/remote-calls';
import { LiveParts } from '../../src/bridge/server/token-buffer';
import type { OpenTransport } from '../../src/core/ports';
import { Bridges } from '../../src/core/session/bridges';
import { InProcessBridgeSlot } from '../../src/core/session/in-process-bridge';
import { SessionEventBus } from '../../src/core/session/session-event-bus';
import { Sessions } from '../../src/core/session/sessions';
import { FakeBridge } from '../wire/fake-bridge';
import type { Peer } from '../wire/linked-pair';
import { ManualClock, flushPromises } from '../wire/manual-clock';
import { behaviours, transportContract } from '../wire/transport-contract';
import { bareEngine } from './bare-bridge';

type MemorySocket = Parameters<Parameters<typeof linkedPair>[0]>[0];

/** Rules about address, token and frames that aren't text, which don't exist in memory. */
const ELSEWHERE = ['[CONN31]', '[CONN34]', '[CONN37]'];

describe('transport to a bridge in this process', () => {
  const behave = behaviours();
  const open: OpenTransport = (target, handlers) =>
    linkedPair((socket) => {
      behave(peerOf(socket), target.url);
    })(target, handlers);
  for (const { title, run } of transportContract) {
    if (ELSEWHERE.some((rule) => title.startsWith(rule))) continue;
    test(title, () => run({ open, url: (behaviour) => behaviour }));
  }
});

function peerOf(socket: MemorySocket): Peer {
  const peer: Peer = {
    url: '',
    protocols: [],
    send: (frame) => socket.send(String(frame)),
    close: (code, reason = '') => socket.close(code, reason),
    onMessage: () => undefined,
    onClose: () => undefined,
  };
  socket.on('message', (data: string) => peer.onMessage(data));
  socket.on('close', (code: number) => peer.onClose(code));
  return peer;
}

/** A plugin connected to a remote bridge and optionally to a bridge of its own. */
function plugin() {
  const clock = new ManualClock();
  const log = { note: () => undefined };
  let count = 0;
  const ids = { unique: () => `u${++count}`, random: () => 0.5 };
  const other = new FakeBridge();
  other.sessions = [{ id: 's1', title: 'Elsewhere', status: 'idle' }];
  const own = new InProcessBridgeSlot();
  const bus = new SessionEventBus();
  const elsewhere = { url: 'ws://127.0.0.1:1/', token: other.token, startedAt: -1 };
  const bridges = new Bridges({
    ...{ clock, ids, log, bus },
    open: own.wrapOpen((target, handlers) => other.open(target, handlers)),
    discover: async () => [...own.endpoints, elsewhere],
    hello: () => ({ client: 'test', version: '1', vault: 'v', capabilities: ['tools'] }),
  });
  const sessions = new Sessions(bus, bridges);
  const calls = new RemoteCalls(clock);
  const clients = new Clients(log, clock, new LiveParts());
  const engine = bareEngine('/v');
  const open = async () => openLinkedBridge({ engine, calls, clients, clock, ids, log });
  return { bridges, sessions, own, open, calls, clients, bus, clock, ids };
}

describe('a bridge of the plugin itself', () => {
  test('[CONN62] is found and connected beside the others, and its sessions stand beside theirs', async () => {
    const { bridges, sessions, own, open, clock } = plugin();
    await own.replace(open);
    bridges.connect();
    await flushPromises();
    await clock.advance(2_000);
    await flushPromises();
    expect(bridges.all.map(({ state }) => state.kind)).toEqual(['connected', 'connected']);
    const hosts = sessions.all().map(({ id, host }) => [id, host?.engine.name]);
    expect(hosts.sort()).toEqual([
      ['mcp-1', 'mcp'],
      ['s1', 'opencode'],
    ]);
    bridges.close();
  });

  test('[CONN62] its calls of tools reach the plugin, which proved that they are its own', async () => {
    const { bridges, own, open, calls, clients, bus } = plugin();
    await own.replace(open);
    bridges.connect();
    await flushPromises();
    const client = clients.runner('mcp-1');
    if (client === undefined) throw new Error('Nobody offers tools');
    const heard: string[] = [];
    bus.onAll((event) => {
      if (event.type !== 'tool.call') return;
      heard.push(event.payload.tool);
      const { callId } = event.payload;
      const audit = { approved: true, dryRun: false, ms: 1 };
      const payload = { callId, ok: true, title: 'Done', output: 'done', audit };
      bridges.send({ type: 'tool.result', sessionId: 'mcp-1', payload });
    });
    const call = { callId: 'c1', tool: 'tasks', args: {}, agent: 'build', messageId: 'm1' };
    const about = { ...call, originSessionId: 'mcp-1', sessionTitle: 'One' };
    const outcome = await calls.call(client, about, new AbortController().signal);
    expect(heard).toEqual(['tasks']);
    expect(outcome).toMatchObject({ kind: 'result', result: { ok: true, output: 'done' } });
    bridges.close();
  });

  test('[CONN63] [CONN60] if another one takes its place, or none, its connections end; the new one is found', async () => {
    const { bridges, sessions, own, open, clock } = plugin();
    const look = async () => {
      await flushPromises();
      await clock.advance(2_000);
      await flushPromises();
    };
    await own.replace(open);
    bridges.connect();
    await look();
    const [before] = own.endpoints;
    await own.replace(open);
    await look();
    expect(own.endpoints[0]?.token).not.toBe(before?.token);
    expect(sessions.get('mcp-1')?.host?.engine.name).toBe('mcp');
    await own.replace(async () => undefined);
    await look();
    expect(own.endpoints).toEqual([]);
    expect(sessions.get('mcp-1')?.host).toBeUndefined();
    expect(bridges.state.kind).toBe('connected');
    await own.close();
    bridges.close();
  });

  test('[CONN63] what is made after the plugin closed is closed too', async () => {
    const { own, open } = plugin();
    const made = own.replace(open);
    await own.close();
    await made;
    expect(own.endpoints).toEqual([]);
  });
});

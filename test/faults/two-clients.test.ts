import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startBridge, type LocalBridge } from '../../soak/link/local-bridge';
import { FaultProxy } from '../../soak/link/fault-proxy';
import { NO_FAULTS } from '../../soak/link/link-faults';
import { PluginLink } from '../../soak/link/plugin-link';
import { RawClient } from '../../soak/link/raw-client';
import { OPCODE, rawFrame } from '../../soak/link/raw-frame';
import type { SessionEvent } from '../../src/core/session/session-event-bus';

const SESSION = 'ses_1';

let bridge: LocalBridge;
const ends: (() => Promise<void> | void)[] = [];

beforeEach(async () => {
  bridge = await startBridge([SESSION]);
  await tell('session.status', { status: { type: 'idle' } });
});

afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await bridge.close();
});

function tell(type: string, properties: object): Promise<void> {
  return bridge.hooks.event({ event: { type, properties: { sessionID: SESSION, ...properties } } });
}

/** A plugin attached to the session, over its own connection. */
async function plugin() {
  const proxy = await FaultProxy.start(bridge.run.port, () => NO_FAULTS);
  // On the real clock: on a faster one a pause of the machine looks like a dead connection.
  const link = new PluginLink(() => ({ port: proxy.port, run: bridge.run }), 1);
  ends.push(
    () => link.close(),
    () => proxy.close(),
  );
  const heard: SessionEvent[] = [];
  let wake: () => void = () => undefined;
  link.bus.onAll((event) => {
    heard.push(event);
    wake();
  });
  const until = async (fits: (event: SessionEvent) => boolean): Promise<void> => {
    while (!heard.some(fits)) await new Promise<void>((resolve) => (wake = resolve));
  };
  link.connection.connect();
  // A client that attaches receives the session's status.
  await until(({ type }) => type === 'progress.update');
  return { link, proxy, heard, until };
}

function call(callID: string) {
  return bridge.hooks.tool.tasks?.execute(
    { operations: [{ type: 'list' }] },
    {
      ...{ sessionID: SESSION, messageID: 'msg_1', agent: 'build', callID },
      abort: new AbortController().signal,
      ask: () => Promise.resolve(),
    },
  );
}

function answer(link: PluginLink, callId: string, output: string): void {
  const audit = { approved: true, dryRun: false, ms: 1 };
  const payload = { callId, ok: true, output, audit };
  link.connection.send({ type: 'tool.result', sessionId: SESSION, payload });
}

const isCall = (event: SessionEvent): boolean => event.type === 'tool.call';
const isUpdate = (event: SessionEvent): boolean => event.type === 'tool.update';

describe('two clients of one bridge', () => {
  test('[FAULT10] the newest is asked and only its answer counts; the other sees what happens', async () => {
    const older = await plugin();
    const newer = await plugin();
    const called = call('call_1');
    await newer.until(isCall);
    answer(older.link, 'call_1', 'of the other');
    // By now the other client's messages have been processed.
    await older.link.connection.request({ type: 'session.list', payload: {} }, 10_000);
    answer(newer.link, 'call_1', 'of the newest');
    expect((await called)?.output).toBe('of the newest');
    const part = { id: 'prt_1', messageID: 'msg_1', type: 'tool', tool: 'tasks', callID: 'call_1' };
    await tell('message.part.updated', { part: { ...part, state: { status: 'completed' } } });
    await Promise.all([older.until(isUpdate), newer.until(isUpdate)]);
    expect(older.heard.filter(isCall)).toEqual([]);
    expect(newer.heard.filter(isCall)).toHaveLength(1);
  });

  test('[FAULT10] a cut of one leaves the other as it is; the call that was out waits for the one that has it', async () => {
    const older = await plugin();
    const newer = await plugin();
    const called = call('call_1');
    await newer.until(isCall);
    newer.proxy.cutAll();
    while (newer.link.connection.state.kind === 'connected') {
      await new Promise((resolve) => setImmediate(resolve));
    }
    newer.link.connection.retryNow();
    await newer.link.connected();
    answer(newer.link, 'call_1', 'after the cut');
    expect((await called)?.output).toBe('after the cut');
    expect(older.heard.filter(isCall)).toEqual([]);
    expect(older.proxy.counts).toEqual({ connections: 1 });
  });

  test('[FAULT10] where the newest was closed, the next call goes to the other', async () => {
    const older = await plugin();
    const { port, token, folder } = bridge.run;
    const newer = await RawClient.open(port, token);
    const hello = { client: 'raw', version: '1', vault: 'v', capabilities: ['tools'], folder };
    newer.sendMessage({ id: 'h', type: 'hello', payload: hello });
    newer.sendMessage({ id: 'a', type: 'session.attach', sessionId: SESSION, payload: {} });
    await newer.waitUntil(() => newer.receivedCounts.has('progress.update'));
    newer.send(rawFrame('{}', { opcode: OPCODE.binary }));
    await newer.waitUntil(() => newer.code !== undefined);
    const called = call('call_1');
    await older.until(isCall);
    answer(older.link, 'call_1', 'of the one that is left');
    expect((await called)?.output).toBe('of the one that is left');
    expect(newer.receivedCounts.has('tool.call')).toBe(false);
    newer.reset();
  });

  test('[FAULT10] a second connection that goes on where the first is takes its place, and the first does not fight', async () => {
    const first = await plugin();
    await tell('session.status', { status: { type: 'busy' } });
    await first.until((event) => event.type === 'progress.update' && event.payload.kind === 'busy');
    const epoch = await epochOf(first.link);
    const second = await RawClient.open(bridge.run.port, bridge.run.token);
    const resume = [{ sessionId: SESSION, epoch, lastSeq: 0 }];
    const hello = { client: 'raw', version: '1', vault: 'v', capabilities: [], resume };
    second.sendMessage({ id: 'h', type: 'hello', payload: hello });
    await second.waitUntil(() => second.receivedCounts.has('welcome'));
    while (first.link.connection.state.kind !== 'failed') {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(first.link.connection.state).toMatchObject({ code: 'replaced' });
    expect(first.proxy.counts.connections).toBe(1);
    second.reset();
  });
});

/** The bridge's id for the client's message numbering. */
async function epochOf(link: PluginLink): Promise<string> {
  const welcome = await link.connection.request({ type: 'session.list', payload: {} }, 10_000);
  if (welcome.type !== 'welcome') throw new Error(`It answered ${welcome.type}.`);
  return welcome.payload.epoch;
}

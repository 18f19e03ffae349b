import { createServer, type ServerResponse } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { LiveSessions } from '../../src/core/engine/live-sessions';
import { EngineSessionStore } from '../../src/core/engine/session-store';
import type { LogRecord } from '../../src/core/engine/session-log';
import { DiskStore } from '../../src/node/disk-store';
import { nodeClock as clock } from '../../src/node/node-ports';
import { pluginOnModel } from '../../test/engine/plugin-on-model';
import { MemoryStore } from '../../test/store/memory-store';
import { compareAsync } from '../measure-async';
import { ratioOf } from '../measure';
import type { Measured, Row } from '../row';

/** So many that the start and the end of the session take little of the time. */
const TOKENS = 20_000;
const IDLE = 50;
/** Prompts of an idle session, and characters of each answer. */
const PROMPTS = 40;
const ANSWER = 2_000;
const ROUNDS = 15;

/** Sessions on a model, from the provider's socket to the plugin's bus. */
export function engineRows(): Row[] {
  return [
    {
      name: 'engine.token',
      against: `reading the same bytes, ${TOKENS} tokens`,
      target: 4,
      note: 'a token is parsed, checked, told as a message of the protocol, encoded, decoded and put on the bus; the bytes alone are only counted',
      measure: () => measureOnModel(TOKENS, { rounds: ROUNDS, times: 1, warmUp: 3 }),
    },
    {
      name: 'engine.start',
      against: 'the same request by hand, to its end',
      target: 2,
      note: 'the session and its prompt are on the disk before the model is asked, each file under its lock; as state of the plugin, without fsync',
      measure: () => measureOnModel(1, { rounds: ROUNDS, times: 20, warmUp: 50 }),
    },
    {
      name: 'engine.memory',
      against: `the text of ${IDLE} idle sessions on the disk`,
      target: 3,
      measure: measureIdleSessions,
    },
  ];
}

async function measureOnModel(
  tokens: number,
  rounds: Parameters<typeof compareAsync>[2],
): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), 'atb-engine-'));
  const provider = await startProvider(tokens);
  const plugin = await pluginOnModel(provider.url, new DiskStore(folder));
  const own = async (): Promise<void> => {
    const { sessionId } = await plugin.runtime.start({ title: 'Bench' });
    const over = plugin.next(sessionId, tokens === 1 ? 'stream.token' : 'turn.end');
    await plugin.runtime.send(sessionId, 'go');
    await over;
  };
  const peer = async (): Promise<number> => {
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'go' }] });
    const answer = await fetch(`${provider.url}/chat/completions`, { method: 'POST', body });
    return (await answer.arrayBuffer()).byteLength;
  };
  const measured = await compareAsync(own, peer, rounds);
  await plugin.close();
  await provider.close();
  await rm(folder, { recursive: true, force: true });
  return measured;
}

async function startProvider(tokens: number) {
  const chunk = { choices: [{ index: 0, delta: { content: 'word ' }, finish_reason: null }] };
  const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
  const word = `data: ${JSON.stringify(chunk)}\n\n`;
  const text = `${word.repeat(tokens)}data: ${JSON.stringify(end)}\n\ndata: [DONE]\n\n`;
  const server = createServer((request, response: ServerResponse) => {
    request.resume();
    const isList = request.method === 'GET';
    response.writeHead(200, { 'content-type': isList ? 'application/json' : 'text/event-stream' });
    response.end(isList ? '{"data":[{"id":"script"}]}' : text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, close };
}

/** Memory held by idle sessions, divided by the size of what is stored of them. */
async function measureIdleSessions(): Promise<Measured> {
  const store = new MemoryStore();
  const log = { note: () => undefined };
  const kept = new EngineSessionStore({ store, log }, 'sessions');
  const ids = Array.from({ length: IDLE }, (_, n) => `ses_${n}`);
  let written = 0;
  for (const id of ids) {
    await kept.saveFacts({ v: 1, id, title: 'Idle', created: 1 });
    for (const record of sampleRecords(id)) {
      await kept.add(id, [record]);
      written += JSON.stringify(record).length + 1;
    }
  }
  const collect = garbageCollector();
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const sessions = new LiveSessions({ store: kept, clock, log, publish: () => undefined });
    collect();
    const before = process.memoryUsage().heapUsed;
    for (const id of ids) await sessions.get(id);
    collect();
    ratios.push((process.memoryUsage().heapUsed - before) / written);
    sessions.close();
    if (sessions.all.length !== IDLE) throw new Error('Some sessions were let go.');
  }
  const detail = `${((ratioOf(ratios).ratio * written) / 1e6).toFixed(1)} MB of ${(written / 1e6).toFixed(1)} MB written`;
  return { ...ratioOf(ratios), detail };
}

function sampleRecords(session: string): readonly LogRecord[] {
  return Array.from({ length: PROMPTS }, (_, n): readonly LogRecord[] => {
    const id = `${session}_${n}`;
    const words = `${n} ${'some words of an answer '.repeat(ANSWER / 24)}`;
    return [
      { kind: 'prompt', id, at: n, text: `Do number ${n}`, agent: 'build', model: 'own/script' },
      {
        ...{ kind: 'answer', id: `${id}_a`, at: n, prompt: id, text: words, end: 'completed' },
        calls: [],
      },
    ];
  }).flat();
}

function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

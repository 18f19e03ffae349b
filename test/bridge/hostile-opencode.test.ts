import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { EventFeed } from '../../src/bridge/opencode-http/event-feed';
import { addressOf, OpencodeServer } from '../../src/bridge/opencode-http/opencode-server';
import { OpencodeApi } from '../../src/bridge/opencode/opencode-api';
import { OpencodeSessions } from '../../src/bridge/opencode/opencode-engine';
import { SessionCache } from '../../src/bridge/opencode/session-cache';
import { Translator } from '../../src/bridge/opencode/translator';
import type { OpencodeEvent } from '../../src/bridge/opencode/opencode-event';
import { LiveParts } from '../../src/bridge/server/token-buffer';
import { nodeHttp } from '../../src/node/http-client';
import { nodeClock as clock, nodeIds as ids } from '../../src/node/node-ports';
import { startServing } from '../engine/served-model';

const PROGRAM = join(import.meta.dirname, '../../dist/cli.js');

const closing: (() => unknown)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

async function serve(answer: RequestListener): Promise<OpencodeServer> {
  const server = createServer(answer);
  closing.push(() => (server.closeAllConnections(), server.close()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = addressOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const options = { address, password: undefined, directory: '/vault', http: nodeHttp() };
  return new OpencodeServer(options);
}

/** Serves a feed with this text, and reads its events up to the closing one. */
async function heardOf(sent: string): Promise<readonly string[]> {
  const server = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(sent);
  });
  const stop = new AbortController();
  closing.push(() => stop.abort());
  const heard: string[] = [];
  await new Promise<void>((resolve, reject) => {
    const feed = new EventFeed({
      ...{ server, clock, ids, log: { note: () => undefined }, stop: stop.signal },
      ...{ check: async () => undefined, onOpen: async () => undefined, onDisposed: resolve },
      onEvent: ({ properties }: OpencodeEvent) => void heard.push(properties.sessionID ?? ''),
    });
    feed.start().catch(reject);
  });
  return heard;
}

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

const event = (type: string, properties: string): string =>
  `data: {"type":"${type}","properties":${properties}}\n\n`;

const asks = (sessionID: string, pattern: string): string =>
  event(
    'permission.asked',
    `{"id":"p","sessionID":"${sessionID}","permission":"x","patterns":[${pattern}]}`,
  );

test('[OCHTTP17] events too deep to be walked through are dropped, and the stream goes on', async () => {
  const all = [asks('ses_1', deep(100_000)), asks('ses_2', deep(900)), asks('ses_3', '"a"')];
  const end = event('server.instance.disposed', '{}');
  expect(await heardOf([...all, end].join(''))).toEqual(['ses_2', 'ses_3']);
});

test('[OCHTTP17] an event without an end ends the stream, in words for a person', async () => {
  await expect(heardOf('x'.repeat(17_000_000))).rejects.toThrow(
    /127\.0\.0\.1:\d+ sent an event of more than 16 million characters\.$/,
  );
});

test('[OCHTTP4] a stream that breaks as soon as it is open is not opened faster for that', async () => {
  const server = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(event('server.connected', '{}'));
  });
  const stop = new AbortController();
  closing.push(() => stop.abort());
  const waits = await new Promise<readonly number[]>((resolve, reject) => {
    const told: number[] = [];
    const after = (ms: number, then: () => void) => {
      if (ms >= 30_000) return () => undefined;
      if (told.push(ms) === 5) resolve(told);
      const soon = setImmediate(then);
      return () => clearImmediate(soon);
    };
    const feed = new EventFeed({
      ...{ server, clock: { ...clock, after }, ids: { random: () => 1 }, stop: stop.signal },
      ...{ log: { note: () => undefined }, onDisposed: () => undefined, onEvent: () => undefined },
      ...{ check: async () => undefined, onOpen: async () => undefined },
    });
    feed.start().catch(reject);
  });
  expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000]);
});

test('[OCHTTP17] an answer too deep to be walked through is none of OpenCode', async () => {
  const server = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(deep(50_000));
  });
  const asked = server.request({ method: 'GET', path: '/session' });
  await expect(asked).rejects.toThrow('is no OpenCode');
});

const permission = (n: number): OpencodeEvent => ({
  type: 'permission.asked',
  properties: {
    ...{ id: `p${n}`, sessionID: 'ses_0', permission: 'x', patterns: [], always: [] },
    ...{ metadata: {}, tool: undefined },
  },
});

test('[BRIDGE102] a request beyond those that a person can answer is refused, which the log tells', () => {
  const sent: [string, unknown][] = [];
  const api = new OpencodeApi(({ path, body }) => {
    sent.push([path, body]);
    return Promise.resolve({ status: 200, body: true });
  }, '/vault');
  const told: string[] = [];
  const noted: string[] = [];
  const log = { note: (text: string) => void noted.push(text) };
  const boards = {} as never;
  const opencode = new OpencodeSessions({
    ...{ api, boards, clock, log, live: new LiveParts(), sessions: new SessionCache(api) },
    ...{ ignoresTodowrite: true, limitOf: () => undefined, since: 0, boundRules: () => [] },
    self: {
      ...{ bridge: '1', opencode: '1', directory: '/vault' },
      engine: { name: 'opencode', version: '1' },
    },
    clients: { publish: ({ type }) => void told.push(type), publishCreated: () => undefined },
  });
  for (let n = 0; n < 1_001; n += 1) opencode.handleEvent(permission(n));
  const questions = [{ question: 'Which?', header: '', options: [] }];
  opencode.handleEvent({
    type: 'question.asked',
    properties: { id: 'q', sessionID: 'ses_0', questions, tool: undefined },
  });
  const words = 'Nobody was asked: 1,000 requests of this session wait for an answer already.';
  expect(told).toHaveLength(1_000);
  expect(sent).toEqual([
    ['/permission/p1000/reply', { reply: 'reject', message: words }],
    ['/question/q/reject', undefined],
  ]);
  expect(noted).toEqual([words, words]);
});

test('[OCHTTP17] sessions and requests without an end are remembered as far as anybody needs them', () => {
  const translator = new Translator(() => undefined);
  for (let n = 0; n < 1_100; n += 1) translator.translate(permission(n));
  expect(translator.waits('ses_0', 'p999')).toBe(true);
  expect(translator.waits('ses_0', 'p1000')).toBe(false);
  const busy = (n: number): OpencodeEvent => ({
    type: 'session.status',
    properties: { sessionID: `ses_${n}`, status: { type: 'busy' } },
  });
  for (let n = 1; n < 5_000; n += 1) translator.translate(busy(n));
  translator.translate(busy(0));
  translator.translate(busy(5_000));
  expect([translator.works('ses_0'), translator.works('ses_1')]).toEqual([true, false]);
  expect(translator.works('ses_2')).toBe(true);
});

test('[OCHTTP17] parts that are never whole are kept as far as anybody writes at one time', () => {
  const live = new LiveParts();
  const token = (sessionId: string, partId: string): void =>
    live.heard({
      type: 'stream.token',
      sessionId,
      payload: { messageId: 'm', partId, delta: 'x' },
    });
  for (let n = 0; n < 150; n += 1) token('ses_0', `p${n}`);
  expect(live.of('ses_0').map(({ partId }) => partId)).toEqual(
    Array.from({ length: 100 }, (_, n) => `p${n + 50}`),
  );
  for (let n = 1; n <= 1_000; n += 1) token(`ses_${n}`, 'p');
  expect([live.of('ses_0').length, live.of('ses_1').length]).toEqual([0, 1]);
});

test('[OCHTTP18] whoever waits for a server when the program ends is let go', async () => {
  const server = await serve(() => server.close());
  const asked = server.request({ method: 'POST', path: '/mcp/x/disconnect' });
  await expect(asked).rejects.toThrow('can’t be reached');
});

/** An OpenCode that works until its sessions are listed; then it answers with `then`. */
function startsWell(then: (response: ServerResponse) => void): Promise<OpencodeServer> {
  const fine: Readonly<Record<string, unknown>> = {
    ...{ '/global/health': { version: '1.18.33' }, '/path': { directory: '/vault' } },
    '/experimental/tool/ids': [],
  };
  return serve(({ url = '' }, response) => {
    const path = url.split('?')[0] ?? '';
    if (path === '/event') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return void response.write(event('server.connected', '{}'));
    }
    const body = fine[path];
    if (body === undefined) return then(response);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
}

/** A temporary folder for a vault and a home. */
function baseFolder(): string {
  const base = mkdtempSync(join(tmpdir(), 'atb-hostile-'));
  closing.push(() => rmSync(base, { recursive: true, force: true }));
  mkdirSync(join(base, 'vault/.opencode'), { recursive: true });
  mkdirSync(join(base, 'home'));
  return base;
}

test('[OCHTTP18] a server that breaks its answers at the start is told of as what it is', async () => {
  const server = await startsWell((response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"providers": [');
  });
  const started = startServing(baseFolder(), ['--engine', 'opencode', '--url', server.name]);
  await expect(started).rejects.toThrow(`What answers at ${server.name} is no OpenCode.`);
});

test('[OCHTTP18] a signal ends the program while a server gives no answer at the start', async () => {
  const base = baseFolder();
  const server = await startsWell(() => void child.kill('SIGTERM'));
  const child = spawn(
    process.execPath,
    [
      PROGRAM,
      'serve',
      '--vault',
      join(base, 'vault'),
      '--engine',
      'opencode',
      '--url',
      server.name,
    ],
    { env: { PATH: process.env['PATH'], HOME: join(base, 'home') } },
  );
  closing.push(() => child.kill('SIGKILL'));
  const [said] = await Promise.all([text(child.stderr), once(child, 'close')]);
  expect(said).toContain(`Ended before the OpenCode at ${server.name} was ready.`);
  expect(child.exitCode).toBe(1);
});

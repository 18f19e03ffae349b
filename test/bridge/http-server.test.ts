import { createServer, type RequestListener } from 'node:http';
import { createServer as createTls } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import {
  addressOf,
  isLoopback,
  OpencodeServer,
} from '../../src/bridge/opencode-http/opencode-server';
import { openEndpoint } from '../../src/bridge/opencode-http/mcp-endpoint';
import { CallFinder } from '../../src/bridge/opencode-http/call-finder';
import { OpencodeApi } from '../../src/bridge/opencode/opencode-api';
import { readCatalog } from '../../src/bridge/opencode/opencode-engine';
import { engineFeatures } from '../../src/core/engine/engine';
import { nodeHttp } from '../../src/node/http-client';
import { ManualClock } from './manual-clock';

const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  closing.push(() => (server.closeAllConnections(), server.close()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const checked = (url: string, password?: string): Promise<unknown> =>
  new OpencodeServer({
    ...{ address: addressOf(url), password, directory: '/vault', http: nodeHttp() },
  }).check();

test('[OCHTTP2] what can’t be used says why, and what to do', async () => {
  const page = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>');
  });
  await expect(checked(page)).rejects.toThrow(
    'is no OpenCode. Give the address that “opencode serve” prints',
  );
  const json = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await expect(checked(json)).rejects.toThrow('is no OpenCode');
  const shut = await serve((_, response) => void response.writeHead(401).end());
  await expect(checked(shut)).rejects.toThrow('asks for a password. Set OPENCODE_SERVER_PASSWORD');
  await expect(checked(shut, 'x')).rejects.toThrow('refuses the password');
  const gone = await serve(() => undefined);
  closing.splice(0).forEach((close) => close());
  await expect(checked(gone)).rejects.toThrow(
    /can’t be reached \(ECONN\w+\)\. Start “opencode serve”/,
  );
});

test('[OCHTTP16] a server that answers for its commands with a page has no commands, and all else', async () => {
  const found: Readonly<Record<string, unknown>> = {
    '/agent': [{ name: 'build', mode: 'primary' }],
    '/config/providers': { providers: [] },
    '/config': { model: 'p/m' },
  };
  const page = { 'content-type': 'text/html' };
  const url = await serve(({ url: path = '' }, response) => {
    const body = found[path.split('?')[0] ?? ''];
    if (body === undefined) response.writeHead(200, page).end('<html></html>');
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const options = { address: addressOf(url), password: undefined, directory: '/vault' };
  const server = new OpencodeServer({ ...options, http: nodeHttp() });
  const api = new OpencodeApi(server.request, '/vault');
  expect(await readCatalog(api)).toEqual({
    ...{ agents: [{ name: 'build', mode: 'primary' }], models: [], model: 'p/m' },
  });
  await expect(api.sessions()).rejects.toThrow('is no OpenCode');
});

test('[OCHTTP2] a redirect is not followed, and takes no password along', async () => {
  const seen: unknown[] = [];
  const other = await serve(({ headers }, response) => {
    seen.push(headers);
    response.end();
  });
  const first = await serve((_, response) => {
    response.writeHead(307, { location: `${other}/path` }).end();
  });
  await expect(checked(first, 'secret')).rejects.toThrow(
    `sends to ${other}, which is not followed`,
  );
  expect(seen).toEqual([]);
});

test('[OCHTTP2] a connection that can’t be verified is not used', async () => {
  const server = createTls({}, (_, response) => void response.end());
  closing.push(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await expect(checked(`https://127.0.0.1:${port}`)).rejects.toThrow('can’t be');
});

test('[OCHTTP14] many requests at once leave few connections open', async () => {
  const open = new Set<unknown>();
  const waiting: (() => void)[] = [];
  const url = await serve(({ socket }, response) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    waiting.push(() => void response.end('{}'));
    if (waiting.length === 60) for (const answer of waiting) answer();
  });
  const http = nodeHttp();
  const ask = async (): Promise<void> => {
    const { signal } = new AbortController();
    const { body } = await http.request({ url, method: 'GET', headers: {}, signal });
    for await (const part of body) void part;
  };
  await Promise.all(Array.from({ length: 60 }, ask));
  await expect.poll(() => open.size).toBe(8);
});

test('[OCHTTP3] an address is a plain one: no password in it', () => {
  for (const text of ['nothing', 'file:///etc', 'http://opencode:secret@127.0.0.1:1']) {
    expect(() => addressOf(text)).toThrow();
  }
  expect(() => addressOf('http://u:secret@h')).not.toThrow('secret');
  expect(addressOf('https://host/proxy').href).toBe('https://host/proxy/');
});

test('[OCHTTP9] only a server of this machine is offered tools, and the features say it', () => {
  const near = [
    'http://127.0.0.1:4096',
    'http://localhost:1',
    'http://[::1]:1',
    'http://127.9.9.9',
  ];
  expect(near.map((url) => isLoopback(addressOf(url)))).toEqual([true, true, true, true]);
  const far = ['http://127.0.0.1.example.org', 'http://localhost.example.org', 'http://10.0.0.1'];
  expect(far.map((url) => isLoopback(addressOf(url)))).toEqual([false, false, false]);
  const engine = { start: () => Promise.resolve(), prompt: () => Promise.resolve(undefined) };
  expect(engineFeatures({ ...engine, lacksTools: false })).toContain('tasks');
  expect(engineFeatures({ ...engine, lacksTools: true })).not.toContain('tasks');
});

test('[OCHTTP10] the endpoint of the tools answers who has its token, is addressed as this machine, and is no page', async () => {
  const called: unknown[] = [];
  const endpoint = await openEndpoint({
    tools: () => Promise.resolve([]),
    call: (tool, args) => {
      called.push([tool, args]);
      return tool === 'fails'
        ? Promise.reject(new Error('Nothing was done.'))
        : Promise.resolve('it');
    },
  });
  const { url, headers } = endpoint;
  closing.push(() => endpoint.close());
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const post = (given: Record<string, string>, body: unknown = list): Promise<Response> =>
    fetch(url, { method: 'POST', headers: given, body: JSON.stringify(body) });
  expect((await post({})).status).toBe(401);
  expect((await post({ authorization: 'Bearer x' })).status).toBe(401);
  expect((await post({ ...headers, origin: 'http://127.0.0.1:1' })).status).toBe(403);
  expect((await fetch(url, { headers })).status).toBe(405);
  expect((await post({ ...headers }, { x: 'y'.repeat(5_000_000) })).status).toBe(413);
  expect(await (await post({ ...headers })).json()).toEqual({
    jsonrpc: '2.0',
    id: 1,
    result: { tools: [] },
  });
  expect(await (await post({ ...headers }, [])).json()).toMatchObject({ error: { code: -32_600 } });
  const call = (name: string): Promise<string> =>
    post(
      { ...headers },
      { ...list, method: 'tools/call', params: { name, arguments: { a: 1 } } },
    ).then((answer) => answer.text());
  expect(await call('tasks')).toContain('"content":[{"type":"text","text":"it"}]');
  expect(await call('fails')).toContain('"isError":true');
  expect(called).toEqual([
    ['tasks', { a: 1 }],
    ['fails', { a: 1 }],
  ]);
});

type Part = readonly [id: string, status: string, input: unknown];

/** Busy sessions with open calls, as OpenCode reports them. */
function calling(sessions: Record<string, readonly Part[]>) {
  const clock = new ManualClock();
  const api = new OpencodeApi(({ path }) => {
    if (path === '/session/status') {
      const all = Object.keys(sessions).map((id) => [id, { type: 'busy' }]);
      return Promise.resolve({ status: 200, body: Object.fromEntries(all) as unknown });
    }
    const id = path.split('/')[2] ?? '';
    const parts = (sessions[id] ?? []).map(([part, status, input]) => ({
      ...{ id: part, type: 'tool', tool: 'agent_boards_tasks', callID: `call ${part}` },
      state: { status, input },
    }));
    return Promise.resolve({
      status: 200,
      body: [{ info: { id: `msg ${id}`, agent: 'plan' }, parts }],
    });
  }, '/vault');
  const caller = new CallFinder(api, clock);
  const find = async (args: unknown): Promise<string> => {
    const found = caller.find('tasks', args).then(
      ({ sessionId, callId, agent }) => `${sessionId} ${callId} ${agent}`,
      (error: unknown) => String(error),
    );
    const state = { isOver: false };
    void found.then(() => (state.isOver = true));
    while (!state.isOver) {
      clock.advance(50);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return found;
  };
  return { sessions, find };
}

test('[OCHTTP7] a call is of the session that has just that call open, once', async () => {
  const { find } = calling({
    ses_a: [['1', 'running', { n: 1 }]],
    ses_b: [['2', 'running', { n: 2 }]],
  });
  expect(await find({ n: 2 })).toBe('ses_b call 2 plan');
  expect(await find({ n: 1 })).toBe('ses_a call 1 plan');
  expect(await find({ n: 1 })).toContain('does not show which session calls');
});

test('[OCHTTP7] a call that two sessions have open is of neither; one that is still being written may be the other’s', async () => {
  const both = calling({
    ses_a: [['1', 'running', { n: 1 }]],
    ses_b: [['2', 'running', { n: 1 }]],
  });
  expect(await both.find({ n: 1 })).toContain('another session made the same call');
  both.sessions['ses_b'] = [['2', 'error', { n: 1 }]];
  expect(await both.find({ n: 1 })).toBe('ses_a call 1 plan');
  const unwritten = calling({ ses_a: [['1', 'running', {}]], ses_b: [['2', 'pending', {}]] });
  const found = unwritten.find({});
  unwritten.sessions['ses_b'] = [['2', 'running', {}]];
  expect(await found).toContain('another session made the same call');
  const done = calling({ ses_a: [['1', 'completed', {}]], ses_b: [['2', 'pending', {}]] });
  expect(await done.find({})).toContain('Nothing was done');
});

import { on, once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { packFrame, unpackFrame } from '../../workbench/call-frame';
import { startRig, type Rig } from './workbench-rig';

let rig: Rig;

beforeAll(async () => {
  rig = await startRig({ 'Inbox.md': 'inside' });
});

afterAll(() => rig.close());

const address = () => rig.workbench.url.replace(/^http/, 'ws').replace(/\/$/, '/calls');

/** Opens a socket as a page of `origin` does. */
async function opened(origin = rig.workbench.origin): Promise<WebSocket> {
  const socket = new WebSocket(address(), { origin });
  await once(socket, 'open');
  return socket;
}

function send(socket: WebSocket, line: string, body = ''): void {
  socket.send(packFrame({ line, body: Buffer.from(body) }));
}

/** The next `count` answers, by their first lines. */
async function answers(socket: WebSocket, count: number): Promise<Record<string, string>> {
  const all: Record<string, string> = {};
  for await (const [data] of on(socket, 'message') as AsyncIterable<[Buffer]>) {
    const { line, body } = unpackFrame(data);
    all[line] = Buffer.from(body).toString('utf8');
    if (Object.keys(all).length === count) break;
  }
  return all;
}

describe('the socket of a page’s calls', () => {
  it.each([
    ['a foreign origin', { origin: 'http://evil.example' }, ''],
    ['another port of this machine', { origin: 'http://127.0.0.1:1' }, ''],
    ['a null origin', { origin: 'null' }, ''],
    ['no origin', {}, ''],
    ['a foreign host', { headers: { host: 'evil.example' } }, ''],
    ['another address', {}, '/more'],
  ])('[WB26] is refused to %s', async (_case, options, more) => {
    const own = more === '' ? {} : { origin: rig.workbench.origin };
    const socket = new WebSocket(address() + more, { ...own, ...options });
    const told = await new Promise<unknown>((done) => {
      socket.on('error', ({ message }) => done(message));
      socket.on('open', () => done('open'));
    });
    socket.terminate();
    expect(told).toBe('Unexpected server response: 403');
  });

  it('[WB26] answers each call by its number: bytes as they are, failures with their code', async () => {
    const socket = await opened();
    const found = answers(socket, 4);
    send(socket, '1 /fs/write?path=New.md', 'a\n\nb ☕');
    send(socket, '2 /fs/read?path=Inbox.md');
    send(socket, '3 /fs/read?path=..%2Foutside.md');
    send(socket, '4 /vault.json');
    expect(await found).toEqual({
      '1 ok': 'null',
      '2 ok': 'inside',
      '3 fault': expect.stringContaining('"code":"EACCES"') as string,
      '4 fault': expect.stringContaining('"code":"EINVAL"') as string,
    });
    expect(await readFile(join(rig.vault, 'New.md'), 'utf8')).toBe('a\n\nb ☕');
    socket.close();
  });

  it('[WB26] ends where what comes is no call, and no other one with it', async () => {
    const [wrong, right] = [await opened(), await opened()];
    wrong.send('no line');
    await once(wrong, 'close');
    const found = answers(right, 1);
    send(right, '1 /fs/read?path=Inbox.md');
    expect(await found).toEqual({ '1 ok': 'inside' });
    right.close();
  });

  it('[WB26] a page whose workbench has ended is told so by each call', async () => {
    const ended = await startRig({ 'Inbox.md': '' });
    const page = await ended.open();
    await ended.workbench.close();
    const codes = await page.evaluate(async () => {
      const { app } = await window.workbench.plugin;
      const codeOf = () =>
        app.vault.adapter.stat('Inbox.md').then(
          () => 'none',
          (error: unknown) => (error as { code: string }).code,
        );
      return [await codeOf(), await codeOf()];
    });
    expect(codes).toEqual(['EIO', 'EIO']);
    await ended.close();
  });
});

import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WebSocket } from 'ws';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openListener, removeStaleRunFiles } from '../../src/bridge/server/listener';
import { Peer } from '../../src/bridge/server/peer';
import { newToken } from '../../src/bridge/server/socket-server';
import { nodeClock as clock } from '../../src/node/node-ports';
import { parseRunFile, RUN_FOLDER, type RunFile } from '../../src/protocol/run-file';
import { TestClient } from './test-client';

const ORIGIN = 'http://127.0.0.1:5000';

let vault: string;
let run: RunFile;
let close: () => void;
let frames: string[];
let peers: Peer[];

beforeEach(async () => {
  vault = mkdtempSync(join(tmpdir(), 'atb-line-'));
  frames = [];
  peers = [];
  close = await openListener({
    vault,
    directory: vault,
    opencode: '1.18.33',
    engine: { name: 'opencode', version: '1.18.33' },
    token: newToken(),
    extraOrigin: ORIGIN,
    clock,
    log: { note: () => undefined },
    accept: (socket, since) => void peers.push(peerOf(socket, since)),
  });
  const found = parseRunFile(readFileSync(runFile(), 'utf8'));
  if (!found) throw new Error('no run file');
  run = found;
});

afterEach(() => {
  close();
  rmSync(vault, { recursive: true, force: true });
});

function runFile(): string {
  return join(vault, RUN_FOLDER, `${process.pid}.json`);
}

function peerOf(socket: WebSocket, since: number): Peer {
  const handlers = {
    frame: (text: string) => void frames.push(text),
    received: () => undefined,
    held: () => 0,
    closed: () => undefined,
  };
  return new Peer(socket, clock, handlers, since);
}

describe('the line on Node', () => {
  test('[BRIDGE12] the run file is for this user alone, and out of git', () => {
    expect(statSync(runFile()).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(vault, RUN_FOLDER, '.gitignore'), 'utf8')).toBe('*\n');
    expect(readdirSync(join(vault, RUN_FOLDER)).sort()).toEqual([
      '.gitignore',
      `${process.pid}.json`,
    ]);
    expect(run.token).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  test('[BRIDGE12] closing takes the run file back, twice does no harm', () => {
    close();
    close();
    expect(readdirSync(join(vault, RUN_FOLDER))).toEqual(['.gitignore']);
  });

  test('[BRIDGE12] stale files of this machine go; those of the living, of others and of no known form stay', async () => {
    const file = (pid: number): string => join(vault, RUN_FOLDER, `${pid}.json`);
    for (const [pid, host] of [
      [91, run.host],
      [92, run.host],
      [93, 'another machine'],
    ] as const) {
      writeFileSync(file(pid), JSON.stringify({ ...run, pid, host }));
    }
    writeFileSync(file(94), '{"pid": 94');
    await removeStaleRunFiles(vault, run.host, (pid) => pid === 92 || pid === process.pid);
    const left = readdirSync(join(vault, RUN_FOLDER)).sort();
    expect(left).toEqual(
      ['.gitignore', '92.json', '93.json', '94.json', `${process.pid}.json`].sort(),
    );
  });

  test('[BRIDGE10] what may not upgrade gets 403, whatever token it has', async () => {
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:5001']) {
      for (const token of [run.token, 'wrong']) {
        const client = await TestClient.open(run.port, token, { origin });
        expect(await client.ended).toMatchObject({ code: 1006, status: 403 });
      }
    }
    const headers = { host: `evil.example:${run.port}` };
    const rebound = await TestClient.open(run.port, run.token, { headers });
    expect(await rebound.ended).toMatchObject({ status: 403 });
    expect(peers).toEqual([]);
  });

  test('[BRIDGE11] a wrong token is let in, closed with 4401, and never read', async () => {
    const offers = [
      ['agent-task-boards.v1', 'token.wrong'],
      ['agent-task-boards.v1'],
      ['agent-task-boards.v1', `token.${run.token.slice(1)}`],
      ['agent-task-boards.v1', `Token.${run.token}`],
    ];
    for (const protocols of offers) {
      const client = await TestClient.open(run.port, '', { protocols });
      client.socket.send('{"v":1,"type":"hello"}', () => undefined);
      expect(await client.ended).toMatchObject({ code: 4401 });
    }
    const bare = await TestClient.open(run.port, '', { protocols: [] });
    expect(await bare.ended).toMatchObject({ code: 4401 });
    expect(peers).toEqual([]);
    expect(frames).toEqual([]);
  });

  test('[BRIDGE11] the right token is let in from Obsidian, from Node and from the one more origin', async () => {
    for (const origin of ['app://obsidian.md', ORIGIN, undefined]) {
      const client = await TestClient.open(
        run.port,
        run.token,
        origin === undefined ? {} : { origin },
      );
      expect(client.socket.protocol).toBe('agent-task-boards.v1');
      expect(client.socket.extensions).toBe('');
      client.socket.terminate();
    }
    expect(peers).toHaveLength(3);
  });

  test('[BRIDGE13] strangers that stay open don’t keep a client out', async () => {
    const raw = Array.from({ length: 16 }, () => {
      const socket = connect(run.port, '127.0.0.1');
      const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';
      const host = `Host: 127.0.0.1:${run.port}`;
      const head = ['GET / HTTP/1.1', host, 'Connection: Upgrade', 'Upgrade: websocket', key];
      socket.write(`${[...head, 'Sec-WebSocket-Version: 13'].join('\r\n')}\r\n\r\n`);
      return socket;
    });
    await Promise.all(raw.map((socket) => once(socket, 'data')));
    const stranger = await TestClient.open(run.port, 'wrong');
    expect(await stranger.ended).toMatchObject({ status: 503 });
    const client = await TestClient.open(run.port, run.token);
    expect(client.socket.readyState).toBe(1);
    client.socket.terminate();
    // Each is cut a second after it was told to close.
    await Promise.all(raw.map((socket) => once(socket, 'close')));
    const later = await TestClient.open(run.port, 'wrong');
    expect(await later.ended).toMatchObject({ code: 4401 });
  });

  test('[BRIDGE93] of more than 64 connections that have not brought the token the oldest is cut, and who brought it stays', async () => {
    const client = await TestClient.open(run.port, run.token);
    const raw: Socket[] = [];
    const open = async (): Promise<void> => {
      const socket = connect(run.port, '127.0.0.1');
      socket.on('error', () => undefined);
      raw.push(socket);
      await once(socket, 'connect');
    };
    for (let at = 0; at < 64; at++) await open();
    expect(raw.filter(({ closed }) => closed)).toHaveLength(0);
    const [first] = raw;
    const cut = first && once(first, 'close');
    await open();
    await cut;
    expect(raw.filter(({ closed }) => closed)).toHaveLength(1);
    expect(client.socket.readyState).toBe(1);
    for (const socket of raw) socket.destroy();
    client.socket.terminate();
  });

  test('[BRIDGE13] no hello in 3 seconds closes', async () => {
    const client = await TestClient.open(run.port, run.token);
    expect(await client.ended).toMatchObject({ code: 4400, reason: 'No hello in 3 s.' });
  });

  test('[BRIDGE13] a frame of more than 1 MiB closes with 1009, one of just 1 MiB passes', async () => {
    const MiB = 1024 * 1024;
    const client = await TestClient.open(run.port, run.token);
    client.socket.send('x'.repeat(MiB));
    client.socket.send('x'.repeat(MiB + 1));
    expect(await client.ended).toMatchObject({ code: 1009 });
    expect(frames.map((frame) => frame.length)).toEqual([MiB]);
    const huge = await TestClient.open(run.port, run.token);
    huge.socket.send('x'.repeat(2 * MiB), () => undefined);
    expect(await huge.ended).toMatchObject({ code: 1009 });
    expect(frames).toHaveLength(1);
  });

  test('[BRIDGE13] binary frames and a flood close', async () => {
    const binary = await TestClient.open(run.port, run.token);
    binary.socket.send(Buffer.from('{}'));
    expect(await binary.ended).toMatchObject({ code: 4400 });
    const flood = await TestClient.open(run.port, run.token);
    for (let i = 0; i < 20_000; i++) flood.socket.send('x', () => undefined);
    expect(await flood.ended).toMatchObject({ code: 4400, reason: 'Too many frames.' });
    expect(frames.length).toBeGreaterThanOrEqual(5000);
    expect(frames.length).toBeLessThan(10_000);
  });

  test('[BRIDGE14] a client that does not read is closed with 1013; one that does is not', async () => {
    const reading = await TestClient.open(run.port, run.token);
    let bytes = 0;
    reading.socket.removeAllListeners('message');
    reading.socket.on('message', (data: Buffer) => (bytes += data.length));
    const stuck = await TestClient.open(run.port, run.token);
    stuck.socket.removeAllListeners('message');
    stuck.socket.pause();
    const [reader, sleeper] = peers;
    reader?.startPings();
    sleeper?.startPings();
    const frame = 'x'.repeat(64 * 1024);
    for (let i = 0; i < 300; i++) {
      reader?.send(frame);
      sleeper?.send(frame);
      await new Promise(setImmediate);
    }
    reader?.send('end');
    await new Promise<void>((resolve) => {
      const poll = (): void => (bytes === 300 * 65536 + 3 ? resolve() : void setImmediate(poll));
      poll();
    });
    // A sender learns of a cut connection only by sending.
    await expect
      .poll(() => {
        if (stuck.socket.readyState === 1) stuck.socket.ping();
        return stuck.socket.readyState;
      })
      .not.toBe(1);
    stuck.socket.resume();
    // The server cut the line after its close frame had no answer: a sleeper sees either code.
    expect([1013, 1006]).toContain((await stuck.ended).code);
    expect(reading.socket.readyState).toBe(1);
    reading.socket.terminate();
  });
});

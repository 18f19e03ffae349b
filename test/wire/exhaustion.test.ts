import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startBridge, type LocalBridge } from '../../soak/link/local-bridge';
import { unknownToken } from '../../soak/link/handshake-matrix';
import { RawClient } from '../../soak/link/raw-client';
import { OPCODE, rawFrame } from '../../soak/link/raw-frame';
import { upgradeBytes } from '../../soak/link/raw-upgrade';

let bridge: LocalBridge;
let live: RawClient;

beforeEach(async () => {
  bridge = await startBridge(['ses_1']);
  live = await RawClient.open(bridge.run.port, bridge.run.token);
  await live.sayHello();
});

afterEach(async () => {
  live.reset();
  await bridge.close();
});

/** Sockets that send these bytes, then nothing; each resolves when the bridge ends it. */
function silent(count: number, bytes: Buffer): Promise<void>[] {
  return Array.from({ length: count }, () => {
    const socket: Socket = connect({ port: bridge.run.port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    socket.resume();
    socket.write(bytes);
    return new Promise((resolve) => socket.once('close', () => resolve()));
  });
}

function head(token: string): Buffer {
  return upgradeBytes({
    hosts: [`127.0.0.1:${bridge.run.port}`],
    origins: [],
    protocols: [`agent-task-boards.v1, token.${token}`],
  });
}

describe('who wears a bridge out', () => {
  test('[FAULT5] handshakes that are begun and never ended are ended by the bridge; a client is served meanwhile', async () => {
    const half = head(bridge.run.token).subarray(0, -2);
    const ends = [
      ...silent(200, Buffer.alloc(0)),
      ...silent(200, half),
      ...silent(30, head(unknownToken())),
      ...silent(40, head(bridge.run.token)),
    ];
    for (let at = 0; at < 50; at += 1) expect(await live.isServed(`p${at}`)).toBe(true);
    await Promise.all(ends);
    expect(await live.isServed('after')).toBe(true);
  });

  test('[FAULT5] a message of 100,000 fragments is ended, and so is a frame of 2 MiB, with 1009', async () => {
    const { port, token } = bridge.run;
    const many = await RawClient.open(port, token);
    await many.sayHello();
    many.send(rawFrame('x', { last: false }));
    const more = rawFrame('x', { opcode: OPCODE.more, last: false });
    for (let sent = 0; sent < 100 && !many.ended; sent += 1) {
      many.send(Buffer.concat(Array<Buffer>(1_000).fill(more)));
      await many.drained();
    }
    await many.waitUntil(() => many.code !== undefined);
    expect([1008, 1009]).toContain(many.code);
    const large = await RawClient.open(port, token);
    await large.sayHello();
    large.send(rawFrame(Buffer.alloc(2 * 1024 * 1024, 0x20)));
    await large.waitUntil(() => large.code !== undefined);
    expect(large.code).toBe(1009);
    expect(await live.isServed('after')).toBe(true);
    many.reset();
    large.reset();
  });

  test('[FAULT5] no client is let in beyond the 64th, and the place of one that goes is free again', async () => {
    const { port, token } = bridge.run;
    const others: RawClient[] = [];
    for (let at = 1; at < 64; at += 1) others.push(await RawClient.open(port, token));
    const beyond = await RawClient.open(port, token);
    expect(beyond.status).toBe(503);
    expect(await live.isServed('full')).toBe(true);
    for (const other of others) other.sendMessage({ id: 'x', type: 'ping', payload: {} });
    await Promise.all(others.map((other) => other.waitUntil(() => other.code !== undefined)));
    for (const other of others) other.reset();
    await Promise.all(others.map((other) => other.waitUntil(() => other.ended)));
    const next = await RawClient.open(port, token);
    await next.sayHello();
    expect(await next.isServed('next')).toBe(true);
    next.reset();
  });
});

import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FaultProxy } from '../../soak/link/fault-proxy';
import { faultsWithCut, NO_FAULTS, type LinkFaults } from '../../soak/link/link-faults';
import { rawFrame } from '../../soak/link/raw-frame';
import { SeededRandom } from '../../soak/seeded';

const HEAD = 'GET / HTTP/1.1\r\nHost: 127.0.0.1:1\r\nX-Host: 127.0.0.1:1\r\n\r\n';
const ANSWER = 'HTTP/1.1 101 Switching Protocols\r\n\r\n';

let bridge: Server;
let atBridge: Socket;
let heard: string;
let proxy: FaultProxy;
let client: Socket;
let told: string;

beforeEach(async () => {
  bridge = createServer((socket) => {
    atBridge = socket;
    heard = '';
    socket.on('error', () => undefined);
    socket.on('data', (data: Buffer) => (heard += data.toString('latin1')));
  });
  await new Promise<void>((resolve) => bridge.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  client.destroy();
  await proxy.close();
  await new Promise((resolve) => bridge.close(resolve));
});

/** Opens a client through the proxy, and waits for the handshake. */
async function open(faults: LinkFaults): Promise<void> {
  proxy = await FaultProxy.start(bridgePort(), () => faults);
  const accepted = once(bridge, 'connection');
  client = connect({ port: proxy.port, host: '127.0.0.1', noDelay: true });
  told = '';
  client.on('error', () => undefined);
  client.on('data', (data: Buffer) => (told += data.toString('latin1')));
  await accepted;
  client.write(HEAD);
  await until(atBridge, () => heard.endsWith('\r\n\r\n'));
  atBridge.write(ANSWER);
  await until(client, () => told.endsWith('\r\n\r\n'));
  heard = '';
  told = '';
}

function bridgePort(): number {
  return (bridge.address() as AddressInfo).port;
}

async function until(socket: Socket, holds: () => boolean): Promise<void> {
  while (!holds()) await once(socket, 'data');
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

describe('the faulty line of the tests', () => {
  test('[FAULT3] without a fault every byte passes, and of the head only the line Host is changed', async () => {
    proxy = await FaultProxy.start(bridgePort(), () => NO_FAULTS);
    const accepted = once(bridge, 'connection');
    client = connect({ port: proxy.port, host: '127.0.0.1' });
    await accepted;
    client.write(`${HEAD}rest \xff\x00`, 'latin1');
    await until(atBridge, () => heard.endsWith('\x00'));
    expect(heard).toBe(`${HEAD.replace(':1\r', `:${bridgePort()}\r`)}rest \xff\x00`);
  });

  test('[FAULT3] pieces and pauses leave the bytes and their order as they are', async () => {
    await open({ up: { split: 3, delay: 2 }, down: { split: 1 }, reset: false });
    const text = 'abcdefghijklmnopqrstuvwxyz'.repeat(20);
    client.write(text);
    atBridge.write(text);
    await Promise.all([
      until(atBridge, () => heard.length >= text.length),
      until(client, () => told.length >= text.length),
    ]);
    expect({ heard, told }).toEqual({ heard: text, told: text });
  });

  test('[FAULT3] a cut ends both ends at its byte', async () => {
    await open({ up: {}, down: { cutAt: ANSWER.length + 7 }, reset: false });
    const ends = [closed(client), closed(atBridge)];
    atBridge.write('0123456789');
    await Promise.all(ends);
    expect(told).toBe('0123456');
    expect(proxy.counts).toEqual({ connections: 1, 'cuts by end': 1 });
    expect(proxy.links).toBe(0);
  });

  test('[FAULT3] a stall lets nothing more through, and leaves the other way open', async () => {
    await open({ up: { stallAt: HEAD.length + 10 }, down: {}, reset: false });
    client.write('0123456789abcdef');
    await until(atBridge, () => proxy.counts.stalls === 1 || heard.length >= 10);
    atBridge.write('still here');
    await until(client, () => told === 'still here');
    client.write('more');
    atBridge.write('!');
    await until(client, () => told.endsWith('!'));
    expect('0123456789abcdef'.startsWith(heard)).toBe(true);
    expect(heard.length).toBeLessThan(16);
    proxy.cutAll();
    await closed(client);
  });

  test('[FAULT3] frames that are chosen come twice, whole, others once', async () => {
    const repeat = (text: string): boolean => text.includes('again');
    await open({ up: { repeat, split: 2 }, down: {}, reset: false });
    const frames = ['once', 'again 1', 'x'.repeat(300), 'again 2'].map((text) => rawFrame(text));
    client.write(Buffer.concat(frames));
    const [a, b, c, d] = frames.map((frame) => frame.toString('latin1'));
    const expected = `${a}${b}${b}${c}${d}${d}`;
    await until(atBridge, () => heard.length >= expected.length);
    expect(heard).toBe(expected);
    expect(proxy.counts['frames sent twice']).toBe(2);
  });

  test('[FAULT3] faults that are drawn cut each way, at bytes of the handshake too, and are the same for a seed', () => {
    const draw = (seed: number): LinkFaults[] => {
      const random = new SeededRandom(seed);
      return Array.from({ length: 400 }, () => faultsWithCut(random, 10_000, () => true));
    };
    const all = draw(7);
    expect(JSON.stringify(draw(7))).toBe(JSON.stringify(all));
    const count = (fits: (faults: LinkFaults) => boolean): number => all.filter(fits).length;
    expect(count(({ up }) => up.cutAt !== undefined)).toBeGreaterThan(20);
    expect(count(({ down }) => down.cutAt !== undefined)).toBeGreaterThan(200);
    expect(count(({ down }) => (down.cutAt ?? 600) < 600)).toBeGreaterThan(20);
    expect(count(({ up, down }) => (up.stallAt ?? down.stallAt) !== undefined)).toBeGreaterThan(0);
    expect(count(({ down }) => down.repeat !== undefined)).toBeGreaterThan(50);
    expect(count(({ up }) => up.split !== undefined || up.delay !== undefined)).toBeGreaterThan(50);
  });
});

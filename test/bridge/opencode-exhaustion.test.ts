import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RawClient } from '../../soak/link/raw-client';
import { OPCODE, rawFrame } from '../../soak/link/raw-frame';
import { upgradeBytes } from '../../soak/link/raw-upgrade';
import { startRun, type OpencodeRun } from './opencode-run';
import { TestClient } from './test-client';

let run: OpencodeRun;

beforeAll(async () => {
  run = await startRun();
});

afterAll(() => run.close());

/** Waits until the socket is connected; one that is already closed has been. */
async function connected(socket: Socket): Promise<void> {
  if (socket.connecting) await once(socket, 'connect').catch(() => undefined);
}

/** Resident memory of OpenCode in MiB. */
function memory(): number {
  const status = readFileSync(`/proc/${run.opencode.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
}

describe('who wears OpenCode out', () => {
  test('[FAULT5] fragments without end leave its memory flat and the others served', async () => {
    const live = await TestClient.connect(run.runFile);
    const client = await RawClient.open(run.runFile.port, run.runFile.token);
    await client.sayHello();
    const before = memory();
    client.send(rawFrame('x', { last: false }));
    const more = rawFrame('x', { opcode: OPCODE.more, last: false });
    for (let sent = 0; sent < 100 && !client.ended; sent += 1) {
      client.send(Buffer.concat(Array<Buffer>(1_000).fill(more)));
      await client.drained();
    }
    for (let at = 0; at < 20; at += 1) await served(live);
    expect(memory() - before).toBeLessThan(64);
    client.reset();
    await live.close();
  });

  test('[BRIDGE93] [FAULT5] of 3,000 handshakes that are begun and never ended 64 are open at a time; the others are served', async () => {
    const live = await TestClient.connect(run.runFile);
    const halves = new Halves(run.runFile);
    for (let batch = 0; batch < 60; batch += 1) {
      await halves.open(50);
      await served(live);
    }
    // Cut clients notice some batches later.
    expect(halves.mostOpen).toBeLessThan(64 + 5 * 50);
    const { port, token } = run.runFile;
    const silent = await RawClient.open(port, token);
    await served(live);
    await silent.waitUntil(() => silent.ended);
    // Its timeout began after theirs: OpenCode's own server would end them only after 10 s.
    expect(silent.code).toBe(4400);
    expect(halves.areOpen).toBe(0);
    await live.close();
  });
});

async function served(live: TestClient): Promise<void> {
  const id = live.send({ type: 'ping', payload: {} });
  await live.next('pong', ({ replyTo }) => replyTo === id);
}

/** Connections that begin a handshake and never finish it. */
class Halves {
  areOpen = 0;
  mostOpen = 0;
  readonly #head: Buffer;

  constructor(private readonly runFile: { readonly port: number; readonly token: string }) {
    const hosts = [`127.0.0.1:${runFile.port}`];
    const protocols = [`agent-task-boards.v1, token.${runFile.token}`];
    this.#head = upgradeBytes({ hosts, origins: [], protocols }).subarray(0, -2);
  }

  /** Resolves when `count` more are connected; every other one sends nothing at all. */
  async open(count: number): Promise<void> {
    const sockets = Array.from({ length: count }, (_, at) => {
      const socket = connect({ port: this.runFile.port, host: '127.0.0.1' });
      this.areOpen += 1;
      socket.on('error', () => undefined);
      socket.on('close', () => (this.areOpen -= 1));
      socket.resume();
      if (at % 2 === 0) socket.write(this.#head);
      return socket;
    });
    await Promise.all(sockets.map(connected));
    this.mostOpen = Math.max(this.mostOpen, this.areOpen);
  }
}

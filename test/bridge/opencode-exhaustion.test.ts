import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RawClient } from '../../soak/link/raw-client';
import { OPCODE, rawFrame } from '../../soak/link/raw-frame';
import { upgradeBytes } from '../../soak/link/raw-upgrade';
import { startRun, type Run } from './opencode-run';
import { TestClient } from './test-client';

let run: Run;

beforeAll(async () => {
  run = await startRun();
});

afterAll(() => run.close());

/** Resident memory of OpenCode, MiB. */
function memory(): number {
  const status = readFileSync(`/proc/${run.opencode.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
}

describe('who wears OpenCode out', () => {
  test('[FAULT5] fragments without end leave its memory flat and the others served', async () => {
    const live = await TestClient.connect(run.runFile);
    const client = await RawClient.open(run.runFile.port, run.runFile.token);
    await client.greet();
    const before = memory();
    client.send(rawFrame('x', { last: false }));
    const more = rawFrame('x', { opcode: OPCODE.more, last: false });
    for (let sent = 0; sent < 100 && !client.ended; sent += 1) {
      client.send(Buffer.concat(Array<Buffer>(1_000).fill(more)));
      await client.drained();
    }
    for (let at = 0; at < 20; at += 1) {
      const id = live.send({ type: 'ping', payload: {} });
      await live.next('pong', ({ replyTo }) => replyTo === id);
    }
    expect(memory() - before).toBeLessThan(64);
    client.cut();
    await live.close();
  });

  test('[FAULT5] handshakes that are begun and never ended are ended, and leave the others served', async () => {
    const live = await TestClient.connect(run.runFile);
    const { port, token } = run.runFile;
    const head = upgradeBytes({
      hosts: [`127.0.0.1:${port}`],
      origins: [],
      protocols: [`agent-task-boards.v1, token.${token}`],
    });
    const ends = Array.from({ length: 300 }, (_, at) => {
      const socket = connect({ port, host: '127.0.0.1' });
      socket.on('error', () => undefined);
      socket.resume();
      socket.write(at % 2 === 0 ? head.subarray(0, -2) : Buffer.alloc(0));
      return new Promise<void>((resolve) => socket.once('close', () => resolve()));
    });
    for (let at = 0; at < 20; at += 1) {
      const id = live.send({ type: 'ping', payload: {} });
      await live.next('pong', ({ replyTo }) => replyTo === id);
    }
    // After 10 s, by the server of OpenCode itself; it takes no deadline from us.
    await Promise.all(ends);
    await live.close();
  });
});

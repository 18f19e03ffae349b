import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  newToken,
  readHead,
  startSocketServer,
  type SocketServer,
} from '../../src/bridge/server/socket-server';
import { nodeClock as clock } from '../../src/node/node-ports';
import { tryUpgrade } from '../../soak/link/raw-upgrade';

let run: SocketServer;
let accepted = 0;

beforeEach(async () => {
  accepted = 0;
  const accept = (): void => void (accepted += 1);
  run = await startSocketServer({ token: newToken(), extraOrigin: undefined, clock, accept });
});

afterEach(() => run.close());

describe('the head of a request', () => {
  test('[BRIDGE93] a request that two readers could take differently is refused', async () => {
    const host = `Host: 127.0.0.1:${run.port}`;
    const bad = [
      `GET / HTTP/1.1\r\n${host}\r\n Origin: https://evil.example\r\n\r\n`,
      `GET / HTTP/1.1\r\n${host}\r\nOrigin : app://obsidian.md\r\n\r\n`,
      `GET / HTTP/1.1\r\n${host}\r\nOrigin: app://obsidian.md\0\r\n\r\n`,
      `GET / HTTP/1.0\r\n${host}\r\n\r\n`,
      `GET  / HTTP/1.1\r\n${host}\r\n\r\n`,
      `GET http://evil.example/ HTTP/1.1\r\n${host}\r\n\r\n`,
      `GET * HTTP/1.1\r\n${host}\r\n\r\n`,
      `GET / HTTP/1.1\r\n${host}\r\nContent-Length: 4\r\n\r\nGET `,
      `GET / HTTP/1.1\r\n${host}\r\nTRANSFER-ENCODING:chunked\r\n\r\n`,
      `\r\nGET / HTTP/1.1\r\n${host}\r\n\r\n`,
      `GET / HTTP/1.1\r\n${host}\r\nX: ${'x'.repeat(9_000)}`,
    ];
    for (const bytes of bad) {
      const end = await tryUpgrade(run.port, Buffer.from(bytes, 'latin1'));
      expect(end.status, bytes.slice(0, 80)).toBe(400);
    }
    const plain = await tryUpgrade(run.port, Buffer.from(`GET / HTTP/1.1\r\n${host}\r\n\r\n`));
    expect(plain.status).toBe(426);
    expect(accepted).toBe(0);
  });

  test('[BRIDGE93] spaces around a value are no part of it, other characters are', () => {
    const head = 'GET /a HTTP/1.1\r\nHost: \t a b\t \r\nOrigin:\r\nX:\xa0c\xa0\r\n\r\nrest';
    expect(readHead(Buffer.from(head, 'latin1'))).toMatchObject({
      head: { url: '/a', rawHeaders: ['Host', 'a b', 'Origin', '', 'X', '\xa0c\xa0'] },
      rest: Buffer.from('rest'),
    });
  });

  test('[BRIDGE93] a head of spaces is read as fast as one of letters', () => {
    const medians = ['a', ' '].map((one) => {
      const bytes = Buffer.from(`GET / HTTP/1.1\r\nX:${one.repeat(8_000)}\0\r\n\r\n`);
      const times = Array.from({ length: 21 }, () => {
        const began = performance.now();
        expect(readHead(bytes)).toEqual({ kind: 'none' });
        return performance.now() - began;
      });
      return times.sort((a, b) => a - b)[10] ?? 0;
    });
    // About 1; it was 1,000 when every space was tried as the first one.
    expect((medians[1] ?? 0) / (medians[0] ?? 0)).toBeLessThan(50);
  });
});

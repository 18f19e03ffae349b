import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { startBridge, type LocalBridge } from '../../soak/link/local-bridge';
import type { OpenTransport, TransportHandlers } from '../../src/core/ports';
import { openWebSocket } from '../../src/node/ws-transport';
import { withFallbackTransport } from '../../src/obsidian/adapter/socket-transport';
import { clientProtocols } from '../../src/protocol/handshake';
import { startContractServer } from './contract-server';
import { transportContract } from './transport-contract';

/** Like a window whose Origin the bridge refuses: it learns that the connection failed, not why. */
const fromForeignPage: OpenTransport = ({ url, protocols }, handlers) => {
  const socket = new WebSocket(url, [...protocols], { origin: 'http://example.com' });
  let opened = false;
  socket.on('open', () => {
    opened = true;
    handlers.open();
  });
  socket.on('error', () => undefined);
  socket.on('close', (code) => handlers.close({ code, reason: '', opened }));
  return { send: (text) => socket.send(text), close: () => socket.close() };
};

/** The first event of a connection. */
function ending(open: OpenTransport, target: { url: string; protocols: readonly string[] }) {
  return new Promise<string>((resolve) => {
    const handlers: TransportHandlers = {
      open: () => {
        resolve('open');
        transport.close();
      },
      message: () => undefined,
      close: ({ opened, reason }) => resolve(`closed, opened: ${opened}, ${reason}`),
    };
    const transport = open(target, handlers);
  });
}

describe('a second transport', () => {
  let bridge: LocalBridge;
  let server: Awaited<ReturnType<typeof startContractServer>>;
  beforeAll(async () => {
    bridge = await startBridge(['ses_1']);
    server = await startContractServer();
  });
  afterAll(async () => {
    await bridge.close();
    await server.stop();
  });
  const here = () => ({
    url: `ws://127.0.0.1:${bridge.run.port}/`,
    protocols: clientProtocols(bridge.run.token),
  });

  for (const { title, run } of transportContract) {
    test(`${title}, where the first does nothing but fail`, () => {
      const open = withFallbackTransport(fails([]), () => Promise.resolve(openWebSocket));
      return run({ open, url: (behaviour) => server.url(behaviour) });
    });
  }

  test('[CONN40] gets in where the bridge refuses the window, and is remembered', async () => {
    let loads = 0;
    const tried: string[] = [];
    const first: OpenTransport = (target, handlers) => {
      tried.push(target.url);
      return fromForeignPage(target, handlers);
    };
    const open = withFallbackTransport(first, async () => {
      loads++;
      return openWebSocket;
    });
    expect(await ending(fromForeignPage, here())).toBe('closed, opened: false, ');
    expect(await ending(open, here())).toBe('open');
    expect(await ending(open, here())).toBe('open');
    expect([loads, tried.length]).toEqual([1, 1]);
  });

  test('[CONN40] is not loaded where the first opens, however that ends', async () => {
    const open = withFallbackTransport(openWebSocket, () => Promise.reject(new Error('loaded')));
    expect(await ending(open, here())).toBe('open');
    const wrong = { ...here(), protocols: clientProtocols('x'.repeat(43)) };
    expect(await ending(open, wrong)).toBe('open');
  });

  test('[CONN40] fails as the first did where nobody listens, and proves nothing by it', async () => {
    const tried: string[] = [];
    const open = withFallbackTransport(fails(tried), () => Promise.resolve(openWebSocket));
    const nobody = { url: server.url('nobody'), protocols: [] };
    expect(await ending(open, nobody)).toMatch(/^closed, opened: false, .*ECONNREFUSED/);
    expect(await ending(open, nobody)).toMatch(/^closed, opened: false, /);
    expect(tried).toHaveLength(2);
  });

  test('[CONN40] that can’t be loaded leaves the failure as it was', async () => {
    const open = withFallbackTransport(fails([]), () => Promise.reject(new Error('no Node here')));
    expect(await ending(open, here())).toBe('closed, opened: false, refused Error: no Node here');
  });

  test('[CONN40] is not tried once the owner has closed', async () => {
    let release = (_: OpenTransport): void => undefined;
    const loaded = new Promise<OpenTransport>((resolve) => (release = resolve));
    let asked = (): void => undefined;
    const loading = new Promise<void>((resolve) => (asked = resolve));
    const open = withFallbackTransport(fails([]), () => {
      asked();
      return loaded;
    });
    const opened: string[] = [];
    const ended = new Promise<boolean>((resolve) => {
      const transport = open(here(), {
        open: () => opened.push('open'),
        message: () => undefined,
        close: (event) => resolve(event.opened),
      });
      void loading.then(() => {
        transport.close();
        release(openWebSocket);
      });
    });
    expect(await ended).toBe(false);
    expect(opened).toEqual([]);
  });
});

/** A transport that fails before it opens, like a native socket that the app refuses. */
function fails(tried: string[]): OpenTransport {
  return (target, handlers) => {
    tried.push(target.url);
    setImmediate(() => handlers.close({ code: 1006, reason: 'refused', opened: false }));
    return { send: () => undefined, close: () => undefined };
  };
}

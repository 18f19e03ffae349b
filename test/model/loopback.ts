import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Makes a server listen on a free port of this machine; closing it breaks all connections. */
export async function listenOnLoopback(
  server: Server,
  host = '127.0.0.1',
): Promise<{ readonly origin: string; readonly close: () => Promise<void> }> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Peer } from './linked-pair';
import { behaviours, type TransportHarness } from './transport-contract';

/** A real server for the transport contract; browsers may use its addresses too. */
export async function startContractServer(): Promise<
  Pick<TransportHarness, 'url'> & { stop(): Promise<void> }
> {
  const behave = behaviours();
  const http = createServer();
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => [...offered][0] ?? false,
  });
  http.on('upgrade', (request, socket, head) => {
    const behaviour = (request.url ?? '/').slice(1);
    if (behaviour === 'refuse') {
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (ws) => {
      const offered = request.headers['sec-websocket-protocol'] ?? '';
      behave(peerOf(ws, request.url ?? '', offered.split(/,\s*/)), behaviour);
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  const unused = await unusedPort();
  return {
    url: (behaviour) => `ws://127.0.0.1:${behaviour === 'nobody' ? unused : port}/${behaviour}`,
    stop: async () => {
      for (const ws of sockets.clients) ws.terminate();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

function peerOf(ws: WebSocket, url: string, protocols: readonly string[]): Peer {
  const peer: Peer = {
    url,
    protocols,
    send: (frame) => ws.send(frame),
    close: (code, reason) => ws.close(code, reason),
    onMessage: () => undefined,
    onClose: () => undefined,
  };
  ws.on('message', (data: Buffer) => peer.onMessage(data.toString('utf8')));
  ws.on('close', (code) => peer.onClose(code));
  ws.on('error', () => undefined); // a close follows
  return peer;
}

async function unusedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

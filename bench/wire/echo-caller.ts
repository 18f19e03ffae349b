import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import { encode } from '../../src/protocol/codec';
import { stamp } from '../../src/protocol/envelope';
import type { Caller } from './caller';
import { SAMPLE_ARGS } from './sample-call';
import { startChild } from './start-child';

/** The frame of a call, as the bridge sends it. */
function callFrame(): string {
  const payload = {
    ...{ callId: 'call_1000', tool: 'tasks', args: SAMPLE_ARGS, agent: 'build' },
    ...{ messageId: 'msg_1', originSessionId: 'ses_1', sessionTitle: 'ses_1' },
  };
  const draft = { type: 'tool.call', sessionId: 'ses_1', seq: 1000, ack: 1000, payload } as const;
  return encode(stamp(draft, 'b1000', Date.now()));
}

/** A bare `ws` server that sends the bytes of a call, and a bare client that sends them back. */
export async function echoCaller(): Promise<Caller> {
  const frame = callFrame();
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connection = once(server, 'connection') as Promise<[WebSocket]>;
  const { child } = await startChild('echo', String(port));
  const [socket] = await connection;

  /** resolvers of the calls in flight, oldest first */
  const waiting: ((text: string) => void)[] = [];
  let heard = 0;
  socket.on('message', (data: Buffer) => {
    waiting[heard]?.(data.toString());
    heard += 1;
    if (heard < waiting.length) return;
    waiting.length = 0;
    heard = 0;
  });
  return {
    call: () =>
      new Promise((resolve) => {
        waiting.push(resolve);
        socket.send(frame);
      }),
    close: async () => {
      child.disconnect();
      socket.terminate();
      server.close();
      await once(server, 'close');
    },
  };
}

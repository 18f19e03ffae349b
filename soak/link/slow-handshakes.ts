import { connect, type Socket } from 'node:net';
import { RawClient } from './raw-client';
import { upgradeBytes } from './raw-upgrade';

/** Number of unfinished handshakes at one time; above 64 the bridge ends the oldest. */
const UNFINISHED_HANDSHAKES = 60;
/** Number of pings; the median is taken. */
const PINGS = 400;

/**
 * The median latency of a client while others start handshakes and never finish them, divided by
 * its median latency without them.
 */
export async function latencyRatio(run: { port: number; token: string }): Promise<number> {
  const client = await RawClient.open(run.port, run.token);
  await client.sayHello();
  // The first answers are slower: the code is not compiled yet.
  await median(client, 'warm');
  const before = await median(client, 'before');
  const others = new SlowHandshakes(run);
  const meanwhile = await median(client, 'meanwhile', () => others.refill());
  others.close();
  client.reset();
  return meanwhile / before;
}

async function median(client: RawClient, name: string, each?: () => void): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < PINGS; at += 1) {
    each?.();
    const began = performance.now();
    await client.isServed(`${name} ${at}`);
    times.push(performance.now() - began);
  }
  return times.sort((a, b) => a - b)[PINGS / 2] ?? 0;
}

/** Keeps a number of handshakes unfinished: replaces each one that the bridge ends. */
class SlowHandshakes {
  readonly #sockets = new Set<Socket>();
  readonly #head: Buffer;

  constructor(private readonly run: { port: number; token: string }) {
    const protocols = [`agent-task-boards.v1, token.${run.token}`];
    const head = upgradeBytes({ hosts: [`127.0.0.1:${run.port}`], origins: [], protocols });
    this.#head = head.subarray(0, -2);
  }

  refill(): void {
    while (this.#sockets.size < UNFINISHED_HANDSHAKES) {
      const socket = connect({ port: this.run.port, host: '127.0.0.1' });
      socket.on('error', () => undefined);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.write(this.#head);
      this.#sockets.add(socket);
    }
  }

  close(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }
}

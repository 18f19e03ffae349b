import { connect, type Socket } from 'node:net';
import { RawClient } from './raw-client';
import { upgradeBytes } from './raw-upgrade';

/** Handshakes that are begun and not ended, at one time; of more than 64 the bridge ends the oldest. */
const SLOW = 60;
/** Pings of which the middle one counts. */
const PINGS = 400;

/**
 * How long a client waits for its answers while others begin handshakes and never end them, against
 * how long it waits without them: the ratio of the two medians.
 */
export async function latencyRatio(run: { port: number; token: string }): Promise<number> {
  const client = await RawClient.open(run.port, run.token);
  await client.greet();
  // The first answers are slower: nothing is compiled yet.
  await median(client, 'warm');
  const before = await median(client, 'before');
  const others = new SlowOthers(run);
  const meanwhile = await median(client, 'meanwhile', () => others.keepUp());
  others.close();
  client.cut();
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

/** For each that the bridge ends, another begins. */
class SlowOthers {
  readonly #sockets = new Set<Socket>();
  readonly #head: Buffer;

  constructor(private readonly run: { port: number; token: string }) {
    const protocols = [`agent-task-boards.v1, token.${run.token}`];
    const head = upgradeBytes({ hosts: [`127.0.0.1:${run.port}`], origins: [], protocols });
    this.#head = head.subarray(0, -2);
  }

  keepUp(): void {
    while (this.#sockets.size < SLOW) {
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

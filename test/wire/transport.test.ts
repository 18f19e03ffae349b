import { afterAll, beforeAll, describe, test } from 'vitest';
import { openWebSocket } from '../../src/node/ws-transport';
import { startContractServer } from './contract-server';
import { linkedPair } from './linked-pair';
import { behaviours, transportContract, type TransportHarness } from './transport-contract';

describe('transport over a linked pair', () => {
  const behave = behaviours();
  const open = linkedPair(
    (peer) => !peer.url.endsWith('nobody') && behave(peer, peer.url.split('/').pop() ?? ''),
  );
  const harness: TransportHarness = { open, url: (behaviour) => `ws://linked/${behaviour}` };
  for (const { title, run } of transportContract) test(title, () => run(harness));
});

describe('transport over ws', () => {
  const open = openWebSocket;
  let server: Awaited<ReturnType<typeof startContractServer>>;
  beforeAll(async () => {
    server = await startContractServer();
  });
  afterAll(() => server.stop());
  for (const { title, run } of transportContract) {
    test(title, () => run({ open, url: (behaviour) => server.url(behaviour) }));
  }

  test('[CONN34] an address that is none closes once, as not opened', async () => {
    const happened: unknown[] = [];
    await new Promise<void>((resolve) => {
      open(
        { url: 'no address', protocols: [] },
        {
          open: () => happened.push('open'),
          message: (text) => happened.push(text),
          close: ({ opened }) => {
            happened.push(opened);
            resolve();
          },
        },
      );
      happened.push('returned');
    });
    if (happened.join() !== 'returned,false') throw new Error(happened.join());
  });
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBridge, type LocalBridge } from '../../soak/link/local-bridge';
import {
  cellBytes,
  FOREIGN_ORIGINS,
  handshakeMatrix,
  helloFrame,
  type MatrixCell,
} from '../../soak/link/handshake-matrix';
import { tryUpgrade, type UpgradeOutcome } from '../../soak/link/raw-upgrade';

let bridge: LocalBridge;
let oldToken: string;

beforeAll(async () => {
  const before = await startBridge([]);
  oldToken = before.run.token;
  await before.close();
  bridge = await startBridge(['ses_1']);
});

afterAll(() => bridge.close());

test('[FAULT1] of every Origin with every token and every Host only the right three get in; no frame of another reaches a handler', async () => {
  const { port, token } = bridge.run;
  const cells = handshakeMatrix({ port, token, oldToken });
  expect(new Set(FOREIGN_ORIGINS).size).toBe(20);
  const shut = cells.filter(({ verdict }) => verdict !== 'in');
  const open = cells.filter(({ verdict }) => verdict === 'in');
  expect(shut.length).toBeGreaterThan(5_000);
  expect(open).toHaveLength(6);
  const asked = bridge.opencode.requestCount;
  const lane = async (): Promise<void> => {
    for (let cell = shut.pop(); cell !== undefined; cell = shut.pop()) {
      const forbidden = { status: 403, code: undefined, answered: false };
      const refused = { status: 101, code: 4401, answered: false };
      expect(await outcome(cell), cell.name).toEqual(
        cell.verdict === 'forbidden' ? forbidden : refused,
      );
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
  expect(bridge.opencode.requestCount).toBe(asked);
  for (const cell of open) expect(await outcome(cell), cell.name).toMatchObject({ answered: true });
  expect(bridge.opencode.requestCount).toBeGreaterThan(asked);
});

async function outcome(cell: MatrixCell): Promise<UpgradeOutcome> {
  const { port } = bridge.run;
  const { status, code, answered } = await tryUpgrade(port, cellBytes(cell), [helloFrame()]);
  return { status, code, answered };
}

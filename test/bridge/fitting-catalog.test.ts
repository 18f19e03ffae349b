import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { fittingCatalog } from '../../src/bridge/server/fitting-catalog';
import { decodeFromBridge, encode } from '../../src/protocol/codec';
import type { FromBridgeOf } from '../../src/protocol/from-bridge';
import { parseRunFile, RUN_FOLDER } from '../../src/protocol/run-file';
import { openBareBridge } from './bare-bridge';
import { TestClient } from './test-client';

type Catalog = FromBridgeOf<'catalog'>['payload'];

/** The catalog as a client receives it. */
function received(payload: Catalog): Catalog {
  const frame = encode({ v: 1, id: 'a', ts: 1, type: 'catalog', payload });
  const decoded = decodeFromBridge(frame);
  if (!decoded.ok || decoded.message.type !== 'catalog') throw new Error('No catalog.');
  return decoded.message.payload;
}

const listed = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, i) => ({ id: `p/m${i}`, name: `m${i}`, ...more }));

test('[BRIDGE101] a catalog that fits is told as it is', () => {
  const description = 'd'.repeat(2_000);
  const catalog = { agents: [{ name: 'build', description }], models: listed(4_096), model: 'p/m' };
  expect(fittingCatalog(catalog)).toEqual({ payload: catalog, leftOut: undefined });
});

test('[BRIDGE101] of one that is too long, a client gets what fits, and hears what does not', () => {
  const long = { description: 'd'.repeat(4_000) };
  const agents = Array.from({ length: 2_000 }, (_, i) => ({ name: `a${i}`, ...long }));
  const commands = [{ name: 'c'.repeat(2_000) }, { name: 'plan', ...long }];
  const models = [{ id: `p/${'x'.repeat(2_000)}` }, ...listed(5_000, { provider: 'ü' })];
  const { payload, leftOut } = fittingCatalog({ agents, models, commands, model: 'p/m1' });
  const got = received(payload);
  expect(got.agents.length).toBeGreaterThan(500);
  expect(got.agents[0]).toEqual({ name: 'a0', description: 'd'.repeat(300) });
  expect(got.models).toHaveLength(4_096);
  expect(got.models[0]).toEqual({ id: 'p/m0', name: 'm0', provider: 'ü' });
  expect(got.commands).toEqual([{ name: 'plan', description: 'd'.repeat(300) }]);
  expect(got.model).toBe('p/m1');
  expect(leftOut).toBe(
    `${2_000 - got.agents.length} of 2000 agents, 1 of 2 commands, 905 of 5001 models`,
  );
});

test('[BRIDGE101] two thousand models with names as long as can be are cut to what fits', () => {
  const models = listed(2_000, { provider: 'ü'.repeat(1_024) });
  const { payload, leftOut } = fittingCatalog({ agents: [], models });
  const got = received(payload);
  expect(got.models.length).toBeGreaterThan(400);
  expect(leftOut).toBe(`${2_000 - got.models.length} of 2000 models`);
});

test('[BRIDGE101] a client of the bridge gets what fits, and the log has what does not', async () => {
  const vault = mkdtempSync(join(tmpdir(), 'atb-catalog-'));
  const told: unknown[] = [];
  const bridge = await openBareBridge(vault, {
    able: { catalog: async () => ({ agents: [], models: listed(5_000) }) },
    log: { note: (what, about) => void told.push([what, about.why]) },
  });
  try {
    const file = join(vault, RUN_FOLDER, `${process.pid}.json`);
    const run = parseRunFile(readFileSync(file, 'utf8'));
    if (run === undefined) throw new Error('There is no run file.');
    const client = await TestClient.connect(run);
    const asked = client.send({ type: 'catalog.get', payload: {} });
    const { payload } = await client.next('catalog', ({ replyTo }) => replyTo === asked);
    expect(payload.models).toHaveLength(4_096);
    expect(told).toEqual([
      ['There are more agents and models than can be listed.', 'Left out: 904 of 5000 models.'],
    ]);
    await client.close();
  } finally {
    bridge.close();
    rmSync(vault, { recursive: true, force: true });
  }
});

import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { Bridges } from '../../src/core/session/bridges';
import { Discovery } from '../../src/core/session/discovery';
import { SessionEventBus } from '../../src/core/session/session-event-bus';
import { Sessions } from '../../src/core/session/sessions';
import { hiddenTwins } from '../../src/core/session/twins';
import { DiskStore } from '../../src/node/disk-store';
import { mayBeAlive } from '../../src/node/may-be-alive';
import { nodeClock as clock, nodeIds as ids } from '../../src/node/node-ports';
import { openWebSocket } from '../../src/node/ws-transport';
import { isolatedEnvironment } from '../../workbench/demo/opencode-environment';
import { startModel } from '../bridge/model';
import { opencodeBinary, startRun, type OpencodeRun } from '../bridge/opencode-run';
import { HANG_MS, TestClient } from '../bridge/test-client';
import { serveOn, startServing } from './served-model';

const undos: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const undo of undos.splice(0).reverse()) await undo();
});

/** Serves `opencode acp` for the vault of an OpenCode with our bridge, on the same sessions. */
async function serveBeside({ vault, model }: OpencodeRun) {
  const base = dirname(vault);
  const env = isolatedEnvironment({ home: join(base, 'home'), modelUrl: model.url });
  const served = await startServing(base, ['--engine', 'acp', '--', opencodeBinary(), 'acp'], env);
  undos.push(async () => {
    await served.end('SIGTERM');
    served.reaper.close();
  });
  return served;
}

/** The sessions of all bridges of a vault, merged as in Obsidian. */
function joined(vault: string): Sessions {
  const bus = new SessionEventBus();
  const discovery = new Discovery(
    new DiskStore(vault),
    () => ({ address: '', token: '' }),
    mayBeAlive,
  );
  const bridges = new Bridges({
    ...{ clock, ids, bus, open: openWebSocket, log: { note: () => undefined } },
    discover: () => discovery.all(),
    hello: () => ({ client: 'test', version: '1', vault: 'v', capabilities: [] }),
  });
  const sessions = new Sessions(bus, bridges);
  bridges.connect();
  undos.push(() => {
    bridges.close();
    sessions.close();
  });
  return sessions;
}

test('[TWIN1] [ACP18] sessions of one OpenCode, with our bridge and over ACP, are shown once each', async () => {
  const run = await startRun();
  undos.push(() => run.close());
  const inside = await TestClient.connect(run.runFile);
  const begun = await inside.start('Begun inside');
  await inside.prompt(begun, 'words');
  await inside.close();
  const served = await serveBeside(run);
  const over = await TestClient.connect(served.runFile);
  const own = await over.start('Begun over ACP');
  await over.prompt(own, 'other words');
  const told = over
    .ofType('progress.update')
    .flatMap(({ sessionId, payload }) =>
      sessionId === own && payload.kind === 'title' ? (payload.twin ?? []) : [],
    );
  expect(told).toMatchObject([{ opened: true }]);

  const sessions = joined(run.vault);
  const all = () => sessions.all().map(({ id }) => id);
  const shown = () => {
    const hidden = hiddenTwins(sessions.all());
    return all().filter((id) => !hidden.has(id));
  };
  const twin = told[0]?.id ?? '';
  await expect.poll(all, { timeout: HANG_MS }).toEqual(expect.arrayContaining([begun, own, twin]));
  const elsewhere = () => sessions.all().find((one) => one.twin?.id === begun);
  await expect.poll(elsewhere, { timeout: HANG_MS }).toMatchObject({ twin: { opened: false } });
  expect(shown()).toEqual(expect.arrayContaining([begun, own]));
  expect(shown()).not.toContain(twin);
  expect(shown()).not.toContain(elsewhere()?.id);
  // A session opened over ACP stays there.
  const id = elsewhere()?.id ?? '';
  over.send({ type: 'session.attach', sessionId: id, payload: {} });
  await over.prompt(id, 'and on');
  await expect.poll(shown, { timeout: HANG_MS }).toContain(id);
  expect(shown()).not.toContain(begun);
  await over.close();
});

test('[TWIN1] [ACP18] sessions of one command that is served under two names are shown once each, those of another command beside them', async () => {
  const agent = join(import.meta.dirname, 'listing-agent.mjs');
  const args = (name: string, ...more: string[]) => [
    ...['--engine', 'acp', '--name', name, '--', process.execPath, agent, ...more],
  ];
  const facts = { v: 1, id: 'ses_own', title: 'Own', created: 1, agentSession: 'dig' };
  const one = await serveOn(await startModel(), {
    files: { '.opencode/agent-task-boards/acp-sessions/one/ses_own.json': JSON.stringify(facts) },
    engine: () => ({ args: args('One'), env: {} }),
  });
  undos.push(() => one.close());
  // Another command gives its own sessions the same ids.
  for (const more of [args('Two'), args('Three', 'other')]) {
    const { end, reaper } = await startServing(dirname(one.vault), more);
    undos.push(() => end('SIGTERM').then(() => reaper.close()));
  }
  const sessions = joined(one.vault);
  const titles = () => sessions.all().map(({ title }) => title);
  const all = ['Own', 'Dig', 'Dig', 'Build', 'Build', 'Late', 'Late'].sort();
  await expect.poll(() => titles().sort(), { timeout: HANG_MS }).toEqual(all);
  expect([...hiddenTwins(sessions.all()).values()]).toEqual(['ses_own']);
});

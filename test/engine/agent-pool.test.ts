import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AgentPool, type HostedSession } from '../../src/acp/agent-pool';
import { nodeClock } from '../../src/node/node-ports';

const AGENT = join(import.meta.dirname, 'bad-agent.mjs');

let pool: AgentPool;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'atb-pool-'));
  pool = poolOf(8, ['keeps-sessions']);
});

afterEach(async () => {
  await pool.close();
  rmSync(folder, { recursive: true, force: true });
});

function poolOf(most: number, args: readonly string[], file = process.execPath): AgentPool {
  const services = {
    ...{ command: process.execPath, args, folder, env: process.env, maxProcesses: most },
    started: { file, args: [AGENT, ...args], verbatim: false },
    ...{
      clock: nodeClock,
      log: { note: () => undefined },
      offers: () => undefined,
      redact: (text: string) => text,
    },
  };
  return new AgentPool(services, '1');
}

const take = (id: string, wanted: Partial<HostedSession> = {}) =>
  pool.acquire({ id, agentSession: 'one', servers: [], ...wanted });

test('[ACP7] two sessions that look for a process at the same time get one each, the one that it holds its own', async () => {
  const first = await take('a');
  first.release();
  const [a, b] = await Promise.all([take('a'), take('b')]);
  expect(a.agent).toBe(first.agent);
  expect(b.agent).not.toBe(first.agent);
  expect([a.agent.sessionId, b.agent.sessionId]).toEqual(['one', 'one']);
});

test('[ACP7] a session does not wait for the process that was given to another one', async () => {
  const first = await take('a');
  first.release();
  const [b, a] = await Promise.all([take('b'), take('a')]);
  expect(b.agent).toBe(first.agent);
  expect(a.agent).not.toBe(b.agent);
});

test('[ACP7] a process that is being ended is given to nobody', async () => {
  pool = poolOf(1, ['keeps-sessions', 'stays']);
  const first = await take('a');
  first.agent.kill();
  first.release();
  const again = await take('a');
  expect(again.agent).not.toBe(first.agent);
});

test('[ACP15] who finds every process at work waits in line, and is told so; one that is stopped leaves the line', async () => {
  pool = poolOf(2, ['keeps-sessions']);
  const [a, b] = await Promise.all([take('a'), take('b')]);
  const order: string[] = [];
  const queued: string[] = [];
  const stop = new AbortController();
  const later = ['c', 'd', 'e'].map(async (id) => {
    const wanted = { queued: () => queued.push(id), ...(id === 'd' && { stop: stop.signal }) };
    const hosted = await take(id, wanted);
    order.push(id);
    return hosted;
  });
  const stopped = expect(later[1]).rejects.toThrow('enough');
  await setImmediate();
  expect([queued, order]).toEqual([['c', 'd', 'e'], []]);
  stop.abort(new Error('enough'));
  await stopped;
  b.release();
  expect((await later[0])?.agent).toBe(b.agent);
  expect(order).toEqual(['c']);
  a.release();
  expect((await later[2])?.agent).toBe(a.agent);
  expect(order).toEqual(['c', 'e']);
});

test('[ACP15] where the agent keeps no sessions, a process that rests makes room', async () => {
  pool = poolOf(2, []);
  const [a, b] = await Promise.all([take('a'), take('b')]);
  a.release();
  const c = await take('c');
  expect([a.agent.isEnding, b.agent.isEnding, c.agent.isEnding]).toEqual([true, false, false]);
  expect([b.isNew, c.isNew]).toEqual([true, true]);
});

test('[ACP15] those that wait are refused when all ends', async () => {
  pool = poolOf(1, []);
  await take('a');
  const waits = expect(take('b')).rejects.toThrow('The program is ending.');
  await setImmediate();
  await pool.close();
  await waits;
});

test('[ACP20] a program that the system refuses at once is no fault of ours, and is tried again', async () => {
  pool = poolOf(1, [], join(AGENT, 'agent'));
  const why = expect.stringMatching(/^The agent could not be started: .*ENOTDIR/) as string;
  for (const id of ['a', 'b']) {
    await expect(take(id)).rejects.toMatchObject({ code: 'agent_ended', message: why });
  }
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AgentPool } from '../../src/acp/agent-pool';
import { nodeClock } from '../../src/node/node-ports';

const AGENT = join(import.meta.dirname, 'bad-agent.mjs');

let pool: AgentPool;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'atb-pool-'));
  const command = {
    ...{ command: process.execPath, args: [AGENT, 'keeps-sessions'], folder, env: process.env },
    ...{
      clock: nodeClock,
      log: { note: () => undefined },
      offers: () => undefined,
      redact: (text: string) => text,
    },
  };
  pool = new AgentPool(command, '1');
});

afterEach(async () => {
  await pool.close();
  rmSync(folder, { recursive: true, force: true });
});

const take = (id: string) => pool.take({ id, agentSession: 'one', servers: [] });

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

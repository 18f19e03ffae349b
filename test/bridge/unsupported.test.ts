import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { engineFeatures, type Engine } from '../../src/core/engine/engine';
import type { Draft } from '../../src/protocol/envelope';
import { FEATURES } from '../../src/protocol/handshake';
import { parseRunFile, RUN_FOLDER } from '../../src/protocol/run-file';
import type { ToBridge } from '../../src/protocol/to-bridge';
import { openBareBridge, type BareBridge } from './bare-bridge';
import { TestClient } from './test-client';

let vault: string;
let bridge: BareBridge;

beforeEach(async () => {
  vault = mkdtempSync(join(tmpdir(), 'atb-bare-'));
  bridge = await openBareBridge(vault);
});

afterEach(() => {
  bridge.close();
  rmSync(vault, { recursive: true, force: true });
});

function runFile() {
  const folder = join(vault, RUN_FOLDER);
  const [name = ''] = readdirSync(folder).filter((one) => one.endsWith('.json'));
  const run = parseRunFile(readFileSync(join(folder, name), 'utf8'));
  if (run === undefined) throw new Error('no run file');
  return run;
}

describe('an engine that can do nothing', () => {
  const sessionId = 'mcp-1';
  const answered = { requestId: 'r', reply: 'once' as const };

  test('[BRIDGE97] its run file and its welcome name it, no feature and no OpenCode', async () => {
    const engine = { name: 'mcp', version: '0.1.0' };
    const run = runFile();
    expect(run.engine).toEqual(engine);
    expect(run).not.toHaveProperty('opencode');
    const client = await TestClient.connect(run);
    const [{ payload: welcome } = { payload: undefined }] = client.ofType('welcome');
    expect(welcome).toMatchObject({ engine, features: [] });
    expect(welcome).not.toHaveProperty('opencode');
    await client.close();
  });

  const requests: [string, Draft<ToBridge>][] = [
    ['start', { type: 'session.start', payload: { requestId: 'r' } }],
    ['prompt', { type: 'session.message', sessionId, payload: { text: 'Go' } }],
    ['prompt', { type: 'session.message', sessionId, payload: { text: 'Go', key: 'k' } }],
    ['interrupt', { type: 'session.interrupt', sessionId, payload: {} }],
    ['compact', { type: 'session.compact', sessionId, payload: {} }],
    ['rename', { type: 'session.update', sessionId, payload: { title: 'New' } }],
    ['remove', { type: 'session.delete', sessionId, payload: {} }],
    ['permissions', { type: 'permission.response', sessionId, payload: answered }],
    [
      'questions',
      { type: 'question.response', sessionId, payload: { requestId: 'r', answers: [['A']] } },
    ],
    ['catalog', { type: 'catalog.get', payload: {} }],
  ];

  test.each(requests)(
    '[BRIDGE97] answers what needs %s with unsupported and its name',
    async (what, draft) => {
      const client = await TestClient.connect(runFile());
      const id = client.send(draft);
      const { payload } = await client.next('error', ({ replyTo }) => replyTo === id);
      expect(payload).toEqual({
        code: 'unsupported',
        message: `The engine “mcp” of this bridge can’t do “${what}”.`,
        retryable: false,
      });
      await client.close();
    },
  );

  test('[BRIDGE97] lists, attaches, tells, pages and looks as any other', async () => {
    const client = await TestClient.connect(runFile());
    expect(client.ofType('welcome')[0]?.payload.sessions).toEqual([
      { id: sessionId, title: 'From outside', agent: 'claude-code', status: 'idle' },
    ]);
    client.send({ type: 'session.attach', sessionId, payload: {} });
    await client.next('progress.update', ({ payload }) => payload.kind === 'idle');
    bridge.publish({ type: 'progress.update', sessionId, payload: { kind: 'title', title: 'T' } });
    await client.next('progress.update', ({ payload }) => payload.kind === 'title');
    client.send({ type: 'session.history', sessionId, payload: { limit: 5 } });
    expect((await client.next('snapshot')).payload.more).toBe(false);
    client.send({ type: 'session.look', sessionId, payload: {} });
    expect((await client.next('session.stands')).payload).toEqual({ status: 'idle' });
    client.send({ type: 'session.look', sessionId: 'mcp-2', payload: {} });
    expect((await client.next('error')).payload.code).toBe('unknown_session');
    await client.close();
  });
});

test('[BRIDGE97] [CTX27] the features of an engine are the methods it has, and keys where both take one', () => {
  const start: NonNullable<Engine['start']> = async () => undefined;
  const prompt: NonNullable<Engine['prompt']> = async () => undefined;
  const one = async (): Promise<void> => undefined;
  expect(engineFeatures({})).toEqual([]);
  expect(engineFeatures({ start })).toEqual(['start']);
  expect(engineFeatures({ prompt, compact: one })).toEqual(['prompt', 'compact']);
  expect(engineFeatures({ start, prompt })).toEqual(['keys', 'tasks', 'start', 'prompt']);
  const catalog: Engine['catalog'] = async () => ({ agents: [], models: [] });
  expect(
    engineFeatures({
      ...{ start, prompt, interrupt: one, compact: one, rename: one, remove: one },
      ...{ answerPermission: one, answerQuestion: one, catalog, sendsNotes: true },
    }),
  ).toEqual(FEATURES);
});

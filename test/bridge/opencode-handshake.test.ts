import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PRODUCT_VERSION } from '../../src/core/version';
import {
  cellBytes,
  handshakeMatrix,
  helloFrame,
  unknownToken,
} from '../../soak/link/handshake-matrix';
import { tryUpgrade } from '../../soak/link/raw-upgrade';
import { stepSize } from '../in-full';
import { startRun, type OpencodeRun } from './opencode-run';
import { TestClient } from './test-client';

let run: OpencodeRun;

beforeAll(async () => {
  run = await startRun({
    env: { AGENT_TASK_BOARDS_ORIGIN: 'http://127.0.0.1:5000' },
    config: { permission: { bash: 'ask' } },
  });
});

afterAll(() => run.close());

describe('the handshake inside OpenCode', () => {
  test('[BRIDGE10] a foreign origin or host gets 403 with any token', async () => {
    const { port, token } = run.runFile;
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:5001']) {
      for (const offered of [token, 'wrong']) {
        const client = await TestClient.open(port, offered, { origin });
        expect(await client.ended).toMatchObject({ status: 403 });
      }
    }
    const rebound = await TestClient.open(port, token, {
      headers: { host: `evil.example:${port}` },
    });
    expect(await rebound.ended).toMatchObject({ status: 403 });
  });

  test('[BRIDGE11] a wrong token is closed with 4401, also where a frame was sent at once', async () => {
    const { port, token } = run.runFile;
    for (const protocols of [
      ['agent-task-boards.v1', `token.${token}A`],
      ['agent-task-boards.v1'],
    ]) {
      const client = await TestClient.open(port, '', { protocols });
      client.socket.send(
        JSON.stringify({ v: 1, id: '1', ts: 1, type: 'ping', payload: {} }),
        () => undefined,
      );
      expect(await client.ended).toMatchObject({ code: 4401 });
      expect(client.received).toEqual([]);
    }
  });

  test('[BRIDGE11] Obsidian, Node and the one more origin get a welcome', async () => {
    const { port, token } = run.runFile;
    for (const origin of ['app://obsidian.md', 'http://127.0.0.1:5000', undefined]) {
      const client = await TestClient.open(port, token, origin === undefined ? {} : { origin });
      const payload = { client: 'test', version: '1', vault: 'v', capabilities: [] };
      client.send({ type: 'hello', payload });
      const welcome = await client.next('welcome');
      expect(welcome.payload).toMatchObject({
        opencode: '1.18.33',
        bridge: PRODUCT_VERSION,
        directory: run.vault,
      });
      await client.close();
    }
  });

  test('[FAULT1] of every Origin with every token and every Host only the right ones get in', async () => {
    const { port, token } = run.runFile;
    const cells = handshakeMatrix({ port, token, oldToken: unknownToken() });
    const all = cells.filter(({ verdict }) => verdict !== 'in');
    expect(all.length).toBeGreaterThan(5_000);
    // The bridge alone is tested with every one in test/wire.
    const shut = all.filter((_, at) => at % stepSize(7) === 0);
    const lane = async (): Promise<void> => {
      for (let cell = shut.pop(); cell !== undefined; cell = shut.pop()) {
        const { status, code, answered } = await tryUpgrade(port, cellBytes(cell), [helloFrame()]);
        expect(answered, cell.name).toBe(false);
        if (cell.verdict === 'token')
          expect({ status, code }, cell.name).toEqual({ status: 101, code: 4401 });
        else expect([400, 403], cell.name).toContain(status);
      }
    };
    await Promise.all(Array.from({ length: 8 }, lane));
    for (const cell of cells.filter(({ verdict }) => verdict === 'in')) {
      const end = await tryUpgrade(port, cellBytes(cell), [helloFrame()]);
      expect(end, cell.name).toMatchObject({ status: 101, answered: true });
    }
  });

  test('[BRIDGE13] without a hello first, after 3 seconds or with another frame, it is closed', async () => {
    const { port, token } = run.runFile;
    const silent = await TestClient.open(port, token);
    const early = await TestClient.open(port, token);
    early.send({ type: 'ping', payload: {} });
    expect(await early.ended).toMatchObject({ code: 4400 });
    expect(await silent.ended).toMatchObject({ code: 4400 });
  });

  test('[BRIDGE13] 2 MiB close with 1009, and others are not affected', async () => {
    const other = await TestClient.connect(run.runFile);
    for (let round = 0; round < 5; round++) {
      const client = await TestClient.connect(run.runFile);
      client.socket.send('x'.repeat(2 * 1024 * 1024));
      expect(await client.ended).toMatchObject({ code: 1009 });
    }
    const id = other.send({ type: 'ping', payload: {} });
    expect((await other.next('pong')).replyTo).toBe(id);
    await other.close();
  });

  test('[BRIDGE14] [LINK26] 50 sessions stream 245 KB each at once: who reads nothing is closed, who reads gets all of it', async () => {
    const stuck = await TestClient.connect(run.runFile);
    const reader = await TestClient.connect(run.runFile, []);
    const sessions = await Promise.all(
      Array.from({ length: 50 }, (_, n) => reader.start(`Much to read ${n}`)),
    );
    for (const sessionId of sessions) {
      stuck.send({ type: 'session.attach', sessionId, payload: {} });
    }
    const id = stuck.send({ type: 'session.list', payload: {} });
    await stuck.next('welcome', ({ replyTo }) => replyTo === id);
    stuck.socket.pause();
    const text = `${'x'.repeat(2_449)} `.repeat(100);
    for (const sessionId of sessions) run.model.play(sessionId, { text });
    const ends = await Promise.all(sessions.map((sessionId) => reader.prompt(sessionId, 'go')));
    expect(ends.filter(({ payload }) => payload.reason !== 'completed')).toEqual([]);
    for (const sessionId of sessions) {
      const told = reader
        .ofType('message.final')
        .filter((one) => one.sessionId === sessionId && one.payload.role === 'assistant');
      expect(told.map(({ payload }) => payload.text.length)).toEqual([text.length]);
    }
    // A sender learns of a cut connection only by sending.
    await expect
      .poll(() => {
        if (stuck.socket.readyState === 1) stuck.socket.ping();
        return stuck.socket.readyState;
      })
      .not.toBe(1);
    stuck.socket.resume();
    expect([1013, 1006]).toContain((await stuck.ended).code);
    expect(stuck.ofType('turn.end').length).toBeLessThan(50);
    expect(reader.socket.readyState).toBe(1);
    await reader.close();
  });

  test('[BRIDGE15] bad frames get an error that says what was wrong, and nothing more', async () => {
    const client = await TestClient.connect(run.runFile);
    client.socket.send('{');
    client.socket.send(JSON.stringify({ v: 1, id: 'q1', ts: 1, type: 'no.such', payload: {} }));
    client.socket.send(
      JSON.stringify({ v: 1, id: 'q2', ts: 1, type: 'session.message', payload: {} }),
    );
    client.send({ type: 'session.message', sessionId: 'ses_nobody', payload: { text: 'hi' } });
    client.send({ type: 'session.interrupt', sessionId: '../../x', payload: {} });
    client.send({ type: 'session.attach', sessionId: 'ses_nobody', payload: {} });
    client.send({ type: 'session.attach', sessionId: '__proto__', payload: {} });
    client.send({
      type: 'hello',
      payload: { client: 'x', version: '1', vault: 'v', capabilities: [] },
    });
    await client.next('error', () => client.ofType('error').length === 8);
    const codes = client.ofType('error').map(({ payload }) => payload.code);
    expect(codes.sort()).toEqual(
      [
        'bad_json',
        'bad_message',
        'duplicate',
        'unknown_session',
        'unknown_session',
        'unknown_session',
        'unknown_session',
        'unknown_type',
      ].sort(),
    );
    await client.close();
  });

  test('[BRIDGE92] only who said that they show requests, proved the folder and is attached may answer; a refused answer leaves the request open', async () => {
    const client = await TestClient.connect(run.runFile);
    const sessionId = await client.start('Who may answer');
    const proof = join(run.vault, 'it-ran');
    const bash = { name: 'bash', args: { command: `echo ran > ${proof}`, description: 'Says so' } };
    const options = [{ label: 'A', description: 'a' }];
    const args = { questions: [{ question: 'Which?', header: 'H', options }] };
    run.model.play(sessionId, { tools: [bash] }, { tools: [{ name: 'question', args }] }, {});
    const end = client.prompt(sessionId, 'go');
    const { requestId } = (await client.next('permission.request')).payload;
    const { folder: _, ...blind } = run.runFile;
    const others = [
      { from: run.runFile, said: ['tools', 'questions'], attached: true },
      { from: run.runFile, said: [], attached: true },
      { from: run.runFile, said: ['permissions'], attached: false },
      { from: blind, said: ['permissions', 'questions'], attached: true },
      { from: { ...blind, folder: 'guessed' }, said: ['permissions'], attached: true },
    ];
    const stranger = async ({ from, said, attached }: (typeof others)[number]) => {
      const other = await TestClient.connect(from, said);
      if (attached) other.send({ type: 'session.attach', sessionId, payload: {} });
      return other;
    };
    for (const one of others) {
      const other = await stranger(one);
      const payload = { requestId, reply: 'once' } as const;
      const id = other.send({ type: 'permission.response', sessionId, payload });
      const refused = await other.next('error', ({ replyTo }) => replyTo === id);
      expect(refused.payload, one.said.join()).toMatchObject({ code: 'unauthorized' });
      await other.close();
    }
    expect(client.ofType('permission.resolved')).toEqual([]);
    expect(existsSync(proof)).toBe(false);
    const payload = { requestId, reply: 'once' } as const;
    client.send({ type: 'permission.response', sessionId, payload });
    const asked = await client.next('question.request');
    expect(existsSync(proof)).toBe(true);
    const answer = { requestId: asked.payload.requestId, answers: [['A']] };
    const other = await TestClient.connect(run.runFile, ['tools', 'permissions']);
    other.send({ type: 'session.attach', sessionId, payload: {} });
    other.send({ type: 'question.response', sessionId, payload: answer });
    expect((await other.next('error')).payload.code).toBe('unauthorized');
    expect(client.ofType('question.resolved')).toEqual([]);
    client.send({ type: 'question.response', sessionId, payload: answer });
    expect((await end).payload.reason).toBe('completed');
    await Promise.all([client.close(), other.close()]);
  });
});

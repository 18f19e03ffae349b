import { OPERATION_TYPES } from '../../src/core/board/tasks-schema';
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startRun, type Run } from './opencode-run';
import {
  answering,
  boardFile,
  LIST,
  newest,
  PLAN,
  promptByHttp,
  requestsOf,
  sessionByHttp,
  tasksCall,
} from './opencode-steps';
import { TestClient } from './test-client';

let run: Run;

beforeAll(async () => {
  run = await startRun();
});

afterAll(() => run.close());

describe('the tool', () => {
  test('[BRIDGE40] the model sees its arguments as a JSON schema', async () => {
    const sessionId = await sessionByHttp(run, 'Schema');
    await promptByHttp(run, sessionId, 'go');
    const tool = requestsOf(run, sessionId)[0]?.tools.find(({ name }) => name === 'tasks');
    expect(tool?.parameters).toMatchObject({
      type: 'object',
      required: ['operations'],
      properties: {
        operations: {
          type: 'array',
          minItems: 1,
          maxItems: 50,
          items: {
            type: 'object',
            required: ['type'],
            properties: {
              type: {
                enum: [...OPERATION_TYPES],
              },
            },
          },
        },
      },
    });
  });

  test('[BRIDGE41] with no client it runs headless, on the note on disk', async () => {
    const sessionId = await sessionByHttp(run, 'Headless');
    run.model.play(sessionId, tasksCall(PLAN), { text: 'planned' });
    await promptByHttp(run, sessionId, 'plan');
    expect(readFileSync(boardFile(run, sessionId), 'utf8')).toMatch(/- \[ \] Second .*⛔/);
    const stored = JSON.stringify(await run.api('GET', `/session/${sessionId}/message`));
    expect(stored).toContain('"via":"headless"');
    expect(newest(requestsOf(run, sessionId)[1], 'tool')).toContain('Second');
  });

  test('[BRIDGE41] a refused call is an error with words for the model, and the turn goes on', async () => {
    const sessionId = await sessionByHttp(run, 'Refused call');
    run.model.play(sessionId, tasksCall({ operations: 'all' }), tasksCall({}), { text: 'sorry' });
    await promptByHttp(run, sessionId, 'plan');
    expect(newest(requestsOf(run, sessionId)[1], 'tool')).toContain('Nothing was done');
    expect(requestsOf(run, sessionId)).toHaveLength(3);
  });

  test('[BRIDGE42] an attached client that offers tools gets the call; its answer is the answer', async () => {
    const client = await TestClient.connect(run.runFile);
    answering(client, 'from the vault');
    const sessionId = await client.start('Over the socket');
    run.model.play(sessionId, tasksCall(PLAN), { text: 'planned' });
    expect((await client.prompt(sessionId, 'plan')).payload.reason).toBe('completed');
    const [call] = client.of('tool.call');
    expect(call?.payload).toMatchObject({
      tool: 'tasks',
      args: PLAN,
      agent: 'build',
      originSessionId: sessionId,
      sessionTitle: 'Over the socket',
    });
    const done = await client.next('tool.update', ({ payload }) => payload.status === 'completed');
    expect(done.payload.callId).toBe(call?.payload.callId);
    expect(newest(requestsOf(run, sessionId)[1], 'tool')).toContain('from the vault');
    const stored = JSON.stringify(await run.api('GET', `/session/${sessionId}/message`));
    expect(stored).toContain('"via":"websocket"');
    expect(existsSync(boardFile(run, sessionId))).toBe(false);
    await client.close();
  });

  test('[BRIDGE42] the newest client that offers tools gets it; a wrong folder or no offer gets none', async () => {
    const { port, token } = run.runFile;
    const starter = await TestClient.connect(run.runFile);
    const sessionId = await starter.start('Newest');
    const newer = await TestClient.connect(run.runFile);
    const elsewhere = await TestClient.connect({ port, token, folder: 'another vault' });
    const watcher = await TestClient.connect(run.runFile, []);
    for (const client of [newer, elsewhere, watcher]) {
      client.send({ type: 'session.attach', sessionId, payload: {} });
      const id = client.send({ type: 'session.list', payload: {} });
      await client.next('welcome', ({ replyTo }) => replyTo === id);
    }
    for (const client of [starter, newer, elsewhere, watcher]) answering(client, 'mine');
    run.model.play(sessionId, tasksCall(LIST), { text: 'ok' });
    await starter.prompt(sessionId, 'go');
    const got = [starter, newer, elsewhere, watcher].map((client) => client.of('tool.call').length);
    expect(got).toEqual([0, 1, 0, 0]);
    await Promise.all([starter, newer, elsewhere, watcher].map((client) => client.close()));
  });

  test('[BRIDGE42] a client’s error is the answer, and nothing runs headless', async () => {
    const client = await TestClient.connect(run.runFile);
    const sessionId = await client.start('Denied');
    run.model.play(sessionId, tasksCall(PLAN), { text: 'sorry' });
    const end = client.prompt(sessionId, 'plan');
    const { payload } = await client.next('tool.call');
    const audit = { approved: false, dryRun: false, ms: 1 };
    const error = { code: 'denied', message: 'The person said no.' };
    const result = { callId: payload.callId, ok: false, error, audit };
    client.send({ type: 'tool.result', sessionId, payload: result });
    await end;
    expect(newest(requestsOf(run, sessionId)[1], 'tool')).toContain('The person said no.');
    expect(existsSync(boardFile(run, sessionId))).toBe(false);
    await client.close();
  });

  test('[BRIDGE43] a socket that closes under a call fails it with words for the model, and nothing runs twice', async () => {
    const client = await TestClient.connect(run.runFile);
    const watcher = await TestClient.connect(run.runFile, []);
    const sessionId = await client.start('Cut');
    watcher.send({ type: 'session.attach', sessionId, payload: {} });
    run.model.play(sessionId, tasksCall(PLAN), { text: 'I see' });
    client.send({ type: 'session.message', sessionId, payload: { text: 'plan' } });
    await client.next('tool.call');
    client.socket.terminate();
    await watcher.next('turn.end', (end) => end.sessionId === sessionId);
    const words = newest(requestsOf(run, sessionId)[1], 'tool');
    expect(words).toContain('It may have been done all the same: list the tasks first');
    expect(existsSync(boardFile(run, sessionId))).toBe(false);
    await watcher.close();
  });

  test('[BRIDGE43] an interrupt cancels the call that is out; its late result is for nobody', async () => {
    const client = await TestClient.connect(run.runFile);
    const sessionId = await client.start('Cancelled');
    run.model.play(sessionId, tasksCall(PLAN));
    const end = client.prompt(sessionId, 'plan');
    const call = await client.next('tool.call');
    client.send({ type: 'session.interrupt', sessionId, payload: {} });
    const { callId } = (await client.next('tool.cancel')).payload;
    expect(callId).toBe(call.payload.callId);
    expect((await end).payload.reason).toBe('interrupted');
    const audit = { approved: true, dryRun: false, ms: 1 };
    client.send({ type: 'tool.result', sessionId, payload: { callId, ok: true, audit } });
    const id = client.send({ type: 'ping', payload: {} });
    await client.next('pong', ({ replyTo }) => replyTo === id);
    expect(client.of('error')).toEqual([]);
    await client.close();
  });
});

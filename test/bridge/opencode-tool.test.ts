import { OPERATION_TYPES } from '../../src/core/board/tasks-schema';
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startRun, type OpencodeRun } from './opencode-run';
import {
  answerCalls,
  boardFile,
  newestContent,
  PLAN,
  promptByHttp,
  requestsOf,
  sessionByHttp,
  tasksCall,
} from './opencode-steps';
import { TestClient } from './test-client';

let run: OpencodeRun;

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
    expect(newestContent(requestsOf(run, sessionId)[1], 'tool')).toContain('Second');
  });

  test('[BRIDGE41] a refused call is an error with words for the model, and the turn goes on', async () => {
    const sessionId = await sessionByHttp(run, 'Refused call');
    run.model.play(sessionId, tasksCall({ operations: 'all' }), tasksCall({}), { text: 'sorry' });
    await promptByHttp(run, sessionId, 'plan');
    expect(newestContent(requestsOf(run, sessionId)[1], 'tool')).toContain('Nothing was done');
    expect(requestsOf(run, sessionId)).toHaveLength(3);
  });

  test('[BRIDGE42] an attached client that offers tools gets the call; its answer is the answer', async () => {
    const client = await TestClient.connect(run.runFile);
    answerCalls(client, 'from the vault');
    const sessionId = await client.start('Over the socket');
    run.model.play(sessionId, tasksCall(PLAN), { text: 'planned' });
    expect((await client.prompt(sessionId, 'plan')).payload.reason).toBe('completed');
    const [call] = client.ofType('tool.call');
    expect(call?.payload).toMatchObject({
      tool: 'tasks',
      args: PLAN,
      agent: 'build',
      originSessionId: sessionId,
      sessionTitle: 'Over the socket',
    });
    const done = await client.next('tool.update', ({ payload }) => payload.status === 'completed');
    expect(done.payload.callId).toBe(call?.payload.callId);
    expect(newestContent(requestsOf(run, sessionId)[1], 'tool')).toContain('from the vault');
    const stored = JSON.stringify(await run.api('GET', `/session/${sessionId}/message`));
    expect(stored).toContain('"via":"websocket"');
    expect(existsSync(boardFile(run, sessionId))).toBe(false);
    await client.close();
  });
});

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MODEL_SESSIONS } from '../../src/core/engine/model-engine';
import { RUN_FOLDER } from '../../src/protocol/run-file';
import { newestContent, PLAN, requestsOf, tasksCall } from '../bridge/opencode-steps';
import { TestClient } from '../bridge/test-client';
import { textsBelow } from '../e2e/files-below';
import { serveModel, type ServedModel } from './served-model';

const KEY = 'sk-a-key-that-nobody-may-see-0123456789';

const AGENT = '---\ndescription: Two steps\nsteps: 2\n---\nYou are brief.\n';

let run: ServedModel;

beforeAll(async () => {
  run = await serveModel({
    files: { '.opencode/agents/brief.md': AGENT },
    env: { AGENT_BOARDS_KEY: KEY },
    args: ['--name', 'House model'],
  });
});

afterAll(() => run.close());

const connect = (): Promise<TestClient> =>
  TestClient.connect(run.runFile, ['permissions', 'questions']);

function files(): string[] {
  return readdirSync(join(run.vault, MODEL_SESSIONS));
}

describe('turns of the engine on a model', () => {
  test('[ENGINE4] a call of an unknown tool, of broken JSON or of unfit arguments is answered with words', async () => {
    const client = await connect();
    const sessionId = await client.start('Wrong calls');
    run.model.play(
      sessionId,
      { tools: [{ name: 'bash', args: {} }] },
      { tools: [{ name: 'tasks', args: undefined, text: '{"operations": [' }] },
      { tools: [{ name: 'question', args: { questions: 'none' } }] },
      { text: 'I see' },
    );
    expect((await client.prompt(sessionId, 'go')).payload.reason).toBe('completed');
    const [, unknown, broken, unfit] = requestsOf(run, sessionId);
    expect(newestContent(unknown, 'tool')).toMatch(
      /Nothing was done\. There is no tool “bash”.*tasks/,
    );
    expect(newestContent(broken, 'tool')).toContain('The arguments are no JSON object');
    expect(newestContent(unfit, 'tool')).toContain('questions:');
    const failed = client.ofType('tool.update').filter(({ payload }) => payload.status === 'error');
    expect(failed).toHaveLength(3);
    await client.close();
  });

  test('[ENGINE2] a prompt that comes while a turn runs is answered by it, which ends once', async () => {
    const client = await connect();
    const sessionId = await client.start('Both');
    run.model.play(sessionId, { text: 'first', tools: [question()] }, { text: 'both' });
    const end = client.prompt(sessionId, 'one');
    const asked = await client.next('question.request');
    client.send({ type: 'session.message', sessionId, payload: { text: 'two' } });
    await client.next('message.final', ({ payload }) => payload.text === 'two');
    const { requestId } = asked.payload;
    client.send({
      type: 'question.response',
      sessionId,
      payload: { requestId, answers: [['B']] },
    });
    expect((await end).payload.reason).toBe('completed');
    const said = requestsOf(run, sessionId).at(-1)?.messages ?? [];
    expect(said.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'user']);
    expect(JSON.stringify(said.at(-1)?.content)).toContain('two');
    expect((await client.prompt(sessionId, 'three')).payload.reason).toBe('completed');
    expect(client.turnEnds(sessionId)).toHaveLength(2);
    await client.close();
  });

  test('[ENGINE5] the last step of an agent calls nothing', async () => {
    const client = await connect();
    const sessionId = await client.start('Steps', { agent: 'brief' });
    const call = tasksCall(PLAN);
    run.model.play(sessionId, call, { text: 'That is all.', ...call }, { text: 'never' });
    expect((await client.prompt(sessionId, 'go')).payload.reason).toBe('completed');
    const requests = requestsOf(run, sessionId);
    expect(requests).toHaveLength(2);
    expect(requests[1]?.system).toContain('You are brief.');
    expect(newestContent(requests[1], 'user')).toContain('Call no more tools');
    const calls = client
      .ofType('tool.update')
      .filter(({ payload }) => payload.status === 'running');
    expect(calls).toHaveLength(1);
    await client.close();
  });

  test('[ENGINE7] after a summary the model has it, the board and what came since, and the tokens are told', async () => {
    const client = await connect();
    const sessionId = await client.start('Long');
    run.model.play(
      sessionId,
      tasksCall(PLAN),
      { text: 'planned' },
      { text: 'All that counts.' },
      { text: 'on it' },
    );
    await client.prompt(sessionId, 'a secret word');
    client.send({ type: 'session.compact', sessionId, payload: {} });
    await client.next('turn.end', (end) => client.turnEnds(sessionId).indexOf(end) === 1);
    await client.prompt(sessionId, 'go on');
    const [, , summary, after] = requestsOf(run, sessionId);
    expect(summary?.tools).toEqual([]);
    expect(newestContent(summary, 'user')).toMatch(/a secret word.*Call of tasks.*planned/);
    const asked = newestContent(after, 'user');
    expect(asked).toMatch(/All that counts\..*go on.*Your task board/);
    expect(asked).not.toContain('a secret word');
    expect(after?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    const told = client
      .ofType('progress.update')
      .flatMap(({ payload }) => (payload.kind === 'tokens' ? [payload] : []));
    expect(told.map(({ summary: is = false, input }) => [is, input])).toEqual([
      ...[false, false, true, false].map((is) => [is, 10]),
    ]);
    await client.close();
  });

  test('[ENGINE11] calls whose ids repeat get ids of their own', async () => {
    const client = await connect();
    const sessionId = await client.start('Ids');
    const call = { name: 'tasks', args: { operations: [{ type: 'list' }] }, id: 'call_1' };
    run.model.play(sessionId, { tools: [call, call] }, { tools: [call] }, { text: 'done' });
    await client.prompt(sessionId, 'go');
    const ids = client.ofType('tool.update').map(({ payload }) => payload.callId);
    expect(new Set(ids).size).toBe(3);
    await client.close();
  });

  test('[ENGINE6] a session whose program died in a turn is shown as interrupted, and goes on', async () => {
    const client = await connect();
    const sessionId = await client.start('Dies');
    run.model.play(sessionId, { text: 'hello', tools: [question()] });
    client.send({ type: 'session.message', sessionId, payload: { text: 'go', key: 'k' } });
    await client.next('question.request');
    run = await run.restart();
    const again = await connect();
    const id = again.send({ type: 'session.look', sessionId, payload: {} });
    const { payload } = await again.next('session.stands', (one) => one.replyTo === id);
    expect(payload).toMatchObject({ status: 'idle', answer: { end: 'interrupted', key: 'k' } });
    again.send({ type: 'session.history', sessionId, payload: { limit: 10 } });
    const { state } = (await again.next('snapshot')).payload;
    const parts = state.messages.flatMap((message) => message.parts);
    expect(parts).toMatchObject([
      { kind: 'text', text: 'go' },
      { kind: 'text', text: 'hello' },
      { kind: 'tool', tool: 'question', status: 'error' },
    ]);
    expect((await again.prompt(sessionId, 'go on')).payload.reason).toBe('completed');
    expect(newestContent(requestsOf(run, sessionId).at(-1), 'tool')).toContain('interrupted');
    await again.close();
  });

  test('[ENGINE1] ended by a signal, it ends its turns as interrupted and takes its run file back', async () => {
    const client = await connect();
    const sessionId = await client.start('Ended');
    run.model.play(sessionId, { text: 'half', hang: true });
    client.send({ type: 'session.message', sessionId, payload: { text: 'go' } });
    await client.next('stream.token');
    const { pid, engine } = run.runFile;
    expect(engine).toMatchObject({ name: 'model', title: 'House model' });
    run = await run.restart('SIGTERM');
    expect(existsSync(join(run.vault, RUN_FOLDER, `${pid}.json`))).toBe(false);
    const kept = readFileSync(join(run.vault, MODEL_SESSIONS, `${sessionId}.jsonl`), 'utf8');
    expect(kept.trim().split('\n').at(-1)).toContain('"end":"interrupted"');
    expect(kept).toContain('half');
  });

  test('[USAGE1] [ENGINE1] a turn leaves a line of what it used', async () => {
    const client = await connect();
    const sessionId = await client.start('Used');
    await client.prompt(sessionId, 'go');
    const found = (): string =>
      [...textsBelow(join(run.vault, '.opencode/agent-task-boards/usage'))]
        .flatMap(([, text]) => text.split('\n'))
        .find((line) => line.includes(sessionId)) ?? '{}';
    await expect
      .poll(() => JSON.parse(found()) as unknown)
      .toMatchObject({ engine: 'model', model: 'own/script', tokens: { in: 10, out: 5 } });
    await client.close();
  });

  test('[ENGINE9] the key is in no file, message or output', async () => {
    const client = await connect();
    const sessionId = await client.start('Secret');
    run.model.play(sessionId, { status: 401 });
    const end = await client.prompt(sessionId, 'go');
    expect(end.payload.error?.code).toBe('auth');
    expect(run.model.keys).toContain(`Bearer ${KEY}`);
    expect(JSON.stringify(client.received)).not.toContain(KEY);
    expect(run.said()).not.toContain(KEY);
    const written = [...textsBelow(run.vault)];
    expect(written.length).toBeGreaterThan(3);
    expect(written.filter(([, text]) => text.includes(KEY))).toEqual([]);
    await client.close();
  });

  test('[ENGINE6] a session that is deleted leaves no file', async () => {
    const client = await connect();
    const sessionId = await client.start('Gone');
    await client.prompt(sessionId, 'go');
    expect(files().filter((name) => name.startsWith(sessionId))).toHaveLength(2);
    client.send({ type: 'session.delete', sessionId, payload: {} });
    await client.next('session.end');
    expect(files().filter((name) => name.startsWith(sessionId))).toEqual([]);
    await client.close();
  });
});

function question() {
  return { name: 'question', args: { questions: [{ question: 'Which?', options: [] }] } };
}

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ModelAnswer } from '../bridge/model';
import { newestContent, PLAN, requestsOf, tasksCall } from '../bridge/opencode-steps';
import { TestClient } from '../bridge/test-client';
import { serveModel, type ServedModel } from './served-model';

const SETTINGS = '.opencode/agent-task-boards.json';

const agent = (permission: string): string =>
  `---\ndescription: Helps with notes.\nmode: subagent\n${permission}---\nHelp.\n`;

const CALLER = `---
description: Delegates.
mode: primary
permission:
  task: {"*": allow, "general": deny, "helper": ask}
  obsidian_create_note: deny
  obsidian_read_note: {"*": allow, "Secret/*": deny}
---
Delegate.
`;

let run: ServedModel;

beforeAll(async () => {
  run = await serveModel({
    files: {
      '.opencode/agents/helper.md': agent(''),
      '.opencode/agents/planner.md': agent('permission:\n  tasks: allow\n'),
      '.opencode/agents/caller.md': CALLER,
      'Secret/A.md': 'A secret word\n',
      [SETTINGS]: '{}',
    },
  });
});

afterAll(() => run.close());

const connect = (): Promise<TestClient> =>
  TestClient.connect(run.runFile, ['permissions', 'questions']);

function task(subagent: string, more: object = {}): NonNullable<ModelAnswer['tools']>[number] {
  const args = { description: 'Look around', prompt: 'Look, please.', subagent_type: subagent };
  return { name: 'task', args: { ...args, ...more } };
}

function childrenOf(sessionId: string) {
  return run.model.requests.filter(({ parentId }) => parentId === sessionId);
}

const named = (request: { readonly tools: readonly { readonly name: string }[] } | undefined) =>
  request?.tools.map(({ name }) => name) ?? [];

describe('subagents of the engine on a model', () => {
  test('[ENGINE13] works in a session of its own under its caller’s, and what it said last is the answer', async () => {
    const client = await connect();
    const sessionId = await client.start('Delegates');
    run.model.play(sessionId, { tools: [task('helper')] }, { text: 'done' });
    run.model.play(`child of ${sessionId}`, { text: 'All is well.' });
    expect((await client.prompt(sessionId, 'go')).payload.reason).toBe('completed');
    const created = client
      .ofType('session.created')
      .find(({ payload }) => payload.parentId === sessionId);
    expect(created?.payload).toMatchObject({
      ...{ title: 'Look around (@helper subagent)', agent: 'helper', parentId: sessionId },
    });
    const child = created?.sessionId ?? '';
    const [asked] = childrenOf(sessionId);
    expect(asked?.sessionId).toBe(child);
    expect(newestContent(asked, 'user')).toContain('Look, please.');
    expect(named(asked)).not.toContain('task');
    expect(named(asked)).not.toContain('tasks');
    const answered = newestContent(requestsOf(run, sessionId).at(-1), 'tool');
    expect(answered).toContain(`task_id: ${child}`);
    expect(answered).toContain('All is well.');
    const told = client.ofType('tool.update').map(({ payload }) => [payload.status, payload.child]);
    expect(told).toEqual([
      ['running', undefined],
      ['running', child],
      ['completed', child],
    ]);
    expect(client.turnEnds(child)).toHaveLength(1);
    client.send({ type: 'session.history', sessionId, payload: { limit: 10 } });
    const { state } = (await client.next('snapshot')).payload;
    const parts = state.messages.flatMap((message) => message.parts);
    expect(parts.find(({ kind }) => kind === 'tool')).toMatchObject({ child, status: 'completed' });
    await client.close();
  });

  test('[ENGINE13] its description names the subagents that may be started, and when to start one', async () => {
    const client = await connect();
    const text = async (of: string): Promise<string> => {
      const sessionId = await client.start(`Listed for ${of}`, { agent: of });
      await client.prompt(sessionId, 'go');
      return (
        requestsOf(run, sessionId)[0]?.tools.find(({ name }) => name === 'task')?.description ?? ''
      );
    };
    const listed = (words: string) => [...words.matchAll(/^- (\w+): /gm)].map(([, name]) => name);
    const words = await text('build');
    expect(words).toMatch(/calls in one answer[^]*The person does not see its answer/);
    expect(listed(words)).toEqual(['explore', 'general', 'helper', 'planner']);
    expect(listed(await text('caller'))).toEqual(['explore', 'helper', 'planner']);
    expect(await text('helper')).toBe('');
    await client.close();
  });

  test('[ENGINE13] goes on with an earlier subagent by its task_id, and with nobody else’s', async () => {
    const client = await connect();
    const sessionId = await client.start('Goes on');
    const other = await client.start('Another');
    run.model.play(sessionId, { tools: [task('helper')] }, { text: 'done' });
    await client.prompt(sessionId, 'go');
    const child = childrenOf(sessionId)[0]?.sessionId ?? '';
    const again = task('helper', { task_id: child, prompt: 'And now?' });
    run.model.play(
      sessionId,
      { tools: [again] },
      { tools: [task('helper', { task_id: other })] },
      { tools: [task('nobody')] },
      { text: 'done' },
    );
    await client.prompt(sessionId, 'go on');
    const second = childrenOf(sessionId)[1];
    expect(second?.sessionId).toBe(child);
    expect(second?.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'user',
    ]);
    expect(childrenOf(sessionId)).toHaveLength(2);
    const [, , , foreign, unknown] = requestsOf(run, sessionId).slice(1);
    expect(newestContent(foreign, 'tool')).toContain('No subagent of this session has the task_id');
    expect(newestContent(unknown, 'tool')).toContain(
      'There is no subagent “nobody”. There are: explore',
    );
    await client.close();
  });

  test('[ENGINE14] at most four of one answer work at a time, and each has its answer', async () => {
    const client = await connect();
    const sessionId = await client.start('Many');
    run.model.play(
      sessionId,
      { tools: Array.from({ length: 6 }, () => task('helper')) },
      { text: 'ok' },
    );
    const asks = {
      tools: [{ name: 'question', args: { questions: [{ question: 'Which?', options: [] }] } }],
    };
    run.model.play(`child of ${sessionId}`, ...Array.from({ length: 6 }, () => asks));
    const end = client.prompt(sessionId, 'go');
    const asked = () => client.ofType('question.request');
    const answer = (nth: number): void => {
      const { sessionId: of, payload } = asked()[nth] ?? { sessionId: '', payload: undefined };
      const given = { requestId: payload?.requestId ?? '', answers: [['B']] };
      client.send({ type: 'question.response', sessionId: of, payload: given });
    };
    // Four wait at the same time; the next begins when another is done.
    for (let nth = 0; nth < 6; nth += 1) {
      await client.next('question.request', () => asked().length >= Math.min(6, nth + 4));
      expect(asked()).toHaveLength(Math.min(6, nth + 4));
      answer(nth);
    }
    expect((await end).payload.reason).toBe('completed');
    expect(new Set(childrenOf(sessionId).map((one) => one.sessionId)).size).toBe(6);
    const results = requestsOf(run, sessionId)
      .at(-1)
      ?.messages.filter(({ role }) => role === 'tool');
    expect(results).toHaveLength(6);
    await client.close();
  });

  test('[ENGINE14] an interrupt of the caller ends its subagents first', async () => {
    const client = await connect();
    const sessionId = await client.start('Interrupted');
    run.model.play(sessionId, { tools: [task('helper'), task('helper')] }, { text: 'never' });
    run.model.play(
      `child of ${sessionId}`,
      { text: 'half', hang: true },
      { text: 'half', hang: true },
    );
    const end = client.prompt(sessionId, 'go');
    const first = await client.next('stream.token');
    await client.next('stream.token', (one) => one.sessionId !== first.sessionId);
    client.send({ type: 'session.interrupt', sessionId, payload: {} });
    expect((await end).payload.reason).toBe('interrupted');
    const ends = client
      .ofType('turn.end')
      .map((one) => [one.sessionId === sessionId, one.payload.reason]);
    expect(ends).toEqual([
      [false, 'interrupted'],
      [false, 'interrupted'],
      [true, 'interrupted'],
    ]);
    expect(requestsOf(run, sessionId)).toHaveLength(1);
    await client.close();
  });

  test('[ENGINE14] one that the person interrupts, or that fails, is answered with what became of it', async () => {
    const client = await connect();
    const sessionId = await client.start('Stopped');
    run.model.play(
      sessionId,
      { tools: [task('helper')] },
      { tools: [task('helper')] },
      { text: 'ok' },
    );
    run.model.play(`child of ${sessionId}`, { text: 'half', hang: true }, { status: 400 });
    const end = client.prompt(sessionId, 'go');
    const token = await client.next('stream.token', (one) => one.sessionId !== sessionId);
    client.send({ type: 'session.interrupt', sessionId: token.sessionId, payload: {} });
    expect((await end).payload.reason).toBe('completed');
    const [, stopped, broken] = requestsOf(run, sessionId);
    expect(newestContent(stopped, 'tool')).toMatch(
      /did not finish: The person interrupted it.*half/,
    );
    expect(newestContent(broken, 'tool')).toMatch(/did not finish: .*scripted 400/);
    const { payload } =
      client.ofType('tool.update').findLast((one) => one.payload.status === 'error') ?? {};
    expect(payload?.child).toBe(childrenOf(sessionId).at(-1)?.sessionId);
    await client.close();
  });

  test('[ENGINE15] rules ask the person before one is started, and what they deny of notes to the caller they deny to it', async () => {
    const client = await connect();
    const sessionId = await client.start('Ruled', { agent: 'caller' });
    const read = { name: 'obsidian_read_note', args: { path: 'Secret/A.md' } };
    run.model.play(
      sessionId,
      { tools: [task('helper')] },
      { tools: [task('general')] },
      { text: 'ok' },
    );
    run.model.play(`child of ${sessionId}`, { tools: [read] }, { text: 'looked' });
    const end = client.prompt(sessionId, 'go');
    const { payload } = await client.next('permission.request');
    expect(payload).toMatchObject({
      ...{ permission: 'task', patterns: ['helper'], always: ['*'] },
      metadata: { description: 'Look around', subagent_type: 'helper' },
    });
    expect(childrenOf(sessionId)).toEqual([]);
    const { requestId } = payload;
    client.send({ type: 'permission.response', sessionId, payload: { requestId, reply: 'once' } });
    await end;
    const [first, second] = childrenOf(sessionId);
    expect(named(first)).toContain('obsidian_update_note');
    expect(named(first)).not.toContain('obsidian_create_note');
    expect(newestContent(second, 'tool')).toContain('A rule of the configuration denies');
    expect(newestContent(requestsOf(run, sessionId)[2], 'tool')).toContain('denies “task”');
    await client.close();
  });

  test('[ENGINE15] one that a rule lets use the board has its own; without the setting nobody starts any', async () => {
    const client = await connect();
    const sessionId = await client.start('Boards');
    run.model.play(sessionId, { tools: [task('planner')] }, { text: 'ok' });
    run.model.play(`child of ${sessionId}`, tasksCall(PLAN), { text: 'planned' });
    await client.prompt(sessionId, 'go');
    const child = childrenOf(sessionId)[0]?.sessionId ?? '';
    const board = (of: string, by: string) =>
      join(run.vault, '.opencode/todos', of, `${by}-tasks.md`);
    expect(readFileSync(board(child, 'planner'), 'utf8')).toContain('First');
    expect(existsSync(board(sessionId, 'build'))).toBe(false);
    writeFileSync(join(run.vault, SETTINGS), JSON.stringify({ modelSubagents: false }));
    run.model.play(sessionId, { tools: [task('helper')] }, { text: 'ok' });
    await client.prompt(sessionId, 'again');
    expect(named(requestsOf(run, sessionId).at(-2))).not.toContain('task');
    expect(newestContent(requestsOf(run, sessionId).at(-1), 'tool')).toContain(
      'There is no tool “task”',
    );
    writeFileSync(join(run.vault, SETTINGS), '{}');
    await client.close();
  });

  test('[ENGINE6] the sessions of its subagents are deleted with it', async () => {
    const client = await connect();
    const sessionId = await client.start('Gone');
    run.model.play(sessionId, { tools: [task('helper')] }, { text: 'ok' });
    await client.prompt(sessionId, 'go');
    const child = childrenOf(sessionId)[0]?.sessionId ?? '';
    client.send({ type: 'session.delete', sessionId, payload: {} });
    await client.next('session.end', (one) => one.sessionId === sessionId);
    const files = join(run.vault, '.opencode/agent-task-boards/model-sessions');
    expect(client.ofType('session.end').map((one) => one.sessionId)).toEqual([child, sessionId]);
    expect(existsSync(join(files, `${child}.jsonl`))).toBe(false);
    await client.close();
  });
});

import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startRun, type OpencodeRun } from './opencode-run';
import {
  boardFile,
  LIST,
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

describe('the board before the model', () => {
  test('[BRIDGE50] each prompt carries the summary as its last part, once, and it is not stored', async () => {
    const sessionId = await sessionByHttp(run, 'Summary');
    run.model.play(sessionId, tasksCall(PLAN), { text: 'a' }, tasksCall(LIST), { text: 'b' });
    await promptByHttp(run, sessionId, 'plan');
    await promptByHttp(run, sessionId, 'go on');
    const [first, second, third, fourth] = requestsOf(run, sessionId);
    expect(newestContent(first, 'user')).not.toContain('task board');
    expect(newestContent(second, 'user')).not.toContain('task board');
    for (const request of [third, fourth]) {
      const content = request?.messages.findLast(({ role }) => role === 'user')?.content;
      expect(content).toHaveLength(2);
      expect(newestContent(request, 'user')).toContain('#1 First');
    }
    expect(newestContent(third, 'user')).toBe(newestContent(fourth, 'user'));
    expect(third?.system).not.toContain('#1 First');
    const stored = (await run.api('GET', `/session/${sessionId}/message`)) as {
      info: { role: string };
      parts: unknown[];
    }[];
    const prompts = stored.filter(({ info }) => info.role === 'user');
    expect(prompts.map(({ parts }) => parts.length)).toEqual([1, 1]);
  });

  test('[BRIDGE50] it says what a person changed on disk since the last prompt', async () => {
    const sessionId = await sessionByHttp(run, 'Edited');
    run.model.play(sessionId, tasksCall(PLAN), { text: 'a' });
    await promptByHttp(run, sessionId, 'plan');
    const file = boardFile(run, sessionId);
    writeFileSync(file, readFileSync(file, 'utf8').replace('[ ] First', '[x] First'));
    await promptByHttp(run, sessionId, 'go on');
    const words = newestContent(requestsOf(run, sessionId).at(-1), 'user');
    expect(words).toContain('1 of 2 done');
    expect(words).toContain('#2 Second');
  });

  test('[BRIDGE51] it is in the compaction, once, and in the prompt after it', async () => {
    const client = await TestClient.connect(run.runFile, []);
    const sessionId = await client.start('Compacted');
    run.model.play(sessionId, tasksCall(PLAN), { text: 'a' });
    await client.prompt(sessionId, 'plan');
    client.send({ type: 'session.compact', sessionId, payload: {} });
    await client.next('progress.update', ({ payload }) => payload.kind === 'compacted');
    await client.next('turn.end', (end) => client.turnEnds(sessionId).indexOf(end) === 1);
    await client.prompt(sessionId, 'go on');
    const [, , compaction, after] = requestsOf(run, sessionId);
    expect(compaction?.tools).toEqual([]);
    expect(newestContent(compaction, 'user').split('Your task board')).toHaveLength(2);
    expect(newestContent(after, 'user').split('Your task board')).toHaveLength(2);
    await client.close();
  });

  test('[BRIDGE50] no title call carries it', async () => {
    const sessionId = await sessionByHttp(run, undefined);
    run.model.play(sessionId, tasksCall(PLAN), { text: 'a' });
    await promptByHttp(run, sessionId, 'plan');
    const titles = requestsOf(run, sessionId).filter(({ system }) =>
      system.includes('title generator'),
    );
    expect(titles).toHaveLength(1);
    expect(JSON.stringify(titles)).not.toContain('task board');
  });

  test('[BRIDGE8] [BRIDGE9] a prompt comes without its context; its tokens with what fits into a request', async () => {
    const client = await TestClient.connect(run.runFile);
    const sessionId = await client.start('With a note');
    const context = { note: 'Plans/Search.md' };
    client.send({ type: 'session.message', sessionId, payload: { text: 'Read it', context } });
    await client.next('turn.end', (end) => end.sessionId === sessionId);
    expect(newestContent(requestsOf(run, sessionId)[0], 'user')).toContain(
      'Open note: Plans/Search.md',
    );
    const said = client.ofType('message.final').map(({ payload }) => [payload.role, payload.text]);
    expect(said).toEqual([
      ['user', 'Read it'],
      ['assistant', 'fine'],
    ]);
    const { payload } = await client.next(
      'progress.update',
      (one) => one.payload.kind === 'tokens',
    );
    expect(payload).toMatchObject({
      input: 10,
      output: 5,
      model: 'scripted/script',
      limit: 1_000_000,
    });
    await client.close();
  });

  test('[BRIDGE30] a subagent is not shown the tool, has no board and hears of none', async () => {
    const client = await TestClient.connect(run.runFile, []);
    const sessionId = await client.start('Parent');
    const task = {
      name: 'task',
      args: { description: 'Look', prompt: 'look', subagent_type: 'general' },
    };
    run.model.play(sessionId, tasksCall(PLAN), { tools: [task] }, { text: 'done' });
    run.model.play(`child of ${sessionId}`, { text: 'looked' });
    expect((await client.prompt(sessionId, 'go')).payload.reason).toBe('completed');
    const child = await client.next(
      'session.created',
      ({ payload }) => payload.parentId === sessionId,
    );
    const [request] = requestsOf(run, child.sessionId);
    expect(request?.tools.map(({ name }) => name)).not.toContain('tasks');
    expect(requestsOf(run, sessionId)[0]?.tools.map(({ name }) => name)).toContain('tasks');
    expect(JSON.stringify(request?.messages)).not.toContain('task board');
    // Following a session includes its subagents.
    expect(client.turnEnds(child.sessionId).map(({ payload }) => payload.reason)).toEqual([
      'completed',
    ]);
    await client.close();
  });

  test('[BRIDGE31] an edit of a protected file asks, of another one not', async () => {
    const client = await TestClient.connect(run.runFile, ['permissions']);
    const sessionId = await client.start('Edits');
    const write = (path: string) => ({
      tools: [{ name: 'write', args: { filePath: join(run.vault, path), content: 'x' } }],
    });
    const paths = [
      '.opencode/agent-task-boards.json',
      '.opencode/plugin/x.js',
      '.opencode/todos/x.md',
      '.obsidian/app.json',
      '.opencode/agent/mine.md',
      'opencode.json',
    ];
    for (const path of paths) {
      run.model.play(sessionId, write(path));
      const end = client.prompt(sessionId, `write ${path}`);
      const ask = await client.next('permission.request', ({ payload }) =>
        payload.patterns.some((pattern) => pattern.endsWith(path)),
      );
      expect(ask.payload.permission).toBe('edit');
      const payload = { requestId: ask.payload.requestId, reply: 'reject' } as const;
      client.send({ type: 'permission.response', sessionId, payload });
      await end;
      expect(existsSync(join(run.vault, path))).toBe(false);
    }
    run.model.play(sessionId, write('free.md'), { text: 'ok' });
    await client.prompt(sessionId, 'write free');
    expect(readFileSync(join(run.vault, 'free.md'), 'utf8')).toBe('x');
    expect(client.ofType('permission.request')).toHaveLength(paths.length);
    await client.close();
  });

  test('[BRIDGE35] an edit that leads to a protected file by a link is refused with words for the model, and the turn goes on', async () => {
    const client = await TestClient.connect(run.runFile, []);
    const sessionId = await client.start('By a link');
    symlinkSync(join(run.vault, '.opencode'), join(run.vault, 'link'));
    const filePath = join(run.vault, 'link/agent-task-boards.json');
    const call = { tools: [{ name: 'write', args: { filePath, content: '{}' } }] };
    run.model.play(sessionId, call, { text: 'I see' });
    expect((await client.prompt(sessionId, 'write')).payload.reason).toBe('completed');
    expect(newestContent(requestsOf(run, sessionId)[1], 'tool')).toContain(
      'leads to a protected file',
    );
    expect(existsSync(filePath)).toBe(false);
    expect(client.ofType('permission.request')).toEqual([]);
    await client.close();
  });

  test('[BRIDGE35] a person who allows all edits for good does not open protected files by that', async () => {
    const client = await TestClient.connect(run.runFile, ['permissions']);
    const sessionId = await client.start('Always');
    const write = (path: string) => ({
      tools: [{ name: 'write', args: { filePath: join(run.vault, path), content: 'x' } }],
    });
    run.model.play(sessionId, write('.opencode/agent/one.md'), write('.opencode/agent/two.md'), {
      text: 'ok',
    });
    const end = client.prompt(sessionId, 'write both');
    const { payload } = await client.next('permission.request');
    const reply = { requestId: payload.requestId, reply: 'always' } as const;
    client.send({ type: 'permission.response', sessionId, payload: reply });
    await end;
    expect(existsSync(join(run.vault, '.opencode/agent/one.md'))).toBe(true);
    expect(existsSync(join(run.vault, '.opencode/agent/two.md'))).toBe(false);
    expect(newestContent(requestsOf(run, sessionId)[2], 'tool')).toContain('is a protected file');
    expect(client.ofType('permission.request')).toHaveLength(1);
    await client.close();
  });
});

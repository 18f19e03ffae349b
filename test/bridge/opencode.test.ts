import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ModelAnswer, ModelRequest } from './model';
import { startRun, type Run } from './opencode-run';
import { TestClient } from './test-client';

/** A real OpenCode for the whole file; each test has a session of its own. */
let run: Run;

beforeAll(async () => {
  run = await startRun({
    config: { permission: { bash: 'ask' } },
    env: { AGENT_TASK_BOARDS_ORIGIN: 'http://127.0.0.1:5000' },
  });
});

afterAll(() => run.close());

const list = { operations: [{ type: 'list' }] };
const plan = {
  operations: [
    { type: 'init', title: 'Plan' },
    { type: 'add', title: 'First' },
    { type: 'add', title: 'Second', dependsOn: ['1'] },
  ],
};

function calls(...args: unknown[]): ModelAnswer {
  return { tools: args.map((arg) => ({ name: 'tasks', args: arg })) };
}

function requestsOf(sessionId: string): ModelRequest[] {
  return run.model.requests.filter((request) => request.sessionId === sessionId);
}

/** The words of a request's newest message of a role. */
function newest(request: ModelRequest | undefined, role: string): string {
  return JSON.stringify(request?.messages.findLast((message) => message.role === role)?.content);
}

function note(sessionId: string): string {
  return join(run.vault, '.opencode/todos', sessionId, 'build-tasks.md');
}

async function sessionByHttp(title: string): Promise<string> {
  const session = (await run.api('POST', '/session', { title })) as { id: string };
  return session.id;
}

async function promptByHttp(sessionId: string, text: string): Promise<void> {
  await run.api('POST', `/session/${sessionId}/message`, { parts: [{ type: 'text', text }] });
}

/** Answers a client's calls as a vault would. */
function answering(client: TestClient, output: string): void {
  client.socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as {
      type: string;
      sessionId: string;
      payload: { callId: string };
    };
    if (message.type !== 'tool.call') return;
    const { callId } = message.payload;
    const audit = { approved: true, dryRun: false, ms: 1 };
    const payload = { callId, ok: true, output, title: 'Task List: x', metadata: { n: 1 }, audit };
    client.send({ type: 'tool.result', sessionId: message.sessionId, payload });
  });
}

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
      expect(client.heard).toEqual([]);
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
        bridge: '0.1.0',
        directory: run.vault,
      });
      await client.close();
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
    const client = await TestClient.connect(run.runFile);
    client.socket.send('x'.repeat(2 * 1024 * 1024));
    expect(await client.ended).toMatchObject({ code: 1009 });
    const id = other.send({ type: 'ping', payload: {} });
    expect((await other.next('pong')).replyTo).toBe(id);
    await other.close();
  });

  test('[BRIDGE14] a client that does not read is closed; OpenCode goes on', async () => {
    const stuck = await TestClient.connect(run.runFile);
    const reader = await TestClient.connect(run.runFile);
    const sessionId = await reader.start('Much to read');
    stuck.send({ type: 'session.attach', sessionId, payload: {} });
    await run.api('GET', '/session/status');
    stuck.socket.pause();
    const big = `${'x'.repeat(200_000)} `;
    run.model.play(sessionId, ...Array.from({ length: 60 }, () => ({ text: big, ...calls(list) })));
    expect((await reader.prompt(sessionId, 'go')).payload.reason).toBe('completed');
    stuck.socket.resume();
    expect([1013, 1006]).toContain((await stuck.ended).code);
    expect(stuck.of('turn.end')).toEqual([]);
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
    client.send({
      type: 'hello',
      payload: { client: 'x', version: '1', vault: 'v', capabilities: [] },
    });
    await client.next('error', ({ payload }) => payload.code === 'duplicate');
    await client.next('error', ({ replyTo }) => replyTo === 'c4');
    const codes = client.of('error').map(({ payload }) => payload.code);
    expect(codes.sort()).toEqual(
      [
        'bad_json',
        'bad_message',
        'duplicate',
        'unknown_session',
        'unknown_session',
        'unknown_session',
        'unknown_type',
      ].sort(),
    );
    await client.close();
  });
});

describe('sessions', () => {
  test('[BRIDGE20] eight starts at once are told apart', async () => {
    const client = await TestClient.connect(run.runFile);
    const watcher = await TestClient.connect(run.runFile);
    const titles = Array.from({ length: 8 }, (_, index) => `Start ${index}`);
    const ids = await Promise.all(titles.map((title) => client.start(title)));
    expect(new Set(ids).size).toBe(8);
    for (const [index, id] of ids.entries()) {
      const told = client.of('session.created').filter(({ sessionId }) => sessionId === id);
      expect(told.map(({ payload }) => [payload.title, payload.requestId])).toEqual([
        [titles[index], `start ${titles[index]}`],
      ]);
      const others = await watcher.next('session.created', ({ sessionId }) => sessionId === id);
      expect(others.payload.requestId).toBeUndefined();
    }
    const ends = await Promise.all(ids.map((id) => client.prompt(id, 'go')));
    expect(ends.map(({ payload }) => payload.reason)).toEqual(Array<string>(8).fill('completed'));
    expect(watcher.of('turn.end')).toEqual([]);
    await Promise.all([client.close(), watcher.close()]);
  });

  test('[BRIDGE21] the terminal’s sessions are listed, attached and heard', async () => {
    const sessionId = await sessionByHttp('From the terminal');
    const client = await TestClient.connect(run.runFile);
    const listed = (await client.next('welcome')).payload.sessions.find(
      ({ id }) => id === sessionId,
    );
    expect(listed).toMatchObject({ title: 'From the terminal', status: 'idle' });
    client.send({ type: 'session.attach', sessionId, payload: {} });
    const id = client.send({ type: 'session.list', payload: {} });
    await client.next('welcome', ({ replyTo }) => replyTo === id);
    run.model.play(sessionId, { thinking: 'Let me think.', text: 'Hello you.' });
    await promptByHttp(sessionId, 'hi');
    await client.next('turn.end', (end) => end.sessionId === sessionId);
    const text = (type: 'stream.token' | 'stream.thinking'): string =>
      client
        .of(type)
        .map(({ payload }) => payload.delta)
        .join('');
    expect(text('stream.thinking')).toBe('Let me think.');
    expect(text('stream.token')).toBe('Hello you.');
    expect(client.of('message.final').map(({ payload }) => payload.text)).toEqual(['Hello you.']);
    await client.close();
  });

  test('[BRIDGE20] an agent or a model that is not there is refused before OpenCode fails without a word', async () => {
    const client = await TestClient.connect(run.runFile);
    const sessionId = await client.start('Refused');
    client.send({ type: 'session.message', sessionId, payload: { text: 'x', agent: 'nobody' } });
    const first = await client.next('error');
    expect(first.payload.message).toBe(
      'There is no agent “nobody”. There are: build, explore, general, plan.',
    );
    client.send({ type: 'session.start', payload: { requestId: 'r', model: 'scripted/none' } });
    const second = await client.next('error', ({ payload }) => payload.message.includes('model'));
    expect(second.payload.code).toBe('bad_message');
    await client.close();
  });

  test('[BRIDGE22] an interrupt ends the turn as interrupted, once', async () => {
    const client = await TestClient.connect(run.runFile);
    const sessionId = await client.start('Interrupted');
    run.model.play(sessionId, { hang: true }, { text: 'after' });
    const end = client.prompt(sessionId, 'go');
    await client.next('stream.token', (token) => token.sessionId === sessionId);
    client.send({ type: 'session.interrupt', sessionId, payload: {} });
    expect((await end).payload.reason).toBe('interrupted');
    expect((await client.prompt(sessionId, 'again')).payload.reason).toBe('completed');
    expect(client.ends(sessionId)).toHaveLength(2);
    await client.close();
  });

  test('[BRIDGE22] a provider’s refusal ends the turn with its words', async () => {
    const client = await TestClient.connect(run.runFile);
    const sessionId = await client.start('Refused by the provider');
    run.model.play(sessionId, { status: 400 });
    const { payload } = await client.prompt(sessionId, 'go');
    expect(payload.reason).toBe('error');
    expect(payload.error?.message).toContain('scripted 400');
    await client.close();
  });

  test('[BRIDGE23] a permission is asked, answered once, and a second answer is a conflict', async () => {
    const client = await TestClient.connect(run.runFile);
    const sessionId = await client.start('Asks');
    const bash = { name: 'bash', args: { command: 'echo from-bash', description: 'Says so' } };
    run.model.play(sessionId, { tools: [bash] }, { text: 'done' });
    const end = client.prompt(sessionId, 'go');
    const request = await client.next('permission.request', (ask) => ask.sessionId === sessionId);
    expect(request.payload).toMatchObject({ permission: 'bash', patterns: ['echo from-bash'] });
    const payload = { requestId: request.payload.requestId, reply: 'once' } as const;
    client.send({ type: 'permission.response', sessionId, payload });
    expect((await client.next('permission.resolved')).payload).toEqual(payload);
    expect((await end).payload.reason).toBe('completed');
    expect(newest(requestsOf(sessionId).at(-1), 'tool')).toContain('from-bash');
    client.send({ type: 'permission.response', sessionId, payload });
    expect((await client.next('error')).payload.code).toBe('conflict');
    await client.close();
  });

  test('[BRIDGE23] what an interrupt leaves unanswered is resolved, and answering it later harms nothing new', async () => {
    const client = await TestClient.connect(run.runFile);
    const sessionId = await client.start('Left');
    const bash = { name: 'bash', args: { command: 'echo one', description: 'x' } };
    run.model.play(sessionId, { tools: [bash] }, { tools: [bash] }, { text: 'done' });
    const end = client.prompt(sessionId, 'go');
    const old = await client.next('permission.request');
    client.send({ type: 'session.interrupt', sessionId, payload: {} });
    expect((await end).payload.reason).toBe('interrupted');
    expect(client.of('permission.resolved').map(({ payload }) => payload)).toEqual([
      { requestId: old.payload.requestId, reply: 'reject' },
    ]);
    const second = client.prompt(sessionId, 'again');
    const fresh = await client.next('permission.request', (ask) => ask.id !== old.id);
    const stale = { requestId: old.payload.requestId, reply: 'reject' } as const;
    client.send({ type: 'permission.response', sessionId, payload: stale });
    expect((await client.next('error')).payload.code).toBe('conflict');
    const now = { requestId: fresh.payload.requestId, reply: 'once' } as const;
    client.send({ type: 'permission.response', sessionId, payload: now });
    expect((await second).payload.reason).toBe('completed');
    await client.close();
  });

  test('[BRIDGE23] who attaches late is told what waits for a person; a question is answered', async () => {
    const first = await TestClient.connect(run.runFile);
    const sessionId = await first.start('Question');
    const options = [
      { label: 'A', description: 'a' },
      { label: 'B', description: 'b' },
    ];
    const args = { questions: [{ question: 'Which?', header: 'H', options }] };
    run.model.play(sessionId, { tools: [{ name: 'question', args }] }, { text: 'thanks' });
    const end = first.prompt(sessionId, 'go');
    await first.next('question.request');
    const late = await TestClient.connect(run.runFile);
    late.send({ type: 'session.attach', sessionId, payload: {} });
    const { payload } = await late.next('question.request');
    expect((await late.next('progress.update')).payload).toEqual({ kind: 'busy' });
    const { requestId } = payload;
    late.send({ type: 'question.response', sessionId, payload: { requestId, answers: [['B']] } });
    expect((await end).payload.reason).toBe('completed');
    expect(first.of('question.resolved')).toHaveLength(1);
    expect(newest(requestsOf(sessionId).at(-1), 'tool')).toContain('B');
    await Promise.all([first.close(), late.close()]);
  });

  test('[BRIDGE24] rename, history, catalog and delete', async () => {
    const client = await TestClient.connect(run.runFile);
    const sessionId = await client.start('Before');
    client.send({ type: 'session.update', sessionId, payload: { title: 'After' } });
    const renamed = await client.next('progress.update', ({ payload }) => payload.kind === 'title');
    expect(renamed.payload).toEqual({ kind: 'title', title: 'After' });
    for (const text of ['one', 'two', 'three']) await client.prompt(sessionId, text);
    client.send({ type: 'session.history', sessionId, payload: { limit: 2 } });
    const page = (await client.next('snapshot')).payload;
    const words = (snapshot: typeof page): string[] =>
      snapshot.state.messages.flatMap(({ role, parts }) =>
        parts.flatMap((part) => (part.kind === 'text' ? [`${role}: ${part.text}`] : [])),
      );
    expect(words(page)).toEqual(['user: three', 'assistant: fine']);
    expect(page).toMatchObject({ part: 1, more: false, state: { title: 'After', status: 'idle' } });
    const before = page.state.messages[0]?.messageId ?? '';
    const id = client.send({ type: 'session.history', sessionId, payload: { limit: 4, before } });
    const older = (await client.next('snapshot', ({ replyTo }) => replyTo === id)).payload;
    expect(words(older)).toEqual(['user: one', 'assistant: fine', 'user: two', 'assistant: fine']);
    client.send({ type: 'catalog.get', payload: {} });
    const catalog = (await client.next('catalog')).payload;
    expect(catalog.agents.map(({ name }) => name)).toEqual(['build', 'explore', 'general', 'plan']);
    expect(catalog.models).toEqual([{ id: 'scripted/script', name: 'Scripted model' }]);
    client.send({ type: 'session.delete', sessionId, payload: {} });
    expect((await client.next('session.end')).payload.reason).toBe('deleted');
    await client.close();
  });
});

describe('the tool', () => {
  test('[BRIDGE40] the model sees its arguments as a JSON schema', async () => {
    const sessionId = await sessionByHttp('Schema');
    await promptByHttp(sessionId, 'go');
    const tool = requestsOf(sessionId)[0]?.tools.find(({ name }) => name === 'tasks');
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
              type: { enum: ['init', 'add', 'update', 'complete', 'remove', 'list'] },
            },
          },
        },
      },
    });
  });

  test('[BRIDGE41] with no client it runs headless, on the note on disk', async () => {
    const sessionId = await sessionByHttp('Headless');
    run.model.play(sessionId, calls(plan), { text: 'planned' });
    await promptByHttp(sessionId, 'plan');
    expect(readFileSync(note(sessionId), 'utf8')).toMatch(/- \[ \] Second .*⛔/);
    const stored = JSON.stringify(await run.api('GET', `/session/${sessionId}/message`));
    expect(stored).toContain('"via":"headless"');
    expect(newest(requestsOf(sessionId)[1], 'tool')).toContain('Second');
  });

  test('[BRIDGE41] a refused call is an error with words for the model, and the turn goes on', async () => {
    const sessionId = await sessionByHttp('Refused call');
    run.model.play(sessionId, calls({ operations: 'all' }), calls({}), { text: 'sorry' });
    await promptByHttp(sessionId, 'plan');
    expect(newest(requestsOf(sessionId)[1], 'tool')).toContain('Nothing was done');
    expect(requestsOf(sessionId)).toHaveLength(3);
  });

  test('[BRIDGE42] an attached client that offers tools gets the call; its answer is the answer', async () => {
    const client = await TestClient.connect(run.runFile);
    answering(client, 'from the vault');
    const sessionId = await client.start('Over the socket');
    run.model.play(sessionId, calls(plan), { text: 'planned' });
    expect((await client.prompt(sessionId, 'plan')).payload.reason).toBe('completed');
    const [call] = client.of('tool.call');
    expect(call?.payload).toMatchObject({
      tool: 'tasks',
      args: plan,
      agent: 'build',
      originSessionId: sessionId,
      sessionTitle: 'Over the socket',
    });
    const done = await client.next('tool.update', ({ payload }) => payload.status === 'completed');
    expect(done.payload.callId).toBe(call?.payload.callId);
    expect(newest(requestsOf(sessionId)[1], 'tool')).toContain('from the vault');
    const stored = JSON.stringify(await run.api('GET', `/session/${sessionId}/message`));
    expect(stored).toContain('"via":"websocket"');
    expect(existsSync(note(sessionId))).toBe(false);
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
    run.model.play(sessionId, calls(list), { text: 'ok' });
    await starter.prompt(sessionId, 'go');
    const got = [starter, newer, elsewhere, watcher].map((client) => client.of('tool.call').length);
    expect(got).toEqual([0, 1, 0, 0]);
    await Promise.all([starter, newer, elsewhere, watcher].map((client) => client.close()));
  });

  test('[BRIDGE42] a client’s error is the answer, and nothing runs headless', async () => {
    const client = await TestClient.connect(run.runFile);
    const sessionId = await client.start('Denied');
    run.model.play(sessionId, calls(plan), { text: 'sorry' });
    const end = client.prompt(sessionId, 'plan');
    const { payload } = await client.next('tool.call');
    const audit = { approved: false, dryRun: false, ms: 1 };
    const error = { code: 'denied', message: 'The person said no.' };
    const result = { callId: payload.callId, ok: false, error, audit };
    client.send({ type: 'tool.result', sessionId, payload: result });
    await end;
    expect(newest(requestsOf(sessionId)[1], 'tool')).toContain('The person said no.');
    expect(existsSync(note(sessionId))).toBe(false);
    await client.close();
  });

  test('[BRIDGE43] a socket that closes under a call fails it with words for the model, and nothing runs twice', async () => {
    const client = await TestClient.connect(run.runFile);
    const watcher = await TestClient.connect(run.runFile, []);
    const sessionId = await client.start('Cut');
    watcher.send({ type: 'session.attach', sessionId, payload: {} });
    run.model.play(sessionId, calls(plan), { text: 'I see' });
    client.send({ type: 'session.message', sessionId, payload: { text: 'plan' } });
    await client.next('tool.call');
    client.socket.terminate();
    await watcher.next('turn.end', (end) => end.sessionId === sessionId);
    const words = newest(requestsOf(sessionId)[1], 'tool');
    expect(words).toContain('It may have been done all the same: list the tasks first');
    expect(existsSync(note(sessionId))).toBe(false);
    await watcher.close();
  });

  test('[BRIDGE43] an interrupt cancels the call that is out; its late result is for nobody', async () => {
    const client = await TestClient.connect(run.runFile);
    const sessionId = await client.start('Cancelled');
    run.model.play(sessionId, calls(plan));
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

describe('the board before the model', () => {
  test('[BRIDGE50] each prompt carries the summary as its last part, once, and it is not stored', async () => {
    const sessionId = await sessionByHttp('Summary');
    run.model.play(sessionId, calls(plan), { text: 'a' }, calls(list), { text: 'b' });
    await promptByHttp(sessionId, 'plan');
    await promptByHttp(sessionId, 'go on');
    const [first, second, third, fourth] = requestsOf(sessionId);
    expect(newest(first, 'user')).not.toContain('Second');
    expect(newest(second, 'user')).not.toContain('Second');
    for (const request of [third, fourth]) {
      const content = request?.messages.findLast(({ role }) => role === 'user')?.content;
      expect(content).toHaveLength(2);
      expect(newest(request, 'user')).toContain('Second');
    }
    expect(newest(third, 'user')).toBe(newest(fourth, 'user'));
    expect(third?.system).not.toContain('Second');
    const stored = (await run.api('GET', `/session/${sessionId}/message`)) as {
      info: { role: string };
      parts: unknown[];
    }[];
    const prompts = stored.filter(({ info }) => info.role === 'user');
    expect(prompts.map(({ parts }) => parts.length)).toEqual([1, 1]);
  });

  test('[BRIDGE51] it is in the compaction, once, and in the prompt after it', async () => {
    const client = await TestClient.connect(run.runFile, []);
    const sessionId = await client.start('Compacted');
    run.model.play(sessionId, calls(plan), { text: 'a' });
    await client.prompt(sessionId, 'plan');
    client.send({ type: 'session.compact', sessionId, payload: {} });
    await client.next('progress.update', ({ payload }) => payload.kind === 'compacted');
    await client.next('turn.end', (end) => client.ends(sessionId).indexOf(end) === 1);
    await client.prompt(sessionId, 'go on');
    const [, , compaction, after] = requestsOf(sessionId);
    expect(compaction?.tools).toEqual([]);
    const summary = (JSON.stringify(after?.messages).match(/Your task list[^"]*/) ?? [''])[0];
    expect(newest(after, 'user')).toContain('Second');
    expect(newest(compaction, 'user').split(boardLine(after)).length - 1).toBe(1);
    expect(summary).toBeDefined();
    await client.close();
  });

  test('[BRIDGE50] no title call carries it', async () => {
    const session = (await run.api('POST', '/session', {})) as { id: string };
    run.model.play(session.id, calls(plan), { text: 'a' });
    await promptByHttp(session.id, 'plan');
    const titles = requestsOf(session.id).filter(({ system }) =>
      system.includes('title generator'),
    );
    expect(titles).toHaveLength(1);
    expect(JSON.stringify(titles)).not.toContain('Second');
  });

  test('[BRIDGE30] a sub-agent is not shown the tool, has no board and hears of none', async () => {
    const client = await TestClient.connect(run.runFile, []);
    const sessionId = await client.start('Parent');
    const task = {
      name: 'task',
      args: { description: 'Look', prompt: 'look', subagent_type: 'general' },
    };
    run.model.play(sessionId, calls(plan), { tools: [task] }, { text: 'done' });
    run.model.play(`child of ${sessionId}`, { text: 'looked' });
    expect((await client.prompt(sessionId, 'go')).payload.reason).toBe('completed');
    const child = await client.next(
      'session.created',
      ({ payload }) => payload.parentId === sessionId,
    );
    const [request] = requestsOf(child.sessionId);
    expect(request?.tools.map(({ name }) => name)).not.toContain('tasks');
    expect(requestsOf(sessionId)[0]?.tools.map(({ name }) => name)).toContain('tasks');
    expect(JSON.stringify(request?.messages)).not.toContain('Second');
    // Who follows a session follows its sub-agents.
    expect(client.ends(child.sessionId).map(({ payload }) => payload.reason)).toEqual([
      'completed',
    ]);
    await client.close();
  });

  test('[BRIDGE31] an edit of a protected file asks, of another one not', async () => {
    const client = await TestClient.connect(run.runFile, []);
    const sessionId = await client.start('Edits');
    const write = (path: string) => ({
      tools: [{ name: 'write', args: { filePath: join(run.vault, path), content: 'x' } }],
    });
    const paths = [
      '.opencode/agent-task-boards.json',
      '.opencode/plugin/x.js',
      '.opencode/todos/x.md',
      '.obsidian/app.json',
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
    expect(client.of('permission.request')).toHaveLength(paths.length);
    await client.close();
  });
});

/** A line of the summary that stands nowhere else. */
function boardLine(request: ModelRequest | undefined): string {
  const text = newest(request, 'user');
  return text.slice(text.indexOf('Second') - 10, text.indexOf('Second') + 6);
}

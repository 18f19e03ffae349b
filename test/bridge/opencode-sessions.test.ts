import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startRun, type Run } from './opencode-run';
import { newest, promptByHttp, requestsOf, sessionByHttp } from './opencode-steps';
import { TestClient } from './test-client';

let run: Run;

beforeAll(async () => {
  run = await startRun({ config: { permission: { bash: 'ask' } } });
});

afterAll(() => run.close());

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
    const sessionId = await sessionByHttp(run, 'From the terminal');
    const client = await TestClient.connect(run.runFile);
    const listed = (await client.next('welcome')).payload.sessions.find(
      ({ id }) => id === sessionId,
    );
    expect(listed).toMatchObject({ title: 'From the terminal', status: 'idle' });
    client.send({ type: 'session.attach', sessionId, payload: {} });
    const id = client.send({ type: 'session.list', payload: {} });
    await client.next('welcome', ({ replyTo }) => replyTo === id);
    run.model.play(sessionId, { thinking: 'Let me think.', text: 'Hello you.' });
    await promptByHttp(run, sessionId, 'hi');
    await client.next('turn.end', (end) => end.sessionId === sessionId);
    const text = (type: 'stream.token' | 'stream.thinking'): string =>
      client
        .of(type)
        .map(({ payload }) => payload.delta)
        .join('');
    expect(text('stream.thinking')).toBe('Let me think.');
    expect(text('stream.token')).toBe('Hello you.');
    const said = client.of('message.final').map(({ payload }) => payload);
    expect(said.map(({ role, kind, text }) => [role, kind, text])).toEqual([
      ['user', 'text', 'hi'],
      ['assistant', 'thinking', 'Let me think.'],
      ['assistant', 'text', 'Hello you.'],
    ]);
    expect(said[0]).toMatchObject({ agent: 'build', model: 'scripted/script' });
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

  test('[BRIDGE22] what OpenCode tries again is told as such, and the turn ends once', async () => {
    const client = await TestClient.connect(run.runFile);
    const sessionId = await client.start('Tried again');
    run.model.play(sessionId, { status: 503 }, { text: 'better' });
    expect((await client.prompt(sessionId, 'go')).payload.reason).toBe('completed');
    await client.next('progress.update', ({ payload }) => payload.kind === 'idle');
    // The prompt itself may be answered by what the session does already.
    const told = client.of('progress.update').filter(({ replyTo }) => replyTo === undefined);
    const kinds = told.map(({ payload }) => payload.kind);
    expect(kinds.filter((kind) => kind !== 'tokens')).toEqual(['busy', 'retry', 'busy', 'idle']);
    expect(client.ends(sessionId)).toHaveLength(1);
    await client.close();
  });

  test('[BRIDGE22] an interrupt reaches a sub-agent that waits for a person', async () => {
    const client = await TestClient.connect(run.runFile);
    const sessionId = await client.start('Parent interrupted');
    const args = { description: 'Look', prompt: 'look', subagent_type: 'general' };
    run.model.play(sessionId, { tools: [{ name: 'task', args }] });
    const bash = { name: 'bash', args: { command: 'echo one', description: 'x' } };
    run.model.play(`child of ${sessionId}`, { tools: [bash] });
    const end = client.prompt(sessionId, 'go');
    const ask = await client.next('permission.request');
    expect(ask.sessionId).not.toBe(sessionId);
    client.send({ type: 'session.interrupt', sessionId, payload: {} });
    const child = await client.next('turn.end', (ended) => ended.sessionId === ask.sessionId);
    expect(child.payload.reason).toBe('interrupted');
    expect(client.of('permission.resolved').map(({ sessionId: id }) => id)).toEqual([
      ask.sessionId,
    ]);
    await end;
    expect(client.ends(sessionId)).toHaveLength(1);
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
    expect(newest(requestsOf(run, sessionId).at(-1), 'tool')).toContain('from-bash');
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
    expect(newest(requestsOf(run, sessionId).at(-1), 'tool')).toContain('B');
    await Promise.all([first.close(), late.close()]);
  });

  test('[BRIDGE24] rename, history, catalog and delete', async () => {
    const client = await TestClient.connect(run.runFile);
    const sessionId = await client.start('Before');
    client.send({ type: 'session.update', sessionId, payload: { title: 'After' } });
    const renamed = await client.next('progress.update', ({ payload }) => payload.kind === 'title');
    expect(renamed.payload).toEqual({ kind: 'title', title: 'After' });
    const same = client.send({ type: 'session.update', sessionId, payload: { title: 'After' } });
    const told = await client.next('progress.update', ({ replyTo }) => replyTo === same);
    expect(told.payload).toEqual({ kind: 'title', title: 'After' });
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
    expect(catalog.models).toEqual([
      {
        id: 'scripted/script',
        name: 'Scripted model',
        provider: 'Scripted',
        context: 1_000_000,
        output: 100_000,
        reasoning: true,
      },
    ]);
    expect(catalog.model).toBe('scripted/script');
    client.send({ type: 'session.delete', sessionId, payload: {} });
    expect((await client.next('session.end')).payload.reason).toBe('deleted');
    await client.close();
  });
});

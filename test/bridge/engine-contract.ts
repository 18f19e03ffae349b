import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FromBridge, FromBridgeOf } from '../../src/protocol/from-bridge';
import type { RunFile } from '../../src/protocol/run-file';
import type { HelloPayload } from '../../src/protocol/to-bridge';
import type { Model, ModelAnswer } from './model';
import { IN_FULL, testInFull } from '../in-full';
import { answerCalls, boardFile, LIST, newestContent, PLAN, requestsOf } from './opencode-steps';
import { TestClient } from './test-client';

/** An engine behind a bridge, in a vault of its own, on a scripted model. */
export interface EngineRun {
  readonly vault: string;
  readonly runFile: RunFile;
  readonly model: Pick<Model, 'play' | 'requests'>;
  /** Stops it and starts it again in the same vault. */
  restart(): Promise<EngineRun>;
  close(): Promise<void>;
}

type Call = NonNullable<ModelAnswer['tools']>[number];

type Catalog = FromBridgeOf<'catalog'>['payload'];

/** A kind of engine: how to start it, its model, its tools and its wording. */
export interface EngineKind {
  start(): Promise<EngineRun>;
  /** supported features; tests of others are skipped */
  readonly features: readonly (
    'compact' | 'keys' | 'notes' | 'permissions' | 'questions' | 'thinking'
  )[];
  readonly catalog: Omit<Catalog, 'agents' | 'commands'> & {
    readonly agents: readonly string[];
    readonly commands?: readonly string[];
  };
  /** a call that needs permission, what the person is told about it, and its output */
  readonly asked: { readonly call: Call; readonly told: object; readonly output: string };
  /** another such call, which prints `for-good` */
  readonly askedForGood: Call;
  /** a call with which the model asks the person */
  question(text: string, options: readonly { label: string; description: string }[]): Call;
  /** the error for a prompt to the agent `nobody` */
  readonly noAgent: string;
  /** set if a refusal's reason reaches the model as a user message, not as the tool's answer */
  readonly refusedBy?: 'user';
  /** a model that doesn't exist */
  readonly noModel: string;
  /** how many sessions are started at once in `npm test`; 8 if absent */
  readonly starts?: number;
  /** waits out a lost client's 15 s grace only in full: the bridge measures it for all engines */
  readonly skipsGrace?: boolean;
  /** name of the task tool as models see it; `tasks` if absent */
  readonly taskTool?: string;
}

/** The contract of every engine behind the bridge. */
export function engineContract(name: string, kind: EngineKind): void {
  const testWith = (...needs: EngineKind['features']) =>
    test.runIf(needs.every((feature) => kind.features.includes(feature)));
  const tasksCall = (args: unknown): ModelAnswer => ({
    tools: [{ name: kind.taskTool ?? 'tasks', args }],
  });
  let run: EngineRun;

  beforeAll(async () => {
    run = await kind.start();
  });

  afterAll(() => run.close());

  const connect = (capabilities?: readonly string[]): Promise<TestClient> =>
    TestClient.connect(run.runFile, capabilities);

  async function hello(payload: Partial<HelloPayload> = {}) {
    const { port, token, folder } = run.runFile;
    const client = await TestClient.open(port, token);
    const said = { client: 'test', version: '1', vault: 'v', folder, capabilities: ['tools'] };
    client.send({ type: 'hello', payload: { ...said, ...payload } });
    const { payload: welcome } = await client.next('welcome');
    return { client, welcome };
  }

  async function fetchStatus(client: TestClient, sessionId: string) {
    const id = client.send({ type: 'session.look', sessionId, payload: {} });
    return client.next('session.stands', (one) => one.replyTo === id);
  }

  describe(`sessions and turns, inside ${name}`, () => {
    test('[BRIDGE20] starts at once are told apart', async () => {
      const client = await connect();
      const watcher = await connect();
      const count = (IN_FULL ? undefined : kind.starts) ?? 8;
      const titles = Array.from({ length: count }, (_, index) => `Start ${index}`);
      const ids = await Promise.all(titles.map((title) => client.start(title)));
      expect(new Set(ids).size).toBe(count);
      for (const [index, id] of ids.entries()) {
        const told = client.ofType('session.created').filter(({ sessionId }) => sessionId === id);
        expect(told.map(({ payload }) => [payload.title, payload.requestId])).toEqual([
          [titles[index], `start ${titles[index]}`],
        ]);
        const others = await watcher.next('session.created', ({ sessionId }) => sessionId === id);
        expect(others.payload.requestId).toBeUndefined();
      }
      const ends = await Promise.all(ids.map((id) => client.prompt(id, 'go')));
      expect(ends.map(({ payload }) => payload.reason)).toEqual(
        Array<string>(count).fill('completed'),
      );
      expect(watcher.ofType('turn.end')).toEqual([]);
      await Promise.all([client.close(), watcher.close()]);
    });

    test('[BRIDGE20] an agent or a model that is not there is refused', async () => {
      const client = await connect();
      const sessionId = await client.start('Refused');
      client.send({ type: 'session.message', sessionId, payload: { text: 'x', agent: 'nobody' } });
      const first = await client.next('error');
      expect(first.payload.message).toBe(kind.noAgent);
      client.send({ type: 'session.start', payload: { requestId: 'r', model: kind.noModel } });
      const second = await client.next('error', ({ payload }) => payload.message.includes('model'));
      expect(second.payload.code).toBe('bad_message');
      await client.close();
    });

    testWith('thinking')(
      '[BRIDGE3] thinking and words come in their order, each before its whole text',
      async () => {
        const client = await connect();
        const sessionId = await client.start('In order');
        run.model.play(sessionId, {
          thinking: 'Let me think it over.',
          text: 'One two three four.',
        });
        await client.prompt(sessionId, 'count');
        const told = client.received.flatMap((one) => {
          if (one.type === 'stream.token' || one.type === 'stream.thinking') return [one.type];
          if (one.type === 'message.final') return [`${one.payload.role} ${one.payload.kind}`];
          return one.type === 'turn.end' ? [one.type] : [];
        });
        expect(told.filter((type, at) => type !== told[at - 1])).toEqual([
          ...['user text', 'stream.thinking', 'assistant thinking'],
          ...['stream.token', 'assistant text', 'turn.end'],
        ]);
        const joined = (type: 'stream.token' | 'stream.thinking'): string =>
          client
            .ofType(type)
            .map(({ payload }) => payload.delta)
            .join('');
        expect(joined('stream.thinking')).toBe('Let me think it over.');
        expect(joined('stream.token')).toBe('One two three four.');
        const said = client.ofType('message.final').map(({ payload }) => payload.text);
        expect(said).toEqual(['count', 'Let me think it over.', 'One two three four.']);
        await client.close();
      },
    );

    test('[BRIDGE22] [BRIDGE96] an interrupt ends the turn as interrupted, once, and nothing of it comes later', async () => {
      const client = await connect();
      const sessionId = await client.start('Interrupted');
      run.model.play(sessionId, { hang: true }, { text: 'after' });
      const end = client.prompt(sessionId, 'go');
      await client.next('stream.token', (token) => token.sessionId === sessionId);
      client.send({ type: 'session.interrupt', sessionId, payload: {} });
      expect((await end).payload.reason).toBe('interrupted');
      const ended = client.received.length;
      expect((await client.prompt(sessionId, 'again')).payload.reason).toBe('completed');
      expect(client.turnEnds(sessionId)).toHaveLength(2);
      const after = client.received.slice(ended).flatMap((one) => {
        if (one.type === 'stream.token') return [one.payload.delta];
        return one.type === 'message.final' ? [one.payload.text] : [];
      });
      expect(after).toEqual(['again', 'after', 'after']);
      await client.close();
    });

    test('[BRIDGE22] a prompt that waited in a turn that is interrupted reaches the model with the next', async () => {
      const client = await connect();
      const sessionId = await client.start('Waited');
      run.model.play(sessionId, { hang: true }, { text: 'both' });
      const end = client.prompt(sessionId, 'go-first');
      await client.next('stream.token', (token) => token.sessionId === sessionId);
      client.send({ type: 'session.message', sessionId, payload: { text: 'go-second' } });
      await client.next('message.final', ({ payload }) => payload.text === 'go-second');
      client.send({ type: 'session.interrupt', sessionId, payload: {} });
      expect((await end).payload.reason).toBe('interrupted');
      expect((await client.prompt(sessionId, 'go-third')).payload.reason).toBe('completed');
      const asked = JSON.stringify(run.model.requests.at(-1)?.messages);
      expect(asked.match(/go-\w+/g)).toEqual(['go-first', 'go-second', 'go-third']);
      await client.close();
    });

    test('[BRIDGE22] a provider’s refusal ends the turn with its words', async () => {
      const client = await connect();
      const sessionId = await client.start('Refused by the provider');
      run.model.play(sessionId, { status: 400 });
      const { payload } = await client.prompt(sessionId, 'go');
      expect(payload.reason).toBe('error');
      expect(payload.error?.message).toContain('scripted 400');
      await client.close();
    });
  });

  describe(`what a session goes on with, inside ${name}`, () => {
    testWith('compact')(
      '[BRIDGE55] a compaction says what remains, ends its turn, and the model goes on with that',
      async () => {
        const client = await connect([]);
        const sessionId = await client.start('Compacted');
        run.model.play(sessionId, { text: 'a' }, { text: 'All that counts.' }, { text: 'b' });
        await client.prompt(sessionId, 'words of before');
        client.send({ type: 'session.compact', sessionId, payload: {} });
        const mark = await client.next(
          'progress.update',
          (one) => one.payload.kind === 'compacted',
        );
        expect(mark.payload).toMatchObject({ summary: 'All that counts.' });
        const end = await client.next(
          'turn.end',
          (one) => client.turnEnds(sessionId).indexOf(one) === 1,
        );
        expect(end.payload.reason).toBe('completed');
        expect((await client.prompt(sessionId, 'go on')).payload.reason).toBe('completed');
        const asked = JSON.stringify(requestsOf(run, sessionId).at(-1)?.messages);
        expect(asked).toContain('All that counts.');
        expect(asked).not.toContain('words of before');
        await client.close();
      },
    );

    testWith('compact')(
      '[BRIDGE55] a compaction that fails ends its turn with the reason, and nothing is lost',
      async () => {
        const client = await connect([]);
        const sessionId = await client.start('Not compacted');
        run.model.play(sessionId, { text: 'a' }, { status: 400 }, { text: 'b' });
        await client.prompt(sessionId, 'words of before');
        client.send({ type: 'session.compact', sessionId, payload: {} });
        const end = await client.next(
          'turn.end',
          (one) => client.turnEnds(sessionId).indexOf(one) === 1,
        );
        expect(end.payload.reason).toBe('error');
        expect(end.payload.error?.message).toContain('scripted 400');
        expect((await client.prompt(sessionId, 'go on')).payload.reason).toBe('completed');
        const asked = JSON.stringify(requestsOf(run, sessionId).at(-1)?.messages);
        expect(asked).toContain('words of before');
        await client.close();
      },
    );

    test('[BRIDGE99] after its program died in the middle of a turn a session rests, and goes on with the next prompt', async () => {
      const client = await connect([]);
      const sessionId = await client.start('Dies');
      run.model.play(sessionId, { hang: true }, { text: 'again' });
      client.send({ type: 'session.message', sessionId, payload: { text: 'work at it' } });
      await client.next('stream.token', (token) => token.sessionId === sessionId);
      run = await run.restart();
      const again = await connect([]);
      const stands = await fetchStatus(again, sessionId);
      expect(stands.payload.status).toBe('idle');
      expect(stands.payload.answer?.end).not.toBe('completed');
      again.send({ type: 'session.history', sessionId, payload: { limit: 10 } });
      const page = await again.next('snapshot');
      expect(JSON.stringify(page.payload.state.messages[0])).toContain('work at it');
      expect((await again.prompt(sessionId, 'go on')).payload.reason).toBe('completed');
      const rests = await fetchStatus(again, sessionId);
      expect(rests.payload.answer).toMatchObject({ text: 'again', end: 'completed' });
      await again.close();
    });
  });

  describe(`what a person is asked, inside ${name}`, () => {
    testWith('permissions')(
      '[BRIDGE23] a permission is asked, answered once, and a second answer is a conflict',
      async () => {
        const client = await connect();
        const sessionId = await client.start('Asks');
        run.model.play(sessionId, { tools: [kind.asked.call] }, { text: 'done' });
        const end = client.prompt(sessionId, 'go');
        const request = await client.next(
          'permission.request',
          (ask) => ask.sessionId === sessionId,
        );
        expect(request.payload).toMatchObject(kind.asked.told);
        const payload = { requestId: request.payload.requestId, reply: 'once' } as const;
        client.send({ type: 'permission.response', sessionId, payload });
        expect((await client.next('permission.resolved')).payload).toEqual(payload);
        expect((await end).payload.reason).toBe('completed');
        expect(newestContent(requestsOf(run, sessionId).at(-1), 'tool')).toContain(
          kind.asked.output,
        );
        client.send({ type: 'permission.response', sessionId, payload });
        expect((await client.next('error')).payload.code).toBe('conflict');
        await client.close();
      },
    );

    testWith('permissions')(
      '[BRIDGE95] a permission that is given for good is asked once, and one that is refused tells the model why',
      async () => {
        const client = await connect();
        const sessionId = await client.start('For good');
        const tools = [kind.askedForGood];
        run.model.play(
          sessionId,
          { tools },
          { tools },
          { tools: [kind.asked.call] },
          { text: 'done' },
        );
        const end = client.prompt(sessionId, 'go');
        const answered = async (reply: 'always' | 'reject', message?: string): Promise<void> => {
          const before = client.ofType('permission.resolved').length;
          const ask = await client.next(
            'permission.request',
            (one) => client.ofType('permission.request').indexOf(one) === before,
          );
          const payload = { requestId: ask.payload.requestId, reply };
          client.send({
            type: 'permission.response',
            sessionId,
            payload: { ...payload, ...(message !== undefined && { message }) },
          });
          await client.next(
            'permission.resolved',
            (one) => one.payload.requestId === payload.requestId,
          );
        };
        await answered('always');
        await answered('reject', 'Look at the notes instead.');
        expect((await end).payload.reason).toBe('completed');
        expect(client.ofType('permission.resolved').map(({ payload }) => payload.reply)).toEqual([
          'always',
          'reject',
        ]);
        const [, first, second, refused] = requestsOf(run, sessionId);
        expect(newestContent(first, 'tool')).toContain('for-good');
        expect(newestContent(second, 'tool')).toContain('for-good');
        expect(newestContent(refused, kind.refusedBy ?? 'tool')).toContain(
          'Look at the notes instead.',
        );
        await client.close();
      },
    );

    testWith('permissions')(
      '[BRIDGE23] what an interrupt leaves unanswered is resolved, and answering it later harms nothing new',
      async () => {
        const client = await connect();
        const sessionId = await client.start('Left');
        run.model.play(
          sessionId,
          { tools: [kind.asked.call] },
          { tools: [kind.asked.call] },
          { text: 'done' },
        );
        const end = client.prompt(sessionId, 'go');
        const old = await client.next('permission.request');
        client.send({ type: 'session.interrupt', sessionId, payload: {} });
        expect((await end).payload.reason).toBe('interrupted');
        expect(client.ofType('permission.resolved').map(({ payload }) => payload)).toEqual([
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
      },
    );

    testWith('questions')(
      '[BRIDGE23] who attaches late is told what waits for a person; a question is answered',
      async () => {
        const first = await connect();
        const sessionId = await first.start('Question');
        const options = [
          { label: 'A', description: 'a' },
          { label: 'B', description: 'b' },
        ];
        run.model.play(
          sessionId,
          { tools: [kind.question('Which?', options)] },
          { text: 'thanks' },
        );
        const end = first.prompt(sessionId, 'go');
        await first.next('question.request');
        const late = await connect();
        late.send({ type: 'session.attach', sessionId, payload: {} });
        const { payload } = await late.next('question.request');
        expect((await late.next('progress.update')).payload).toEqual({ kind: 'busy' });
        const { requestId } = payload;
        late.send({
          type: 'question.response',
          sessionId,
          payload: { requestId, answers: [['B']] },
        });
        expect((await end).payload.reason).toBe('completed');
        expect(first.ofType('question.resolved')).toHaveLength(1);
        expect(newestContent(requestsOf(run, sessionId).at(-1), 'tool')).toContain('B');
        await Promise.all([first.close(), late.close()]);
      },
    );
  });

  describe(`calls of our tools, inside ${name}`, () => {
    test('[BRIDGE41] a call that no client runs reaches the board on disk, and is told', async () => {
      const client = await connect(['permissions']);
      const sessionId = await client.start('On disk');
      run.model.play(sessionId, tasksCall(PLAN), { text: 'planned' });
      expect((await client.prompt(sessionId, 'plan')).payload.reason).toBe('completed');
      expect(readFileSync(boardFile(run, sessionId), 'utf8')).toMatch(/- \[ \] Second .*⛔/);
      expect(newestContent(requestsOf(run, sessionId)[1], 'tool')).toContain('Second');
      const [first, ...rest] = client.ofType('tool.update').map(({ payload }) => payload);
      expect(first).toMatchObject({ tool: 'tasks' });
      expect(rest.at(-1)).toMatchObject({ callId: first?.callId, status: 'completed' });
      await client.close();
    });

    test('[BRIDGE42] the newest client that offers tools gets it; a wrong folder or no offer gets none', async () => {
      const { port, token } = run.runFile;
      const starter = await connect();
      const sessionId = await starter.start('Newest');
      const newer = await connect();
      const elsewhere = await TestClient.connect({ port, token, folder: 'another vault' });
      const watcher = await connect([]);
      for (const client of [newer, elsewhere, watcher]) {
        client.send({ type: 'session.attach', sessionId, payload: {} });
        const id = client.send({ type: 'session.list', payload: {} });
        await client.next('welcome', ({ replyTo }) => replyTo === id);
      }
      for (const client of [starter, newer, elsewhere, watcher]) answerCalls(client, 'mine');
      run.model.play(sessionId, tasksCall(LIST), { text: 'ok' });
      await starter.prompt(sessionId, 'go');
      const got = [starter, newer, elsewhere, watcher].map(
        (client) => client.ofType('tool.call').length,
      );
      expect(got).toEqual([0, 1, 0, 0]);
      await Promise.all([starter, newer, elsewhere, watcher].map((client) => client.close()));
    });

    test('[BRIDGE42] a client’s error is the answer, and nothing runs headless', async () => {
      const client = await connect();
      const sessionId = await client.start('Denied');
      run.model.play(sessionId, tasksCall(PLAN), { text: 'sorry' });
      const end = client.prompt(sessionId, 'plan');
      const { payload } = await client.next('tool.call');
      const audit = { approved: false, dryRun: false, ms: 1 };
      const error = { code: 'denied', message: 'The person said no.' };
      const result = { callId: payload.callId, ok: false, error, audit };
      client.send({ type: 'tool.result', sessionId, payload: result });
      await end;
      expect(newestContent(requestsOf(run, sessionId)[1], 'tool')).toContain('The person said no.');
      expect(existsSync(boardFile(run, sessionId))).toBe(false);
      await client.close();
    });

    const graceTest = kind.skipsGrace === true ? testInFull : test;
    graceTest(
      '[BRIDGE43] a socket that closes under a call fails it with words for the model, and nothing runs twice',
      async () => {
        const client = await connect();
        const watcher = await connect([]);
        const sessionId = await client.start('Cut');
        watcher.send({ type: 'session.attach', sessionId, payload: {} });
        run.model.play(sessionId, tasksCall(PLAN), { text: 'I see' });
        client.send({ type: 'session.message', sessionId, payload: { text: 'plan' } });
        await client.next('tool.call');
        client.socket.terminate();
        await watcher.next('turn.end', (end) => end.sessionId === sessionId);
        const words = newestContent(requestsOf(run, sessionId)[1], 'tool');
        expect(words).toContain('It may have been done all the same: list the tasks first');
        expect(existsSync(boardFile(run, sessionId))).toBe(false);
        await watcher.close();
      },
    );

    test('[BRIDGE43] an interrupt cancels the call that is out; its late result is for nobody', async () => {
      const client = await connect();
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
      expect(client.ofType('error')).toEqual([]);
      await client.close();
    });
  });

  describe(`what is kept, inside ${name}`, () => {
    testWith('permissions')(
      '[BRIDGE27] at rest with its newest answer, after all else that was told of it',
      async () => {
        const client = await connect(['permissions']);
        const sessionId = await client.start('Stands');
        expect((await fetchStatus(client, sessionId)).payload).toEqual({ status: 'idle' });
        run.model.play(
          sessionId,
          { text: 'first words', tools: [kind.asked.call] },
          { text: 'the end' },
        );
        const payload = { text: 'go', key: 'step-1' };
        client.send({ type: 'session.message', sessionId, payload });
        const ask = await client.next('permission.request', (one) => one.sessionId === sessionId);
        const busy = (await fetchStatus(client, sessionId)).payload;
        expect(busy).toMatchObject({
          status: 'busy',
          answer: { text: 'first words', end: 'open', key: 'step-1' },
        });
        const { requestId } = ask.payload;
        client.send({
          type: 'permission.response',
          sessionId,
          payload: { requestId, reply: 'once' },
        });
        await client.next('message.final', (one) => one.payload.text === 'the end');
        const stands = await fetchStatus(client, sessionId);
        if (stands.payload.status === 'idle')
          expect(typesBefore(client, stands)).toContain('turn.end');
        const [end] = [await client.next('turn.end', (one) => one.sessionId === sessionId)];
        const rests = await fetchStatus(client, sessionId);
        expect(rests.payload).toEqual({
          status: 'idle',
          answer: {
            messageId: end.payload.messageId,
            text: 'the end',
            end: 'completed',
            error: '',
            key: 'step-1',
          },
        });
        expect(rests.seq).toBeGreaterThan(end.seq ?? Infinity);
        await client.close();
      },
    );

    test('[BRIDGE24] rename, history, catalog and delete', async () => {
      const client = await connect();
      const sessionId = await client.start('Before');
      client.send({ type: 'session.update', sessionId, payload: { title: 'After' } });
      const renamed = await client.next(
        'progress.update',
        ({ payload }) => payload.kind === 'title',
      );
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
      expect(page).toMatchObject({
        part: 1,
        more: false,
        state: { title: 'After', status: 'idle' },
      });
      const before = page.state.messages[0]?.messageId ?? '';
      const id = client.send({ type: 'session.history', sessionId, payload: { limit: 4, before } });
      const older = (await client.next('snapshot', ({ replyTo }) => replyTo === id)).payload;
      expect(words(older)).toEqual([
        'user: one',
        'assistant: fine',
        'user: two',
        'assistant: fine',
      ]);
      client.send({ type: 'catalog.get', payload: {} });
      const catalog = (await client.next('catalog')).payload;
      expect({
        ...catalog,
        agents: catalog.agents.map(({ name }) => name),
        ...(catalog.commands && { commands: catalog.commands.map(({ name }) => name) }),
      }).toEqual(kind.catalog);
      client.send({ type: 'session.delete', sessionId, payload: {} });
      expect((await client.next('session.end')).payload.reason).toBe('deleted');
      await client.close();
    });

    test('[BRIDGE71] what goes with a prompt is told by name, live and from the history', async () => {
      const client = await connect();
      const sessionId = await client.start('Attached');
      const context = { note: 'Inbox.md', selection: 'only for the model', attached: ['Ideas.md'] };
      client.send({
        type: 'session.message',
        sessionId,
        payload: { text: 'Read @Ideas', context },
      });
      const said = await client.next('message.final', ({ payload }) => payload.role === 'user');
      await client.next('turn.end');
      const attached = [
        { kind: 'note', path: 'Ideas.md' },
        { kind: 'selection', path: 'Inbox.md' },
      ];
      expect(said.payload).toMatchObject({ text: 'Read @Ideas', attached });
      const asked = requestsOf(run, sessionId);
      client.send({ type: 'session.history', sessionId, payload: { limit: 2 } });
      const { state } = (await client.next('snapshot')).payload;
      expect(state.messages[0]?.parts).toMatchObject([{ text: 'Read @Ideas', attached }]);
      expect(JSON.stringify(asked)).toContain('Attached note: Ideas.md');
    });

    testWith('notes')(
      '[CTX25] the model is shown the text of related notes, and clients are told which',
      async () => {
        const client = await connect();
        const sessionId = await client.start('Related');
        const related = {
          text: 'Notes from the vault.\n\nNote "Ideas.md":\n````markdown\n</note> a zebra\n````',
          notes: [{ path: 'Ideas.md', tokens: 40 }],
        };
        client.send({
          type: 'session.message',
          sessionId,
          payload: { text: 'Think about it', context: { related } },
        });
        const said = await client.next('message.final', ({ payload }) => payload.role === 'user');
        await client.next('turn.end');
        const attached = [{ kind: 'note', path: 'Ideas.md', tokens: 40 }];
        expect(said.payload).toMatchObject({ text: 'Think about it', attached });
        const asked = requestsOf(run, sessionId);
        expect(JSON.stringify(asked)).toContain(JSON.stringify(related.text).slice(1, -1));
        client.send({ type: 'session.history', sessionId, payload: { limit: 2 } });
        const { state } = (await client.next('snapshot')).payload;
        expect(state.messages[0]?.parts).toMatchObject([{ text: 'Think about it', attached }]);
        await client.close();
      },
    );

    testWith('keys')(
      '[BRIDGE25] starts with one key make one session, at once and again',
      async () => {
        const client = await connect([]);
        const [one, same] = await Promise.all(
          ['a', 'b'].map((n) => client.start(n, { key: 'start' })),
        );
        expect(same).toBe(one);
        expect(await client.start('c', { key: 'start' })).toBe(one);
        expect(await client.start('d', { key: 'other' })).not.toBe(one);
        await client.close();
      },
    );

    testWith('keys')(
      '[BRIDGE26] a prompt with a key is one, at once and again, and prompts stay in order',
      async () => {
        const client = await connect([]);
        const id = await client.start('Once');
        const same = [sendPrompt(client, id, 'one', 'k1'), sendPrompt(client, id, 'one', 'k1')];
        const other = sendPrompt(client, id, 'two', 'k2');
        expect(
          await Promise.all([...same, other].map((sent) => wasTakenBefore(client, sent))),
        ).toEqual([false, true, false]);
        expect(await wasTakenBefore(client, sendPrompt(client, id, 'one', 'k1'))).toBe(true);
        const page = client.send({
          type: 'session.history',
          sessionId: id,
          payload: { limit: 10 },
        });
        const { messages } = (await client.next('snapshot', (one) => one.replyTo === page)).payload
          .state;
        const words = messages.filter(({ role }) => role === 'user').flatMap(({ parts }) => parts);
        expect(words.map((part) => part.kind === 'text' && part.text)).toEqual(['one', 'two']);
        expect(JSON.stringify(requestsOf(run, id))).not.toContain('k1');
        await client.close();
      },
    );

    testWith('keys')(
      '[BRIDGE25][BRIDGE26] an engine that knows keys says so; a session that is not there is unknown',
      async () => {
        const client = await connect([]);
        const { features } = client.ofType('welcome')[0]?.payload ?? {};
        expect(features).toEqual(expect.arrayContaining(['keys', 'start', 'prompt']));
        const id = sendPrompt(client, 'ses_nobody', 'go', 'k');
        const refused = await client.next('error', (error) => error.replyTo === id);
        expect(refused.payload.code).toBe('unknown_session');
        await client.close();
      },
    );
  });

  describe(`connecting again, inside ${name}`, () => {
    test('[LINK5] what was missed comes with its old numbers, and what had arrived does not', async () => {
      const first = await hello();
      expect(first.welcome.resumed).toBe(false);
      const sessionId = await first.client.start('Resumed');
      await first.client.prompt(sessionId, 'one');
      const had = sequenceNumbers(first.client, sessionId);
      expect(had).toEqual(upTo(had.length));
      await cut(first.client);
      const other = await connect();
      other.send({ type: 'session.attach', sessionId, payload: {} });
      await other.prompt(sessionId, 'two');
      await other.close();
      const { epoch } = first.welcome;
      const lastSeq = had.length - 2;
      const again = await hello({ resume: [{ sessionId, epoch, lastSeq }] });
      expect(again.welcome).toMatchObject({ epoch, resumed: true });
      await again.client.prompt(sessionId, 'three');
      // The first turn's end is sent once more; what follows it may still arrive.
      const said = (one: FromBridge): boolean => one.type === 'message.final';
      const known = (): unknown[] =>
        again.client.received.filter(said).map(({ payload }) => payload);
      for (const text of ['two', 'three']) {
        await expect.poll(known).toContainEqual(expect.objectContaining({ role: 'user', text }));
      }
      const came = sequenceNumbers(again.client, sessionId);
      expect(came).toEqual(upTo(came.length + lastSeq).slice(lastSeq));
      await again.client.close();
    });

    test('[LINK6] a message that is sent again with its number is served once; a gap closes', async () => {
      const { client, welcome } = await hello();
      const sessionId = await client.start('Once');
      const prompt = { type: 'session.message', sessionId, payload: { text: 'once' } } as const;
      client.send({ ...prompt, seq: 1 });
      await client.next('turn.end', (end) => end.sessionId === sessionId);
      await cut(client);
      const lastSeq = sequenceNumbers(client, sessionId).length;
      const again = await hello({ resume: [{ sessionId, epoch: welcome.epoch, lastSeq }] });
      again.client.send({ ...prompt, seq: 1 });
      again.client.send({ type: 'session.history', sessionId, seq: 2, payload: { limit: 10 } });
      await again.client.next('snapshot');
      expect(requestsOf(run, sessionId)).toHaveLength(1);
      again.client.send({ ...prompt, seq: 4 });
      expect(await again.client.ended).toMatchObject({ code: 4400 });
    });

    test('[LINK20] a call waits for its client, is sent again, and its answer reaches the model', async () => {
      const first = await hello();
      const sessionId = await first.client.start('Call');
      run.model.play(sessionId, tasksCall(LIST), { text: 'ok' });
      first.client.send({ type: 'session.message', sessionId, payload: { text: 'go' } });
      const call = await first.client.next('tool.call');
      await cut(first.client);
      const lastSeq = sequenceNumbers(first.client, sessionId).length;
      const again = await hello({ resume: [{ sessionId, epoch: first.welcome.epoch, lastSeq }] });
      const repeated = await again.client.next('tool.call');
      expect(repeated.payload).toEqual(call.payload);
      answerCalls(again.client, 'late but true');
      const audit = { approved: true, dryRun: false, ms: 1 };
      const payload = { callId: call.payload.callId, ok: true, output: 'late but true', audit };
      again.client.send({ type: 'tool.result', sessionId, payload });
      await again.client.next('turn.end', (end) => end.sessionId === sessionId);
      expect(newestContent(requestsOf(run, sessionId)[1], 'tool')).toContain('late but true');
      await again.client.close();
    });

    test('[LINK13] of a numbering that is not known, the session comes flagged, with the running text', async () => {
      const { client } = await hello();
      const sessionId = await client.start('Running');
      run.model.play(sessionId, { hang: true });
      client.send({ type: 'session.message', sessionId, payload: { text: 'two' } });
      const token = await client.next('stream.token', (one) => one.sessionId === sessionId);
      const other = await hello({ resume: [{ sessionId, epoch: 'of before', lastSeq: 7 }] });
      expect(other.welcome.resumed).toBe(false);
      const { payload } = await other.client.next('snapshot');
      expect(payload).toMatchObject({ resync: true, more: false, state: { status: 'busy' } });
      const parts = payload.state.messages.flatMap((message) => message.parts);
      expect(JSON.stringify(parts)).toContain('two');
      expect(payload.state.messages.at(-1)?.parts.at(-1)).toMatchObject({
        kind: 'text',
        text: token.payload.delta,
      });
      other.client.send({ type: 'session.interrupt', sessionId, payload: {} });
      await other.client.next('turn.end', (end) => end.sessionId === sessionId);
      const came = sequenceNumbers(other.client, sessionId);
      expect(came).toEqual(upTo(payload.uptoSeq + came.length).slice(payload.uptoSeq));
      await Promise.all([client.close(), other.client.close()]);
    });

    test('[BRIDGE70] a second connection with the same numbering takes the place of the first', async () => {
      const first = await hello();
      const sessionId = await first.client.start('Replaced');
      const again = await hello({
        resume: [{ sessionId, epoch: first.welcome.epoch, lastSeq: 1 }],
      });
      expect(await first.client.ended).toMatchObject({ code: 4409 });
      expect((await again.client.prompt(sessionId, 'go')).payload.reason).toBe('completed');
      await again.client.close();
    });

    testWith('keys')(
      '[LINK8] [BRIDGE25] after a restart a stored session comes flagged, and is found by its key',
      async () => {
        const { client, welcome } = await hello();
        const sessionId = await client.start('Restarted', { key: 'kept' });
        await client.prompt(sessionId, 'remember me');
        const lastSeq = sequenceNumbers(client, sessionId).length;
        run = await run.restart();
        const resume = [
          { sessionId, epoch: welcome.epoch, lastSeq },
          { sessionId: 'ses_nobody', epoch: welcome.epoch, lastSeq: 1 },
        ];
        const again = await hello({ resume });
        expect(again.welcome.resumed).toBe(false);
        expect(again.welcome.epoch).not.toBe(welcome.epoch);
        const { payload } = await again.client.next('snapshot');
        expect(payload).toMatchObject({
          resync: true,
          state: { title: 'Restarted', status: 'idle' },
        });
        expect(JSON.stringify(payload.state.messages)).toContain('remember me');
        expect(await again.client.start('Again', { key: 'kept' })).toBe(sessionId);
        expect((await again.client.prompt(sessionId, 'go on')).payload.reason).toBe('completed');
        await again.client.close();
      },
    );
  });
}

/** The sequence numbers of a session's messages, in order of arrival. */
function sequenceNumbers(client: TestClient, sessionId: string): number[] {
  return client.received.flatMap((one) =>
    one.sessionId === sessionId && one.seq !== undefined ? [one.seq] : [],
  );
}

function upTo(last: number): number[] {
  return Array.from({ length: last }, (_, n) => n + 1);
}

async function cut(client: TestClient): Promise<void> {
  client.socket.terminate();
  await client.ended;
}

/** The session's messages before the given one, in order of arrival. */
function typesBefore(client: TestClient, last: FromBridge): string[] {
  return client.received
    .slice(0, client.received.indexOf(last))
    .filter(({ sessionId }) => sessionId === last.sessionId)
    .map(({ type }) => type);
}

function sendPrompt(client: TestClient, sessionId: string, text: string, key: string): string {
  return client.send({ type: 'session.message', sessionId, payload: { text, key } });
}

async function wasTakenBefore(client: TestClient, replyTo: string): Promise<boolean> {
  const answer = await client.next('prompt.taken', (one) => one.replyTo === replyTo);
  return answer.payload.before;
}

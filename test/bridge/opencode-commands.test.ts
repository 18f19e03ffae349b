import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ToBridgeOf } from '../../src/protocol/to-bridge';
import { startRun } from './opencode-run';
import { newestContent, requestsOf } from './opencode-steps';
import { startStock } from './stock-opencode';
import { TestClient } from './test-client';
import type { EngineRun } from './engine-contract';

function hello(vault: string): void {
  mkdirSync(join(vault, '.opencode/command'), { recursive: true });
  const text = '---\ndescription: Says hello\n---\nSay hello to $ARGUMENTS.\n';
  writeFileSync(join(vault, '.opencode/command/hello.md'), text);
}

type Started = Pick<EngineRun, 'vault' | 'runFile' | 'model' | 'close'>;

const KINDS: readonly (readonly [string, () => Promise<Started>])[] = [
  ['inside OpenCode', () => startRun({ prepare: hello })],
  ['on a stock server', () => startStock(hello)],
];

describe.each(KINDS)('commands of OpenCode, %s', (_, begin) => {
  let run: Started;
  let client: TestClient;

  beforeAll(async () => {
    run = await begin();
    client = await TestClient.connect(run.runFile, []);
  });

  afterAll(async () => {
    await client.close();
    await run.close();
  });

  const said = (sessionId: string) => newestContent(requestsOf(run, sessionId).at(-1), 'user');

  test('[BRIDGE100] are in the catalog, and a prompt that begins with one runs it', async () => {
    client.send({ type: 'catalog.get', payload: {} });
    const { payload } = await client.next('catalog');
    expect(payload.commands).toContainEqual({ name: 'hello', description: 'Says hello' });
    expect(payload.commands?.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['init', 'review']),
    );
    const sessionId = await client.start('Hello');
    const { payload: end } = await client.prompt(sessionId, '/hello all of you');
    expect(end.reason).toBe('completed');
    expect(said(sessionId)).toContain('Say hello to all of you.');
    await client.prompt(sessionId, '/nobody has this');
    expect(said(sessionId)).toContain('/nobody has this');
    await client.prompt(sessionId, 'No /hello here');
    expect(said(sessionId)).toContain('No /hello here');
  });

  test('[BRIDGE100] run like prompts: they are taken before they are answered, wait for each other, and stop', async () => {
    const sessionId = await client.start('Long');
    run.model.play(sessionId, { hang: true });
    client.send({ type: 'session.message', sessionId, payload: { text: '/hello you' } });
    await client.next('stream.token', (token) => token.sessionId === sessionId);
    // This prompt would wait in the bridge for ever if the command held the session's queue.
    client.send({ type: 'session.message', sessionId, payload: { text: 'And then?' } });
    await client.next(
      'message.final',
      (one) => one.sessionId === sessionId && one.payload.text === 'And then?',
    );
    client.send({ type: 'session.interrupt', sessionId, payload: {} });
    const end = await client.next('turn.end', (one) => one.sessionId === sessionId);
    expect(end.payload.reason).toBe('interrupted');
    expect((await client.prompt(sessionId, '/hello again')).payload.reason).toBe('completed');
    expect(said(sessionId)).toContain('Say hello to again.');
  });

  test('[BRIDGE100] get the notes that go with them, which a subagent’s can’t', async () => {
    const sessionId = await client.start('Notes');
    const context = { selection: 'the words in question', note: 'Inbox.md' };
    const say = (text: string): string => {
      const payload: ToBridgeOf<'session.message'>['payload'] = { text, context };
      return client.send({ type: 'session.message', sessionId, payload });
    };
    say('/hello you');
    await client.next('turn.end', (one) => one.sessionId === sessionId);
    expect(JSON.stringify(requestsOf(run, sessionId).at(-1)?.messages)).toContain(
      'the words in question',
    );
    const refused = say('/review it');
    const { payload } = await client.next('error', ({ replyTo }) => replyTo === refused);
    expect(payload).toMatchObject({ code: 'bad_message' });
    expect(payload.message).toContain('“/review” starts a subagent');
  });
});

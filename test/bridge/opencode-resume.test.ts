import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FromBridge } from '../../src/protocol/from-bridge';
import type { HelloPayload } from '../../src/protocol/to-bridge';
import { startRun, type Run } from './opencode-run';
import { answering, LIST, newest, promptByHttp, requestsOf, tasksCall } from './opencode-steps';
import { TestClient } from './test-client';

let run: Run;

beforeAll(async () => {
  run = await startRun();
});

afterAll(() => run.close());

async function hello(payload: Partial<HelloPayload> = {}) {
  const { port, token, folder } = run.runFile;
  const client = await TestClient.open(port, token);
  const said = { client: 'test', version: '1', vault: 'v', folder, capabilities: ['tools'] };
  client.send({ type: 'hello', payload: { ...said, ...payload } });
  const { payload: welcome } = await client.next('welcome');
  return { client, welcome };
}

/** The numbers of a session's messages, in the order in which they came. */
function numbers(client: TestClient, sessionId: string): number[] {
  return client.heard.flatMap((one) =>
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

describe('connecting again, inside OpenCode', () => {
  test('[LINK5] what was missed comes with its old numbers, and what had arrived does not', async () => {
    const first = await hello();
    expect(first.welcome.resumed).toBe(false);
    const sessionId = await first.client.start('Resumed');
    await first.client.prompt(sessionId, 'one');
    const had = numbers(first.client, sessionId);
    expect(had).toEqual(upTo(had.length));
    await cut(first.client);
    await promptByHttp(run, sessionId, 'two');
    const { epoch } = first.welcome;
    const lastSeq = had.length - 2;
    const again = await hello({ resume: [{ sessionId, epoch, lastSeq }] });
    expect(again.welcome).toMatchObject({ epoch, resumed: true });
    await again.client.prompt(sessionId, 'three');
    const came = numbers(again.client, sessionId);
    expect(came).toEqual(upTo(came.length + lastSeq).slice(lastSeq));
    const said = (one: FromBridge): boolean => one.type === 'message.final';
    const known = again.client.heard.filter(said).map(({ payload }) => payload);
    expect(known).toContainEqual(expect.objectContaining({ role: 'user', text: 'two' }));
    await again.client.close();
  });

  test('[LINK6] a message that is sent again with its number is served once; a gap closes', async () => {
    const { client, welcome } = await hello();
    const sessionId = await client.start('Once');
    const prompt = { type: 'session.message', sessionId, payload: { text: 'once' } } as const;
    client.send({ ...prompt, seq: 1 });
    await client.next('turn.end', (end) => end.sessionId === sessionId);
    await cut(client);
    const lastSeq = numbers(client, sessionId).length;
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
    const lastSeq = numbers(first.client, sessionId).length;
    const again = await hello({ resume: [{ sessionId, epoch: first.welcome.epoch, lastSeq }] });
    const repeated = await again.client.next('tool.call');
    expect(repeated.payload).toEqual(call.payload);
    answering(again.client, 'late but true');
    const audit = { approved: true, dryRun: false, ms: 1 };
    const payload = { callId: call.payload.callId, ok: true, output: 'late but true', audit };
    again.client.send({ type: 'tool.result', sessionId, payload });
    await again.client.next('turn.end', (end) => end.sessionId === sessionId);
    expect(newest(requestsOf(run, sessionId)[1], 'tool')).toContain('late but true');
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
    const came = numbers(other.client, sessionId);
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

  test('[LINK8] after a restart of OpenCode its stored session comes flagged', async () => {
    const { client, welcome } = await hello();
    const sessionId = await client.start('Restarted');
    await client.prompt(sessionId, 'remember me');
    const lastSeq = numbers(client, sessionId).length;
    await run.opencode.kill();
    run = await run.again();
    const resume = [
      { sessionId, epoch: welcome.epoch, lastSeq },
      { sessionId: 'ses_nobody', epoch: welcome.epoch, lastSeq: 1 },
    ];
    const again = await hello({ resume });
    expect(again.welcome.resumed).toBe(false);
    expect(again.welcome.epoch).not.toBe(welcome.epoch);
    const { payload } = await again.client.next('snapshot');
    expect(payload).toMatchObject({ resync: true, state: { title: 'Restarted', status: 'idle' } });
    expect(JSON.stringify(payload.state.messages)).toContain('remember me');
    expect((await again.client.prompt(sessionId, 'go on')).payload.reason).toBe('completed');
    await again.client.close();
  });

  test('[BRIDGE71] what goes with a prompt is told by name, live and from the history', async () => {
    const client = await TestClient.connect(run.runFile);
    const sessionId = await client.start('Attached');
    const context = { note: 'Inbox.md', selection: 'only for the model', attached: ['Ideas.md'] };
    client.send({ type: 'session.message', sessionId, payload: { text: 'Read @Ideas', context } });
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
});

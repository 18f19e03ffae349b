import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startRun, type OpencodeRun } from './opencode-run';
import { newestContent, PLAN, requestsOf, tasksCall } from './opencode-steps';
import { TestClient } from './test-client';

let run: OpencodeRun;
let client: TestClient;

const limit = { context: 9_000, output: 1_000 };

/** Configures a model with a small context beside the scripted one with a large context. */
function smallModel(vault: string): void {
  const models = { small: { name: 'Small', tool_call: true, limit } };
  writeFileSync(
    join(vault, 'opencode.json'),
    JSON.stringify({ provider: { scripted: { models } } }),
  );
}

beforeAll(async () => {
  run = await startRun({ prepare: smallModel, config: { model: 'scripted/small' } });
  client = await TestClient.connect(run.runFile, []);
});

afterAll(async () => {
  await client.close();
  await run.close();
});

describe('a compaction in OpenCode', () => {
  const compacted = (sessionId: string) =>
    client.next(
      'progress.update',
      (one) => one.sessionId === sessionId && one.payload.kind === 'compacted',
    );

  test('[BRIDGE55] that was asked for says what remained, with the model of the newest prompt and its limits', async () => {
    const sessionId = await client.start('By hand');
    run.model.play(
      sessionId,
      { text: 'a', used: 5_000 },
      { text: 'All that counts.', used: 5_100 },
    );
    await client.prompt(sessionId, 'go');
    client.send({ type: 'session.compact', sessionId, payload: {} });
    const { payload } = await compacted(sessionId);
    expect(payload).toMatchObject({ summary: 'All that counts.' });
    await client.next('turn.end', (end) => client.turnEnds(sessionId).indexOf(end) === 1);
    const told = client
      .ofType('progress.update')
      .filter((one) => one.sessionId === sessionId)
      .flatMap((one) => (one.payload.kind === 'tokens' ? [one.payload] : []));
    const common = { model: 'scripted/small', limit: 9_000, reserve: 1_000, output: 5 };
    expect(told).toMatchObject([
      { ...common, input: 5_000 },
      { ...common, input: 5_100, summary: true },
    ]);
    expect(told[0]).not.toHaveProperty('summary');
    client.send({ type: 'session.history', sessionId, payload: { limit: 10 } });
    const page = await client.next('snapshot', (one) => one.sessionId === sessionId);
    const parts = page.payload.state.messages.flatMap((message) => message.parts);
    expect(parts.filter((part) => 'summary' in part)).toMatchObject([
      { kind: 'text', text: 'All that counts.', summary: true },
    ]);
  });

  test('[BRIDGE51] of a context that is full has the board in it, and the agent has it afterwards', async () => {
    const sessionId = await client.start('Full');
    run.model.play(
      sessionId,
      tasksCall(PLAN),
      { text: 'planned', used: 8_500 },
      { text: 'A summary.', used: 8_600 },
    );
    await client.prompt(sessionId, 'plan');
    await client.prompt(sessionId, 'go on');
    await compacted(sessionId);
    const requests = requestsOf(run, sessionId);
    const at = requests.findIndex(({ tools }) => tools.length === 0);
    expect(newestContent(requests[at], 'user').split('Your task board')).toHaveLength(2);
    const after = requests.slice(at + 1);
    expect(after.length).toBeGreaterThan(0);
    for (const request of after) {
      expect(JSON.stringify(request.messages)).toContain('A summary.');
      expect(newestContent(request, 'user').split('Your task board')).toHaveLength(2);
      expect(newestContent(request, 'user')).toContain('#1 First');
    }
  });

  test('[BRIDGE55] that fails ends its turn with the reason, without a mark, and the next prompt is answered', async () => {
    const sessionId = await client.start('Refused');
    run.model.play(sessionId, { text: 'a' }, { status: 400 });
    await client.prompt(sessionId, 'go');
    client.send({ type: 'session.compact', sessionId, payload: {} });
    const end = await client.next(
      'turn.end',
      (one) => client.turnEnds(sessionId).indexOf(one) === 1,
    );
    expect(end.payload.reason).toBe('error');
    expect(end.payload.error?.message).toContain('scripted 400');
    const marks = client
      .ofType('progress.update')
      .filter((one) => one.sessionId === sessionId && one.payload.kind === 'compacted');
    expect(marks).toEqual([]);
    run.model.play(sessionId, { text: 'Answered.' });
    await client.prompt(sessionId, 'go on');
    const [, , next] = requestsOf(run, sessionId);
    expect(newestContent(next, 'user')).toContain('go on');
    expect(next?.tools.length).toBeGreaterThan(0);
  });
});

import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { textsBelow } from '../e2e/files-below';
import { boardFile, newestContent, PLAN, requestsOf } from './opencode-steps';
import { PASSWORD, startStock, type StockRun } from './stock-opencode';
import { TestClient } from './test-client';

const PROGRAM = join(import.meta.dirname, '../../dist/cli.js');
const TASKS = 'agent_boards_tasks';

let run: StockRun;

beforeAll(async () => {
  run = await startStock();
});

afterAll(() => run.close());

const connect = (capabilities: readonly string[] = ['permissions']): Promise<TestClient> =>
  TestClient.connect(run.runFile, capabilities);

const texts = (client: TestClient, sessionId: string): string[] =>
  client.received.flatMap((one) =>
    one.type === 'message.final' && one.sessionId === sessionId ? [one.payload.text] : [],
  );

/** Tool calls that the model makes, one after another. */
const plan = (title: string) => ({
  tools: [
    { name: TASKS, args: { operations: [{ type: 'init', title }, ...PLAN.operations.slice(1)] } },
  ],
});

test('[OCHTTP4] what a lost stream did not bring is told once it is back, each message once', async () => {
  const client = await connect();
  const sessionId = await client.start('Cut');
  const other = await client.start('Asked');
  run.model.play(sessionId, { text: 'said in between' }, { text: 'and after' });
  const bash = { name: 'bash', args: { command: 'echo x', description: 'Says so' } };
  run.model.play(other, { tools: [bash] }, { text: 'done' });
  run.wire.cut();
  await expect.poll(run.said).toContain('The connection to OpenCode is lost.');
  const prompt = (id: string, text: string): Promise<unknown> =>
    run.api('POST', `/session/${id}/prompt_async`, { parts: [{ type: 'text', text }] });
  await run.api('POST', `/session/${sessionId}/message`, {
    parts: [{ type: 'text', text: 'one' }],
  });
  await prompt(other, 'ask me');
  await expect.poll(() => run.api('GET', '/permission')).toHaveLength(1);
  const made = (await run.api('POST', '/session', { title: 'Meanwhile' })) as { id: string };
  run.wire.restore();
  const ask = await client.next('permission.request', (one) => one.sessionId === other);
  const payload = { requestId: ask.payload.requestId, reply: 'once' } as const;
  client.send({ type: 'permission.response', sessionId: other, payload });
  await client.next('turn.end', (one) => one.sessionId === other);
  await client.next('session.created', (one) => one.sessionId === made.id);
  expect(texts(client, sessionId)).toEqual(['one', 'said in between']);
  expect(client.turnEnds(sessionId).map((end) => end.payload.reason)).toEqual(['completed']);
  run.wire.cut();
  await run.api('PATCH', `/session/${other}`, { title: 'Renamed' });
  run.wire.restore();
  await client.next('progress.update', (one) => one.payload.kind === 'title');
  expect((await client.prompt(sessionId, 'two')).payload.reason).toBe('completed');
  expect(texts(client, sessionId)).toEqual(['one', 'said in between', 'two', 'and after']);
  expect(texts(client, other)).toEqual(['ask me', 'done']);
  expect(client.turnEnds(sessionId)).toHaveLength(2);
  expect(client.ofType('permission.request')).toHaveLength(1);
  expect(client.ofType('session.created').filter((one) => one.sessionId === made.id)).toHaveLength(
    1,
  );
  await client.close();
});

/** Status of the session; asks again while the answer is a retryable error. */
async function standOf(client: TestClient, sessionId: string) {
  for (;;) {
    const look = client.send({ type: 'session.look', sessionId, payload: {} });
    const stands = client.next('session.stands', ({ replyTo }) => replyTo === look);
    const refused = client.next('error', ({ replyTo }) => replyTo === look);
    const answer = await Promise.race([stands, refused]);
    if (answer.type === 'session.stands') return answer.payload;
    expect(answer.payload.retryable).toBe(true);
  }
}

test('[OCHTTP15] another OpenCode that took the address is not asked: sessions are there with the first one again', async () => {
  const client = await connect();
  const sessionId = await client.start('Stays');
  run.model.play(sessionId, { text: 'before' }, { text: 'after' });
  await client.prompt(sessionId, 'one');
  const putBack = await run.replaceOpencode();
  try {
    await expect.poll(run.said).toContain('wants no password: it is another OpenCode');
    const look = client.send({ type: 'session.look', sessionId, payload: {} });
    const { payload } = await client.next('error', ({ replyTo }) => replyTo === look);
    expect(payload).toMatchObject({ code: 'internal', retryable: true });
    expect(payload.message).toMatch(/^The connection to OpenCode at .* is lost\./);
  } finally {
    await putBack();
  }
  const stand = await standOf(client, sessionId);
  expect(stand.answer).toMatchObject({ text: 'before', end: 'completed' });
  expect((await client.prompt(sessionId, 'two')).payload.reason).toBe('completed');
  expect(client.ofType('session.end')).toEqual([]);
  await client.close();
});

test('[OCHTTP5] [OCHTTP6] a turn that ended with OpenCode’s process is interrupted, and the next one has tools again', async () => {
  const client = await connect();
  const sessionId = await client.start('Killed');
  run.model.play(sessionId, { hang: true }, plan('After'), { text: 'planned' });
  const end = client.prompt(sessionId, 'go');
  await client.next('stream.token', (one) => one.sessionId === sessionId);
  await run.restartOpencode();
  expect((await end).payload.reason).toBe('interrupted');
  expect((await client.prompt(sessionId, 'plan')).payload.reason).toBe('completed');
  expect(client.turnEnds(sessionId)).toHaveLength(2);
  expect(readFileSync(boardFile(run, sessionId), 'utf8')).toContain('title: After');
  await client.close();
});

test('[OCHTTP4] [OCHTTP6] a turn that outlives agent-boards serve is told to its end, and calls the tools of the new one', async () => {
  const before = await connect();
  const sessionId = await before.start('Outlives');
  const bash = { name: 'bash', args: { command: 'echo x', description: 'Says so' } };
  run.model.play(sessionId, { tools: [bash] }, plan('Goes on'), { text: 'planned' });
  before.send({ type: 'session.message', sessionId, payload: { text: 'go' } });
  const asked = await before.next('permission.request', (one) => one.sessionId === sessionId);
  run = { ...run, runFile: await run.restartServe() };
  const after = await connect();
  after.send({ type: 'session.attach', sessionId, payload: {} });
  const again = await after.next('permission.request', (one) => one.sessionId === sessionId);
  expect(again.payload).toEqual(asked.payload);
  const payload = { requestId: again.payload.requestId, reply: 'once' } as const;
  after.send({ type: 'permission.response', sessionId, payload });
  const end = await after.next('turn.end', (one) => one.sessionId === sessionId);
  expect(end.payload.reason).toBe('completed');
  expect(texts(after, sessionId)).toEqual(['planned']);
  expect(readFileSync(boardFile(run, sessionId), 'utf8')).toContain('title: Goes on');
  await after.close();
});

test('[OCHTTP7] calls of sessions that work at the same time each reach the board of their own', async () => {
  const client = await connect();
  const titles = Array.from({ length: 4 }, (_, n) => `Own ${n}`);
  const ids = await Promise.all(titles.map((title) => client.start(title)));
  for (const [n, id] of ids.entries()) run.model.play(id, plan(titles[n] ?? ''), { text: 'ok' });
  await Promise.all(ids.map((id) => client.prompt(id, 'plan')));
  for (const [n, id] of ids.entries()) {
    expect(readFileSync(boardFile(run, id), 'utf8')).toContain(`title: ${titles[n]}`);
    expect(newestContent(requestsOf(run, id).at(-1), 'tool')).toContain(titles[n]);
  }
  await client.close();
});

test('[OCHTTP8] a subagent neither sees nor changes the board', async () => {
  const client = await connect();
  const sessionId = await client.start('Parent');
  const args = { description: 'd', prompt: 'work', subagent_type: 'general' };
  run.model.play(sessionId, { tools: [{ name: 'task', args }] }, { text: 'done' });
  run.model.play(`child of ${sessionId}`, plan('Mine'), { text: 'reported' });
  await client.prompt(sessionId, 'delegate');
  const child = run.model.requests.filter(({ parentId }) => parentId === sessionId);
  expect(newestContent(child.at(-1), 'tool')).toContain('the board is the main agent’s');
  expect(existsSync(boardFile(run, sessionId))).toBe(false);
  expect(existsSync(boardFile(run, child[0]?.sessionId ?? ''))).toBe(false);
  await client.close();
});

test('[OCHTTP11] a list of todowrite stands on the board of its session', async () => {
  const client = await connect();
  const sessionId = await client.start('Old habits');
  const todos = [{ content: 'Read', status: 'in_progress', priority: 'high' }];
  run.model.play(sessionId, { tools: [{ name: 'todowrite', args: { todos } }] }, { text: 'ok' });
  await client.prompt(sessionId, 'go');
  const text = (): string => readFileSync(boardFile(run, sessionId), 'utf8');
  await expect.poll(text).toMatch(/- \[\/\] Read/);
  await client.close();
});

test('[OCHTTP12] what the rules of the vault ask is asked of a client that answers, where none runs the call', async () => {
  const client = await connect();
  const sessionId = await client.start('Writes');
  const args = { path: 'New.md', content: 'from the agent', dryRun: false };
  const call = { name: 'agent_boards_obsidian_create_note', args };
  run.model.play(sessionId, { tools: [call] }, { tools: [call] }, { text: 'done' });
  const end = client.prompt(sessionId, 'write');
  const first = (await client.next('permission.request')).payload.requestId;
  const no = { requestId: first, reply: 'reject', message: 'not there' } as const;
  client.send({ type: 'permission.response', sessionId, payload: no });
  const second = await client.next('permission.request', (one) => one.payload.requestId !== first);
  expect(second.payload).toMatchObject({ permission: 'notes_ask', patterns: ['New.md'] });
  expect(existsSync(join(run.vault, 'New.md'))).toBe(false);
  const yes = { requestId: second.payload.requestId, reply: 'once' } as const;
  client.send({ type: 'permission.response', sessionId, payload: yes });
  expect((await end).payload.reason).toBe('completed');
  expect(newestContent(requestsOf(run, sessionId)[1], 'tool')).toContain('not there');
  expect(readFileSync(join(run.vault, 'New.md'), 'utf8')).toContain('from the agent');
  await client.close();
});

test('[OCHTTP3] the password stands nowhere but in the environment', async () => {
  const wrong = promisify(execFile)(
    process.execPath,
    [PROGRAM, 'serve', '--vault', run.vault, '--engine', 'opencode', '--url', run.wire.url],
    { env: { PATH: process.env.PATH, OPENCODE_SERVER_PASSWORD: 'canary-of-another' } },
  );
  const refused = await wrong.catch((error: unknown) => error as { code: number; stderr: string });
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain('refuses the password');
  expect(refused.stderr).not.toContain('canary');
  expect(run.said()).not.toContain(PASSWORD);
  const holding = [...textsBelow(run.vault)].filter(([, text]) => text.includes('canary-'));
  expect(holding).toEqual([]);
});

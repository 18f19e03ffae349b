import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FromBridge } from '../../src/protocol/from-bridge';
import { startRun, type OpencodeRun } from './opencode-run';
import { PLAN, promptByHttp, requestsOf, sessionByHttp, tasksCall } from './opencode-steps';
import { TestClient } from './test-client';

let first: OpencodeRun;
let run: OpencodeRun;

beforeAll(async () => {
  first = await startRun({ config: { permission: { bash: 'ask' } } });
  run = first;
});

afterAll(async () => {
  if (run !== first) await run.opencode.kill();
  await first.close();
});

/** A client that answers requests but runs no tools: calls run headless. */
function connect(): Promise<TestClient> {
  return TestClient.connect(run.runFile, ['permissions']);
}

async function look(client: TestClient, sessionId: string) {
  const id = client.send({ type: 'session.look', sessionId, payload: {} });
  return client.next('session.stands', (one) => one.replyTo === id);
}

/** The session's messages before the given one, in order of arrival. */
function before(client: TestClient, last: FromBridge): string[] {
  return client.received
    .slice(0, client.received.indexOf(last))
    .filter(({ sessionId }) => sessionId === last.sessionId)
    .map(({ type }) => type);
}

describe('sessions of OpenCode', () => {
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
        .ofType(type)
        .map(({ payload }) => payload.delta)
        .join('');
    expect(text('stream.thinking')).toBe('Let me think.');
    expect(text('stream.token')).toBe('Hello you.');
    const said = client.ofType('message.final').map(({ payload }) => payload);
    expect(said.map(({ role, kind, text }) => [role, kind, text])).toEqual([
      ['user', 'text', 'hi'],
      ['assistant', 'thinking', 'Let me think.'],
      ['assistant', 'text', 'Hello you.'],
    ]);
    expect(said[0]).toMatchObject({ agent: 'build', model: 'scripted/script' });
    await client.close();
  });

  test('[BRIDGE22] what OpenCode tries again is told as such, and the turn ends once', async () => {
    const client = await TestClient.connect(run.runFile);
    const sessionId = await client.start('Tried again');
    run.model.play(sessionId, { status: 503 }, { text: 'better' });
    expect((await client.prompt(sessionId, 'go')).payload.reason).toBe('completed');
    await client.next('progress.update', ({ payload }) => payload.kind === 'idle');
    // The answer to the prompt may already tell what the session does.
    const told = client.ofType('progress.update').filter(({ replyTo }) => replyTo === undefined);
    const kinds = told.map(({ payload }) => payload.kind);
    expect(kinds.filter((kind) => kind !== 'tokens')).toEqual(['busy', 'retry', 'busy', 'idle']);
    expect(client.turnEnds(sessionId)).toHaveLength(1);
    await client.close();
  });

  test('[BRIDGE22] an interrupt reaches a subagent that waits for a person', async () => {
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
    expect(client.ofType('permission.resolved').map(({ sessionId: id }) => id)).toEqual([
      ask.sessionId,
    ]);
    await end;
    expect(client.turnEnds(sessionId)).toHaveLength(1);
    await client.close();
  });
});

describe('how a session stands, inside OpenCode', () => {
  test('[BRIDGE27] with an answer that failed, was interrupted, or was cut off by a kill', async () => {
    const client = await connect();
    const sessionId = await client.start('Failed');
    run.model.play(sessionId, { status: 401 });
    await client.prompt(sessionId, 'fail');
    const failed = (await look(client, sessionId)).payload;
    expect(failed).toMatchObject({ status: 'idle', answer: { end: 'error', code: 'auth' } });
    expect(failed.answer?.error).toContain('scripted 401');
    expect(failed.answer).not.toHaveProperty('key');
    run.model.play(sessionId, { hang: true });
    const end = client.prompt(sessionId, 'wait');
    await client.next('stream.token', (one) => one.sessionId === sessionId);
    client.send({ type: 'session.interrupt', sessionId, payload: {} });
    await end;
    const interrupted = (await look(client, sessionId)).payload;
    expect(interrupted).toMatchObject({ status: 'idle', answer: { end: 'interrupted' } });
    run.model.play(sessionId, { hang: true });
    const seen = client.ofType('stream.token').length;
    client.send({ type: 'session.message', sessionId, payload: { text: 'again', key: 'cut' } });
    await client.next('stream.token', (one) => client.ofType('stream.token').indexOf(one) >= seen);
    process.kill(run.runFile.pid, 'SIGKILL');
    await run.opencode.kill();
    run = await first.restart();
    const again = await connect();
    const cut = (await look(again, sessionId)).payload;
    expect(cut).toMatchObject({ status: 'idle', answer: { end: 'open', key: 'cut' } });
    await again.close();
  });

  test('[BRIDGE27] a session that nobody attached is told of and followed; one that is not there is unknown', async () => {
    const client = await connect();
    const sessionId = await sessionByHttp(run, 'Elsewhere');
    await client.next('session.created', (one) => one.sessionId === sessionId);
    const late = await connect();
    const stands = await look(late, sessionId);
    expect(before(late, stands)).toEqual(['session.created', 'progress.update']);
    await promptByHttp(run, sessionId, 'go');
    await late.next('turn.end', (one) => one.sessionId === sessionId);
    const other = await sessionByHttp(run, 'Deleted');
    await run.api('DELETE', `/session/${other}`);
    for (const gone of [other, 'ses_nobody']) {
      const id = late.send({ type: 'session.look', sessionId: gone, payload: {} });
      const refused = await late.next('error', (one) => one.replyTo === id);
      expect(refused.payload.code).toBe('unknown_session');
    }
    await Promise.all([client.close(), late.close()]);
  });

  test('[BRIDGE27] a list of 120 sessions names them all, with who works', async () => {
    const client = await connect();
    const ids = await Promise.all(
      Array.from({ length: 120 }, (_, n) => sessionByHttp(run, `Many ${n}`)),
    );
    const works = ids[0] ?? '';
    run.model.play(works, { hang: true });
    client.send({ type: 'session.attach', sessionId: works, payload: {} });
    client.send({ type: 'session.message', sessionId: works, payload: { text: 'go' } });
    await client.next('stream.token', (one) => one.sessionId === works);
    const late = await connect();
    const listed = new Map(
      late.ofType('welcome')[0]?.payload.sessions.map(({ id, status }) => [id, status]),
    );
    expect(ids.map((id) => listed.get(id))).toEqual(ids.map((_, n) => (n === 0 ? 'busy' : 'idle')));
    client.send({ type: 'session.interrupt', sessionId: works, payload: {} });
    await client.next('turn.end', (one) => one.sessionId === works);
    await Promise.all([client.close(), late.close()]);
  });
});

describe('a session that may only read', () => {
  const WRITES = ['edit', 'write', 'apply_patch', 'patch', 'multiedit'];
  const NOTES = ['obsidian_create_note', 'obsidian_update_note'];
  const reads = ['read', 'grep', 'bash', 'tasks', 'obsidian_read_note'];

  test('[BRIDGE28] is neither shown nor let use what changes files and notes, nor are its subagents', async () => {
    const client = await connect();
    const owner = await client.start('Owner');
    run.model.play(owner, tasksCall(PLAN), { text: 'ok' });
    await client.prompt(owner, 'plan');
    const board = { session: owner, agent: 'build' };
    const check = await client.start('Check', { board, key: 'check' });
    const write = { name: 'write', args: { filePath: join(run.vault, 'a.txt'), content: 'x' } };
    const note = { name: 'obsidian_create_note', args: { path: 'a.md', content: 'x' } };
    const task = {
      name: 'task',
      args: { description: 'Look', prompt: 'look', subagent_type: 'general' },
    };
    run.model.play(check, { tools: [write] }, { tools: [note] }, { tools: [task] }, { text: 'ok' });
    run.model.play(`child of ${check}`, { tools: [write] }, { text: 'looked' });
    await client.prompt(check, 'judge');
    const tools = requestsOf(run, check).map((one) => one.tools.map(({ name }) => name));
    const kid = run.model.requests.filter(({ parentId }) => parentId === check);
    const offered = [...tools, ...kid.map((one) => one.tools.map(({ name }) => name))].flat();
    expect(kid.length).toBeGreaterThan(0);
    expect(offered.filter((name) => [...WRITES, ...NOTES].includes(name))).toEqual([]);
    expect(tools[0]).toEqual(expect.arrayContaining(reads));
    expect(['a.txt', 'a.md'].map((file) => existsSync(join(run.vault, file)))).toEqual([
      false,
      false,
    ]);
    const worker = await client.start('Worker', { board: { ...board, task: '1' } });
    await client.prompt(worker, 'work');
    const its = requestsOf(run, worker)[0]?.tools.map(({ name }) => name);
    expect(its).toEqual(expect.arrayContaining([...reads, ...NOTES, 'edit', 'write']));
    await client.close();
  });
});

describe('what answers cost', () => {
  test('[BRIDGE29] is told once for each answer, with its message', async () => {
    const client = await connect();
    const sessionId = await client.start('Costs');
    run.model.play(sessionId, tasksCall({ operations: [{ type: 'list' }] }), { text: 'ok' });
    await client.prompt(sessionId, 'go');
    const stored = (await run.api('GET', `/session/${sessionId}/message`)) as {
      info: { id: string; role: string };
    }[];
    const answers = stored.filter(({ info }) => info.role === 'assistant');
    const told = client
      .ofType('progress.update')
      .flatMap((one) =>
        one.sessionId === sessionId && one.payload.kind === 'tokens' ? [one.payload] : [],
      );
    expect(told.map(({ messageId }) => messageId)).toEqual(answers.map(({ info }) => info.id));
    expect(told.map(({ input, output }) => [input, output])).toEqual([
      [10, 5],
      [10, 5],
    ]);
    await client.close();
  });
});

test('[OCHTTP13] agent-boards serve refuses an OpenCode that has the bridge', async () => {
  const program = join(import.meta.dirname, '../../dist/cli.js');
  const args = ['serve', '--vault', run.vault, '--engine', 'opencode', '--url', run.opencode.url];
  const served = promisify(execFile)(process.execPath, [program, ...args]);
  const refused = await served.catch((error: unknown) => error as { code: number; stderr: string });
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stderr).toContain('has the bridge in this folder');
});

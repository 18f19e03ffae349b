import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startRun, type OpencodeRun } from './opencode-run';
import { boardFile, PLAN, requestsOf, tasksCall } from './opencode-steps';
import { TestClient } from './test-client';

let first: OpencodeRun;
let run: OpencodeRun;

beforeAll(async () => {
  first = await startRun();
  run = first;
});

afterAll(async () => {
  if (run !== first) await run.opencode.kill();
  await first.close();
});

interface Stored {
  readonly info: { readonly id: string; readonly role: string };
  readonly parts: readonly { readonly text?: string }[];
}

/** The texts of the session's prompts, in the order in which OpenCode stores them. */
async function prompts(sessionId: string): Promise<(string | undefined)[]> {
  const all = (await run.api('GET', `/session/${sessionId}/message`)) as Stored[];
  return all.filter(({ info }) => info.role === 'user').map(({ parts }) => parts[0]?.text);
}

async function titled(title: string): Promise<number> {
  const all = (await run.api('GET', '/session?limit=1000')) as { title: string }[];
  return all.filter((session) => session.title === title).length;
}

/** `kill -9`, then another OpenCode in the same vault. */
async function killAndStartAgain(): Promise<TestClient> {
  process.kill(run.runFile.pid, 'SIGKILL');
  await run.opencode.kill();
  run = await first.restart();
  return TestClient.connect(run.runFile, []);
}

function say(client: TestClient, sessionId: string, text: string, key: string): string {
  return client.send({ type: 'session.message', sessionId, payload: { text, key } });
}

async function taken(client: TestClient, replyTo: string): Promise<boolean> {
  const answer = await client.next('prompt.taken', (one) => one.replyTo === replyTo);
  return answer.payload.before;
}

/** Starts a session by a request with this id. */
async function start(client: TestClient, request: string, key: string, parentId?: string) {
  const parent = parentId === undefined ? {} : { parentId };
  const payload = { requestId: request, title: `Start ${key}`, key, ...parent };
  client.send({ type: 'session.start', payload });
  const created = await client.next('session.created', (one) => one.payload.requestId === request);
  return created.sessionId;
}

describe('what has a key, inside OpenCode', () => {
  test('[BRIDGE25] is one session, however often it is started, at once and again and after a kill', async () => {
    const client = await TestClient.connect(run.runFile, []);
    const parent = await client.start('Parent');
    const atOnce = await Promise.all([
      start(client, 'a', 'run-1'),
      start(client, 'b', 'run-1'),
      start(client, 'c', 'run-2', parent),
      start(client, 'd', 'run-2', parent),
    ]);
    const [one, , two] = atOnce;
    expect(atOnce).toEqual([one, one, two, two]);
    expect(two).not.toBe(one);
    expect(await start(client, 'e', 'run-1')).toBe(one);
    // The bridge dies before anybody learns of the session.
    client.send({
      type: 'session.start',
      payload: { requestId: 'f', title: 'Start run-3', key: 'run-3', parentId: parent },
    });
    const again = await killAndStartAgain();
    expect(await start(again, 'g', 'run-2', parent)).toBe(two);
    expect(await start(again, 'h', 'run-1')).toBe(one);
    await start(again, 'i', 'run-3', parent);
    expect(await Promise.all(['run-1', 'run-2', 'run-3'].map((k) => titled(`Start ${k}`)))).toEqual(
      [1, 1, 1],
    );
    expect((await again.prompt(one, 'go')).payload.reason).toBe('completed');
    await again.close();
  });

  test('[BRIDGE25] keeps its board when it is found, and is refused nothing that was checked then', async () => {
    const client = await TestClient.connect(run.runFile, []);
    const owner = await client.start('Owner');
    run.model.play(owner, tasksCall(PLAN), { text: 'ok' });
    await client.prompt(owner, 'plan');
    expect(existsSync(boardFile(run, owner))).toBe(true);
    const board = { session: owner, agent: 'build', task: '1' };
    const bound = await client.start('Bound', { key: 'bound', board, parentId: owner });
    await client.close();
    const again = await killAndStartAgain();
    const gone = { session: owner, agent: 'build', task: '9' };
    expect(await again.start('Bound', { key: 'bound', board: gone, parentId: owner })).toBe(bound);
    run.model.play(bound, tasksCall({ operations: [{ type: 'list' }] }), { text: 'ok' });
    await again.prompt(bound, 'list');
    expect(existsSync(boardFile(run, bound))).toBe(false);
    const seen = JSON.stringify(requestsOf(run, bound).at(-1)?.messages);
    expect(seen).toContain('First');
    expect(seen).not.toContain('agent-task-boards-key');
    await again.close();
  });

  test('[BRIDGE26] is found after a kill between its being taken and its answer, behind many messages', async () => {
    const client = await TestClient.connect(run.runFile, []);
    const id = await client.start('Killed');
    for (let n = 0; n < 3; n++) await client.prompt(id, `before ${n}`);
    run.model.play(id, { hang: true });
    expect(await taken(client, say(client, id, 'work', 'step-1'))).toBe(false);
    await client.next('stream.token', (token) => token.payload.delta.includes('wait'));
    const again = await killAndStartAgain();
    expect(await taken(again, say(again, id, 'work', 'step-1'))).toBe(true);
    for (let n = 0; n < 60; n++) {
      const parts = [{ type: 'text', text: `after ${n}` }];
      await run.api('POST', `/session/${id}/message`, { noReply: true, parts });
    }
    const last = await killAndStartAgain();
    expect(await taken(last, say(last, id, 'work', 'step-1'))).toBe(true);
    expect((await prompts(id)).filter((text) => text === 'work')).toHaveLength(1);
    await last.close();
  });

  test('[BRIDGE26] is there once where OpenCode is killed as soon as it was sent', async () => {
    const client = await TestClient.connect(run.runFile, []);
    const id = await client.start('At once');
    say(client, id, 'first', 'f');
    client.send({ type: 'ping', payload: {} });
    await client.next('pong');
    const again = await killAndStartAgain();
    await taken(again, say(again, id, 'first', 'f'));
    expect(await prompts(id)).toEqual(['first']);
    await again.close();
  });
});

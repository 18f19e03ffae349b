import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { DiskBoards } from '../../src/bridge/disk-boards';
import { DiskStore } from '../../src/node/disk-store';
import { nodeClock as clock, nodeIds as ids } from '../../src/node/node-ports';
import type { FromBridgeOf } from '../../src/protocol/from-bridge';
import { startModel } from '../bridge/model';
import { newestContent } from '../bridge/opencode-steps';
import { TestClient } from '../bridge/test-client';
import { agentSession, serveOpencode } from './served-acp';
import { serveOn, type ServedModel } from './served-model';

const AGENT = join(import.meta.dirname, 'listing-agent.mjs');

let close: (() => Promise<void>) | undefined;
afterEach(() => close?.());

async function serveListing(...pages: readonly string[]): Promise<ServedModel> {
  const args = ['--engine', 'acp', '--', process.execPath, AGENT, ...pages];
  const served = await serveOn(await startModel(), { engine: () => ({ args, env: {} }) });
  close = () => served.close();
  return served;
}

type Listed = FromBridgeOf<'welcome'>['payload']['sessions'][number];

async function list(client: TestClient): Promise<readonly Listed[]> {
  const id = client.send({ type: 'session.list', payload: {} });
  return (await client.next('welcome', ({ replyTo }) => replyTo === id)).payload.sessions;
}

async function listed(client: TestClient, title: string): Promise<string> {
  const find = async () => (await list(client)).find((one) => one.title === title)?.id;
  const told = client.next('session.created', ({ payload }) => payload.title === title);
  return (await find()) ?? (await told).sessionId;
}

/** The session's history, a line for each part. */
async function history(client: TestClient, sessionId: string): Promise<readonly string[]> {
  const id = client.send({ type: 'session.history', sessionId, payload: { limit: 50 } });
  const { payload } = await client.next('snapshot', ({ replyTo }) => replyTo === id);
  return payload.state.messages.flatMap(({ role, parts }) =>
    parts.map((part) => `${role} ${part.kind} ${'text' in part ? part.text : ''}`.trim()),
  );
}

test('[ACP13] a session that opencode acp has from elsewhere is listed, told whole once it is opened, and gone on with', async () => {
  const served = await serveOpencode(await startModel());
  close = () => served.close();
  const before = await TestClient.connect(served.runFile);
  await before.prompt(await before.start('Mine'), 'the first words');
  await before.close();
  // As if another program had started it.
  rmSync(join(served.vault, '.opencode/agent-task-boards/acp-sessions'), { recursive: true });
  const again = await served.restart('SIGTERM');
  close = () => again.close();
  const client = await TestClient.connect(again.runFile);
  const sessionId = await listed(client, 'A title');
  expect(await history(client, sessionId)).toEqual([
    'user text the first words',
    'assistant text fine',
  ]);
  client.send({ type: 'session.attach', sessionId, payload: {} });
  expect((await client.prompt(sessionId, 'and on')).payload.reason).toBe('completed');
  const { messages } = again.model.requests.at(-1) ?? { messages: [] };
  expect(JSON.stringify(messages)).toMatch(/the first words.*and on/);
  expect((await list(client)).filter(({ title }) => title === 'A title')).toHaveLength(1);
  await client.close();
});

test('[ACP13] pages end where a cursor comes again; other folders are left out; what the agent tells while it loads is the past', async () => {
  const served = await serveListing();
  const client = await TestClient.connect(served.runFile);
  const sessionId = await listed(client, 'Dig');
  const titles = (await list(client)).map(({ title }) => title);
  expect(titles.sort()).toEqual(['Build', 'Dig', 'Late']);
  expect(await history(client, sessionId)).toEqual([
    'user text Where?\n\nHere.',
    'assistant thinking Look.',
    'assistant text I look.',
    'assistant tool',
    'assistant text There.',
  ]);
  client.send({ type: 'session.attach', sessionId, payload: {} });
  await client.prompt(sessionId, 'On');
  expect(client.ofType('message.final').at(-1)?.payload.text).toBe('dig: On');
  await client.close();
});

test('[ACP13] one that the agent can’t open says so and begins nothing; one that is deleted is not listed again', async () => {
  const served = await serveListing();
  const client = await TestClient.connect(served.runFile);
  const lost = await listed(client, 'Build');
  const asked = client.send({
    ...{ type: 'session.message', sessionId: lost, payload: { text: 'x' } },
  });
  const { payload } = await client.next('error', ({ replyTo }) => replyTo === asked);
  expect(payload).toMatchObject({
    code: 'conflict',
    message: 'The agent could not open this session: lost it',
  });
  const late = await listed(client, 'Late');
  client.send({ type: 'session.attach', sessionId: late, payload: {} });
  client.send({ type: 'session.delete', sessionId: late, payload: {} });
  await client.next('session.end', ({ sessionId }) => sessionId === late);
  await client.close();
  const again = await served.restart('SIGTERM');
  close = () => again.close();
  const next = await TestClient.connect(again.runFile);
  await listed(next, 'Dig');
  const titles = (await list(next)).map(({ title }) => title);
  expect(titles.sort()).toEqual(['Build', 'Dig']);
  await next.close();
});

test('[ACP13] a list without an end is read for fifty pages', async () => {
  const served = await serveListing('endless');
  const client = await TestClient.connect(served.runFile);
  await expect.poll(async () => (await list(client)).length).toBe(50);
  const pages = readFileSync(join(served.vault, 'pages.txt'), 'utf8');
  expect(pages.split('\n')).toHaveLength(51);
  await client.close();
});

test('[ACP16] each agent has a folder of its sessions; those from before are listed, and move when one goes on', async () => {
  const folder = '.opencode/agent-task-boards/acp-sessions';
  const old = { v: 1, id: 'ses_old', title: 'Old', created: 1, agentSession: 'dig' };
  const prompt = { kind: 'prompt', id: 'msg_1', at: 1, text: 'before', agent: 'a', model: '' };
  const args = ['--engine', 'acp', '--name', 'Mine: one', '--', process.execPath, AGENT];
  const served = await serveOn(await startModel(), {
    files: {
      [`${folder}/ses_old.json`]: JSON.stringify(old),
      [`${folder}/ses_old.jsonl`]: `${JSON.stringify(prompt)}\n`,
      [`${folder}/hidden.json`]: '["build"]',
    },
    engine: () => ({ args, env: {} }),
  });
  close = () => served.close();
  const names = (...path: string[]) => readdirSync(join(served.vault, folder, ...path)).sort();
  const client = await TestClient.connect(served.runFile);
  await listed(client, 'Late');
  const titles = (await list(client)).map(({ title }) => title);
  // “Dig” belongs to the old one, “Build” was hidden.
  expect(titles.sort()).toEqual(['Late', 'Old']);
  expect(await history(client, 'ses_old')).toContain('user text before');
  expect(names()).toContain('ses_old.json');
  client.send({ type: 'session.attach', sessionId: 'ses_old', payload: {} });
  await client.prompt('ses_old', 'and on');
  expect(client.ofType('message.final').at(-1)?.payload.text).toBe('dig: and on');
  expect(names('mine-one')).toEqual(
    expect.arrayContaining(['.gitignore', 'ses_old.json', 'ses_old.jsonl']),
  );
  expect(names()).toEqual(['hidden.json', 'mine-one']);
  expect((await list(client)).filter(({ title }) => title === 'Old')).toHaveLength(1);
  await client.close();
});

test('[ACP19] opencode acp is asked for what it offers in one session over all starts, which is the first that begins', async () => {
  let served = await serveOpencode(await startModel());
  close = () => served.close();
  const folder = '.opencode/agent-task-boards/acp-sessions/opencode';
  const ids = (name: string): readonly string[] => {
    const path = join(served.vault, folder, name);
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as string[]) : [];
  };
  const asked = async (): Promise<TestClient> => {
    const client = await TestClient.connect(served.runFile);
    client.send({ type: 'catalog.get', payload: {} });
    expect((await client.next('catalog')).payload.models).not.toEqual([]);
    // OpenCode lists it, so it can be continued.
    await list(client);
    await expect.poll(() => ids('spare.json')).toHaveLength(1);
    return client;
  };
  await (await asked()).close();
  const [spare = ''] = ids('spare.json');
  served = await served.restart('SIGTERM');
  const client = await asked();
  expect([ids('hidden.json'), ids('spare.json')]).toEqual([[spare], [spare]]);
  const [first, second] = [await client.start('First'), await client.start('Second')];
  for (const one of [first, second]) {
    expect((await client.prompt(one, 'words')).payload.reason).toBe('completed');
  }
  expect(agentSession(served.vault, first)).toBe(spare);
  expect(agentSession(served.vault, second)).not.toBe(spare);
  expect(ids('spare.json')).toEqual([]);
  expect((await list(client)).map(({ title }) => title).sort()).toEqual(['First', 'Second']);
  await client.close();
});

test('[ACP14] the agent’s own commands are in the catalog, and go to it as a prompt', async () => {
  const served = await serveListing();
  const client = await TestClient.connect(served.runFile);
  client.send({ type: 'catalog.get', payload: {} });
  const { payload } = await client.next('catalog');
  expect(payload.commands).toEqual([{ name: 'find', description: 'Looks for words.' }]);
  await client.prompt(await client.start('Find'), '/find it');
  expect(client.ofType('message.final').at(-1)?.payload.text).toBe('new: /find it');
  await client.close();
});

test('[KEEP26] [ACP11] a plan that is handed over to opencode acp goes on there: its agent works on the same tasks', async () => {
  const served = await serveOpencode(await startModel());
  close = () => served.close();
  const store = new DiskStore(served.vault);
  const log = { note: () => undefined };
  const manager = await new DiskBoards({ store, clock, ids, log }).manager();
  const operations = [
    { type: 'add', title: 'Dig' },
    { type: 'add', title: 'Build', dependsOn: [1] },
  ];
  await manager.call({ sessionId: 'ses_before', agent: 'claude' }, { operations });
  const client = await TestClient.connect(served.runFile, []);
  const sessionId = await client.start('Heir', { agent: 'build' });
  const { successions } = manager;
  const before = '.opencode/todos/ses_before/claude-tasks.md';
  expect(await successions.continueIn(before, sessionId, 'build')).toMatchObject({ tasks: 2 });
  served.model.nameSessions(() => sessionId);
  const args = { operations: [{ type: 'complete', id: 1 }] };
  served.model.play(sessionId, { tools: [{ name: 'agent_boards_tasks', args }] }, { text: 'dug' });
  const { payload } = await client.prompt(sessionId, 'Go on with it.', { agent: 'build' });
  expect(payload.reason).toBe('completed');
  const asked = served.model.requests.findLast(({ tools }) => tools.length > 0);
  expect(newestContent(asked, 'tool')).toContain('Build');
  const path = join(served.vault, '.opencode/todos', sessionId, 'build-tasks.md');
  expect(readFileSync(path, 'utf8')).toMatch(
    /- \[x\] Dig .*🆔 (\w+)-1 .*\n- \[ \] Build .*⛔ \1-1 /,
  );
  await client.close();
});

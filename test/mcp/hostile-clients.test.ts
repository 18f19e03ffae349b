import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AuditReader } from '../../src/core/permission/audit/audit-reader';
import { AUDIT_FOLDER, noteAuditStore } from '../../src/core/permission/audit/audit-store';
import { DiskStore } from '../../src/node/disk-store';
import { afterAll, afterEach, expect, it } from 'vitest';
import { readBoards, connect, filesIn, makeVault, removeVaults, type McpClient } from './mcp-rig';
import { RawMcpClient } from './raw-mcp-client';

const open: { kill(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of open.splice(0)) await one.kill();
});
afterAll(removeVaults);

async function agent(...given: Parameters<typeof connect>): Promise<McpClient> {
  const client = await connect(...given);
  open.push({ kill: client.close });
  return client;
}

const RECORDS = '.opencode/agent-task-boards/mcp';

/** The session of the only board. */
async function sessionIn(vault: string): Promise<string> {
  const [path = ''] = (await readBoards(vault)).keys();
  return path.split('/')[2] ?? '';
}

it('[MCP6] resume of the own board needs nobody, and it stays the own one', async () => {
  const vault = await makeVault();
  const first = await agent({ vault });
  await first.tasks({ type: 'init', title: 'Mine' }, { type: 'add', title: 'One' });
  const session = await sessionIn(vault);
  for (const which of [{}, { session }]) {
    const resumed = await first.tasks({ type: 'resume', ...which });
    expect(resumed.text).toContain('You work on "Mine" (0 of 1 done');
  }
  await first.tasks({ type: 'complete', id: '1' });
  expect((await first.tasks({ type: 'resume', session })).text).toContain('[x] #1 One');
  const record = await readFile(join(vault, RECORDS, `${session}.json`), 'utf8');
  expect(JSON.parse(record)).toMatchObject({ pid: first.pid });
  await first.tasks({ type: 'add', title: 'Two' });
  const second = await agent({ vault });
  expect((await second.tasks({ type: 'list' })).text).not.toContain('Unfinished');
  expect((await second.tasks({ type: 'resume', session })).ok).toBe(false);
});

it('[MCP6] of many unfinished boards the ten newest are named', async () => {
  const vault = await makeVault();
  const first = await agent({ vault });
  await first.tasks({ type: 'init', title: 'Left' }, { type: 'add', title: 'One' });
  await first.close();
  const session = await sessionIn(vault);
  const board = await readFile(
    join(vault, '.opencode/todos', session, 'test-client-tasks.md'),
    'utf8',
  );
  const record = await readFile(join(vault, RECORDS, `${session}.json`), 'utf8');
  const older = Array.from({ length: 12 }, (_, n) => `mcp-test-client-0000000${10 + n}-aaaa`);
  for (const id of older) {
    await mkdir(join(vault, '.opencode/todos', id));
    const path = join(vault, '.opencode/todos', id, 'test-client-tasks.md');
    await writeFile(path, board.replaceAll(session, id));
    await writeFile(join(vault, RECORDS, `${id}.json`), record);
  }
  const next = await agent({ vault });
  const { text } = await next.tasks({ type: 'list' });
  const named = [...text.matchAll(/"resume", "session": "([^"]+)"/g)].map(([, id]) => id);
  expect(named).toEqual([session, ...older.slice(3).reverse()]);
  expect(text).toMatch(/- 3 older$/);
  const resumed = await next.tasks({ type: 'resume', session: older[0] });
  expect(resumed.text).toContain('You work on "Left"');
});

it('[MCP6] a board that can not be read is resumed under its path', async () => {
  const vault = await makeVault();
  const first = await agent({ vault });
  await first.tasks({ type: 'init', title: 'Left' }, { type: 'add', title: 'One' });
  await first.close();
  const [path = ''] = (await readBoards(vault)).keys();
  await writeFile(join(vault, path), '---\nboard: [\n---\n');
  const next = await agent({ vault });
  const left = `${path}, which can't be read until it is repaired`;
  expect((await next.tasks({ type: 'list' })).text).toContain(`- ${left}`);
  expect((await next.tasks({ type: 'resume' })).text).toContain(`You work on ${left}`);
});

it('[MCP17] what was resumed, and what was not, stands in the audit', async () => {
  const vault = await makeVault();
  const left = await connect({ vault });
  await left.tasks({ type: 'init', title: 'Left' }, { type: 'add', title: 'One' });
  await left.close();
  const other = await connect({ vault, name: 'Other' });
  await other.tasks({ type: 'init', title: 'Theirs' }, { type: 'add', title: 'Two' });
  await other.close();
  const paths = [...(await readBoards(vault)).keys()];
  const of = (name: string) => paths.find((path) => path.includes(`mcp-${name}-`)) ?? '';
  const theirs = of('other').split('/')[2] ?? '';
  const answers = [false, true];
  const { tasks } = await agent({ vault, onQuestion: () => answers.shift() ?? false });
  await tasks({ type: 'resume', session: 'none' });
  await tasks({ type: 'resume', session: theirs });
  await tasks({ type: 'resume' });
  await tasks({ type: 'resume', session: theirs });
  const { rows } = await new AuditReader(
    noteAuditStore(new DiskStore(vault), AUDIT_FOLDER),
  ).refresh();
  const resumed = rows.flatMap((row) => {
    if (row.kind !== 'call' || !JSON.stringify(row.intent.args).includes('"resume"')) return [];
    const { path, verdict, tool, operation } = row.intent;
    expect([tool, row.intent.agent]).toEqual(['tasks', 'test-client']);
    return [
      [operation, path, verdict, row.outcome?.reply, row.outcome?.result, row.outcome?.title],
    ];
  });
  expect(resumed.reverse()).toEqual([
    ['run', undefined, 'deny', undefined, 'failed', undefined],
    ['tasks', of('other'), 'ask', 'reject', 'denied', undefined],
    ['tasks', of('test-client'), 'allow', undefined, 'done', 'Board taken up'],
    ['tasks', of('other'), 'ask', 'once', 'done', 'Board taken up'],
  ]);
});

it('[MCP6] resume without a session does not leave the own board for another', async () => {
  const vault = await makeVault();
  const left = await connect({ vault });
  await left.tasks({ type: 'init', title: 'Left' }, { type: 'add', title: 'One' });
  await left.close();
  const { tasks } = await agent({ vault });
  await tasks({ type: 'init', title: 'Mine' }, { type: 'add', title: 'Two' });
  const { ok, text } = await tasks({ type: 'resume' });
  expect(ok).toBe(false);
  expect(text).toContain('which one?');
  expect(text).toContain('"Mine"');
  expect(text).toContain('"Left"');
});

it('[MCP4] a call that took a board up is no error, even where nothing else of it could be done', async () => {
  const vault = await makeVault();
  const first = await connect({ vault });
  await first.tasks({ type: 'add', title: 'Left' });
  await first.close();
  const { tasks } = await connect({ vault });
  const wrong = { type: 'complete', id: 'none-7' };
  const both = await tasks({ type: 'resume' }, wrong);
  expect(both.text).toContain('You work on');
  expect(both.text).toContain('none-7');
  expect(both.ok).toBe(true);
  expect((await tasks(wrong)).ok).toBe(false);
});

it('[MCP8] no word in the place of a session leads to another one', async () => {
  const vault = await makeVault();
  const owner = await connect({ vault, name: 'Owner' });
  await owner.tasks({ type: 'init', title: 'Owned' }, { type: 'add', title: 'Secret' });
  await owner.close();
  const left = await connect({ vault });
  await left.tasks({ type: 'add', title: 'Left' });
  await left.close();
  const { tasks } = await agent({ vault });
  const id = [...(await readBoards(vault)).keys()].join(' ').match(/mcp-owner-[^/]+/)?.[0] ?? '';
  const words = [
    ...['..', '', '/etc', `./${id}`, `x/../${id}`, `${id}/`, `${id} `, `${id}\0`, id.toUpperCase()],
    ...[`\u202e${id}`, `.opencode/todos/${id}`, 'CON', '__proto__', 'a'.repeat(5_000)],
    ...[7, null, true, {}, [id]],
  ];
  for (const session of words) {
    const { ok, text } = await tasks({ type: 'resume', session });
    expect(ok, JSON.stringify(session)).toBe(false);
    expect(text).toContain('Nothing was done');
    expect(text).not.toContain('Secret');
  }
  expect((await filesIn(vault, RECORDS)).length).toBe(2);
});

it('[MCP4] arguments that are nested without end are refused with words', async () => {
  const wire = await RawMcpClient.open(await makeVault());
  open.push(wire);
  for (const depth of [65, 4_000, 100_000]) {
    const call = JSON.stringify(
      { jsonrpc: '2.0', ...wire.request('tasks', { operations: 'DEEP' }) },
      undefined,
      0,
    );
    wire.write(`${call.replace('"DEEP"', '['.repeat(depth) + ']'.repeat(depth))}\n`);
  }
  for (const id of [1, 2, 3]) {
    const text = expect.stringContaining('Nothing was done: the arguments are nested') as unknown;
    expect(await wire.answer(id)).toMatchObject({ ok: false, text });
  }
});

it('[MCP4] what was done is told as done, also where the boards that others left can not be read', async () => {
  const vault = await makeVault();
  await mkdir(join(vault, '.opencode/agent-task-boards'), { recursive: true });
  await symlink(await makeVault(), join(vault, RECORDS));
  const { tasks } = await agent({ vault, args: ['--session', 'ses_1'] });
  expect(await tasks({ type: 'add', title: 'One' })).toMatchObject({ ok: true });
  expect([...(await readBoards(vault)).values()].join()).toContain('One');
});

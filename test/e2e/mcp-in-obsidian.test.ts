import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test, vi } from 'vitest';
import { readBoards, connect, PROGRAM, type McpClient } from '../mcp/mcp-rig';
import { openTestApp, type TestApp } from './test-app';

const run = promisify(execFile);

let theatre: TestApp | undefined;
let agent: McpClient | undefined;
afterEach(async () => {
  await agent?.close();
  await theatre?.close();
  [agent, theatre] = [undefined, undefined];
});

const PLAN = 'Projects/Plan.md';

/** Waits until Obsidian takes the client's calls. */
function inObsidian({ client }: McpClient): Promise<void> {
  const list = { name: 'tasks', arguments: { operations: [{ type: 'list' }] } };
  return vi.waitFor(
    async () =>
      expect((await client.callTool(list)).structuredContent).toMatchObject({ via: 'websocket' }),
    { timeout: 60_000, interval: 500 },
  );
}

test('[MCP13] an MCP client works beside Obsidian: its session in the sidebar, its calls and dialogs there, and a tick is told', async () => {
  theatre = await openTestApp({ files: { [PLAN]: '# Plan\n\n- one\n' } });
  const { page, plugin, vault, faults } = theatre;
  const env = { AGENT_TASK_BOARDS_ORIGIN: new URL(page.url()).origin };
  agent = await connect({ vault, name: 'Claude Code', env });
  const { tasks, call } = agent;
  await plugin.command('open-sidebar');
  await inObsidian(agent);
  await tasks({ type: 'init', title: 'Ship it' }, { type: 'add', title: 'Paint the fence' });
  const row = page.getByRole('treeitem', { name: 'Paint the fence' }).first();
  await row.waitFor();
  await page.getByText('Ship it').first().waitFor();
  await row.getByRole('checkbox').click();
  await vi.waitFor(async () =>
    expect([...(await readBoards(vault)).values()].join()).toContain('- [x] Paint the fence'),
  );
  expect((await tasks({ type: 'list' })).text).toContain('Paint the fence');
  const change = { path: PLAN, mode: 'append', content: '- two', dryRun: false };
  const changed = call('obsidian_update_note', change);
  const dialog = page.getByRole('dialog').or(page.locator('.modal'));
  await dialog.getByText('- two').first().waitFor();
  expect(await readFile(join(vault, PLAN), 'utf8')).toBe('# Plan\n\n- one\n');
  await dialog.getByRole('button', { name: /^Allow once/ }).click();
  expect((await changed).ok).toBe(true);
  expect(await readFile(join(vault, PLAN), 'utf8')).toBe('# Plan\n\n- one\n- two\n');
  // Only the person, in Obsidian, can give a board of another session.
  const other = ['--vault', vault, '--session', 'other', '--agent', 'ann'];
  await run(process.execPath, [PROGRAM, 'init', 'Shared plan', ...other]);
  const resumed = tasks({ type: 'resume', session: 'other' });
  await dialog.getByText('Let the agent take over this board?').waitFor();
  await dialog.getByText('The board belongs to another session').waitFor();
  await dialog.getByRole('button', { name: /^Allow once/ }).click();
  expect((await resumed).text).toContain('You work on "Shared plan"');
  // The page can't start processes: it fails to look for OpenCode's program.
  expect(faults.all.filter((one) => !one.includes('node:child_process'))).toEqual([]);
});

test('[CONN61] a dialog closes when the process that asked is killed, and nothing is written', async () => {
  theatre = await openTestApp({ files: { [PLAN]: '# Plan\n' } });
  const { page, vault } = theatre;
  const env = { AGENT_TASK_BOARDS_ORIGIN: new URL(page.url()).origin };
  agent = await connect({ vault, name: 'Claude Code', env });
  const { call, pid } = agent;
  await inObsidian(agent);
  const change = { path: PLAN, mode: 'append', content: '- two', dryRun: false };
  const lost = expect(call('obsidian_update_note', change)).rejects.toThrow('Connection closed');
  const asked = page.locator('.modal').getByText('- two').first();
  await asked.waitFor();
  process.kill(pid, 'SIGKILL');
  await lost;
  await asked.waitFor({ state: 'detached' });
  expect(await readFile(join(vault, PLAN), 'utf8')).toBe('# Plan\n');
});

test('[MCP7] a client that can ask its person is asked only while Obsidian is closed; no question is put twice, and none is lost with its window', async () => {
  theatre = await openTestApp({ files: { [PLAN]: '# Plan\n' } });
  const { page, vault } = theatre;
  const env = { AGENT_TASK_BOARDS_ORIGIN: new URL(page.url()).origin };
  const asked: string[] = [];
  const words: ((yes: boolean) => void)[] = [];
  agent = await connect({
    ...{ vault, env },
    onQuestion: (message) => {
      asked.push(message);
      return new Promise((resolve) => words.push(resolve));
    },
  });
  const { call } = agent;
  const append = (content: string) =>
    call('obsidian_update_note', { path: PLAN, mode: 'append', content, dryRun: false });
  const plan = () => readFile(join(vault, PLAN), 'utf8');
  await inObsidian(agent);

  const one = append('- one');
  const dialog = page.locator('.modal');
  await dialog.getByText('- one').first().waitFor();
  await dialog.getByRole('button', { name: /^Allow once/ }).click();
  expect((await one).ok).toBe(true);

  const lost = append('- two');
  await dialog.getByText('- two').first().waitFor();
  await page.close();
  const { ok, text } = await lost;
  expect({ ok, asked }).toEqual({ ok: false, asked: [] });
  expect(text).toContain('read the note first, and repeat only what is missing');
  expect(await plan()).toBe('# Plan\n- one\n');

  // Sent again, the question goes to the client and stays there, even if Obsidian opens meanwhile.
  const again = append('- two');
  await vi.waitFor(() => expect(asked).toEqual([expect.stringContaining('- two')]));
  const front = await theatre.openAgain();
  await inObsidian(agent);
  expect(await front.page.locator('.modal').count()).toBe(0);
  words[0]?.(true);
  expect((await again).ok).toBe(true);
  expect(await plan()).toBe('# Plan\n- one\n- two\n');

  const denied = append('- three');
  const other = front.page.locator('.modal');
  await other.getByText('- three').first().waitFor();
  await other.locator('button[data-reply="reject"]').click();
  await other.locator('textarea').fill('It is long enough.');
  await other.locator('button[data-reply="reject"]').click();
  expect((await denied).text).toContain('It is long enough.');
  expect(asked).toHaveLength(1);
  expect(await plan()).toBe('# Plan\n- one\n- two\n');
});

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test, vi } from 'vitest';
import { boardsOf, connect, PROGRAM, type McpClient } from '../mcp/mcp-rig';
import { openTheatre, type Theatre } from './open-theatre';

const run = promisify(execFile);

let theatre: Theatre | undefined;
let agent: McpClient | undefined;
afterEach(async () => {
  await agent?.close();
  await theatre?.close();
  [agent, theatre] = [undefined, undefined];
});

const PLAN = 'Projects/Plan.md';

test('[MCP13] an MCP client works beside Obsidian: its session in the sidebar, its calls and dialogs there, and a tick is told', async () => {
  theatre = await openTheatre({ files: { [PLAN]: '# Plan\n\n- one\n' } });
  const { page, plugin, vault, faults } = theatre;
  const env = { AGENT_TASK_BOARDS_ORIGIN: new URL(page.url()).origin };
  agent = await connect({ vault, name: 'Claude Code', env });
  const { client, tasks, call } = agent;
  await plugin.command('open-sidebar');
  const list = { name: 'tasks', arguments: { operations: [{ type: 'list' }] } };
  await vi.waitFor(
    async () =>
      expect((await client.callTool(list)).structuredContent).toMatchObject({ via: 'websocket' }),
    { timeout: 60_000, interval: 500 },
  );
  await tasks({ type: 'init', title: 'Ship it' }, { type: 'add', title: 'Paint the fence' });
  const row = page.getByRole('treeitem', { name: 'Paint the fence' }).first();
  await row.waitFor();
  await page.getByText('Ship it').first().waitFor();
  await row.getByRole('checkbox').click();
  await vi.waitFor(async () =>
    expect([...(await boardsOf(vault)).values()].join()).toContain('- [x] Paint the fence'),
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
  // A board of another session is the person's to give, here where Obsidian is open.
  const other = ['--vault', vault, '--session', 'other', '--agent', 'ann'];
  await run(process.execPath, [PROGRAM, 'init', 'Shared plan', ...other]);
  const resumed = tasks({ type: 'resume', session: 'other' });
  await dialog.getByText('Let the agent go on with this board?').waitFor();
  await dialog.getByText('It is a board of another session').waitFor();
  await dialog.getByRole('button', { name: /^Allow once/ }).click();
  expect((await resumed).text).toContain('You work on "Shared plan"');
  // The page has no processes: it looks for OpenCode's program in vain.
  expect(faults.all.filter((one) => !one.includes('node:child_process'))).toEqual([]);
});

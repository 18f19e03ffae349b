import { realpath } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Findings, APP_VARIANTS } from './axe';
import { startRig, type Rig } from './workbench-rig';
import { INSTRUCTIONS } from '../../src/core/connect/plan-instructions';

let rig: Rig;
let vault: string;

beforeAll(async () => {
  rig = await startRig({ 'Inbox.md': '# Inbox\n' }, process.cwd());
  vault = await realpath(rig.vault);
  // The page's home is a folder in the vault.
  const mcp = (folder: string) => ({ command: 'node', args: ['cli.js', 'mcp', '--vault', folder] });
  const config = (key: string, folder: string) =>
    JSON.stringify({ [key]: { 'agent-task-boards': mcp(folder) } });
  await rig.put('.home/.claude.json', config('mcpServers', vault));
  await rig.put('.home/.config/Code/User/mcp.json', `// mine\n${config('servers', `${vault}/`)}`);
  await rig.put('.home/.gemini/settings.json', config('mcpServers', '/nowhere'));
  await rig.put(
    '.home/.codex/config.toml',
    `[mcp_servers.agent-task-boards]\ncommand = "node"\nargs = ["mcp", "--vault", ${JSON.stringify(vault)}]\n\n[other]\nargs = []\n`,
  );
  await rig.put('.home/.cursor/mcp.json', '{ broken');
});

afterAll(() => rig.close());

const COMMAND = 'agent-task-boards:connect-agent';

describe('Connect an agent…', () => {
  it('[CLIENT12] says for each client whether it is connected, and gives command and configuration to copy', async () => {
    const page = await rig.open();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate((id) => window.workbench.runCommand(id), COMMAND);
    const dialog = page.locator('.modal');
    const section = (name: string) => dialog.getByRole('region', { name, exact: true });
    await section('OpenCode').waitFor();
    const states = {
      'Claude Code': 'Connected',
      Codex: 'Connected',
      'Gemini CLI': 'Another vault',
      Cursor: 'Not connected',
      'VS Code': 'Connected',
      OpenCode: 'Not connected',
    };
    for (const [name, state] of Object.entries(states)) {
      await expect.poll(() => section(name).locator('.atb-agent-state').innerText()).toBe(state);
    }
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await section('Codex').getByRole('button', { name: 'Copy command for Codex' }).click();
    await expect.poll(copied).toBe(`agent-boards connect codex --vault '${vault}'`);
    await section('Codex').getByRole('button', { name: 'Configuration', exact: true }).click();
    expect(await section('Codex').innerText()).toContain(`${vault}/.home/.codex/config.toml`);
    await section('Codex').getByRole('button', { name: 'Copy configuration for Codex' }).click();
    await expect
      .poll(copied)
      .toBe(
        `[mcp_servers.agent-task-boards]\ncommand = "agent-boards"\nargs = ["mcp", "--vault", ${JSON.stringify(vault)}]`,
      );
    const instructions = section('Instructions for the model');
    await instructions.getByRole('button', { name: 'Instructions for the model' }).click();
    await instructions.getByRole('button', { name: 'Copy instructions' }).click();
    await expect.poll(copied).toBe(INSTRUCTIONS);
    await page.close();
  });

  it('[CLIENT12] axe finds nothing in it, in either theme', async () => {
    const findings = new Findings();
    for (const [look, query, size] of APP_VARIANTS.filter(
      ([, query]) => !query.includes('phone'),
    )) {
      const page = await rig.open(query, size);
      await page.evaluate((id) => window.workbench.runCommand(id), COMMAND);
      await page.getByRole('button', { name: 'Configuration', exact: true }).first().click();
      await page.getByRole('button', { name: 'Instructions for the model' }).click();
      await findings.check(page, look, '.modal');
      await page.close();
    }
    findings.expectNone();
  });

  it('[CLIENT12] is no command on a phone, where no other agent runs', async () => {
    for (const [query, found] of [
      ['', 'Agent Task Boards: Connect an agent…'],
      ['?phone=1', 'No commands found.'],
    ] as const) {
      const page = await rig.open(query, { width: 390, height: 844 });
      await page.evaluate(() => window.workbench.openPalette());
      await page.locator('.prompt-input').fill('Connect an agent');
      const shown = page.locator('.prompt-results');
      await expect.poll(() => shown.innerText()).toBe(found);
      await page.close();
    }
  });

  it('[CLIENT12] OpenCode is connected by the bridge where the vault has it', async () => {
    await rig.put('.opencode/plugin/agent-task-boards.js', '// agent-task-boards 0.1.0\n');
    const page = await rig.open();
    await page.evaluate((id) => window.workbench.runCommand(id), COMMAND);
    const section = page.getByRole('region', { name: 'OpenCode', exact: true });
    await section.getByText('Connected by the bridge').waitFor();
    expect(await section.getByRole('button').count()).toBe(0);
    await page.close();
  });
});

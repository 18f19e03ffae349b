import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { readBoards, makeVault, PROGRAM, removeVaults } from '../mcp/mcp-rig';
import { startEndpoint, type ScriptedEndpoint } from './scripted-endpoint';

const run = promisify(execFile);

const MODULES = join(import.meta.dirname, 'node_modules');
const NOTE = 'Projects/Fence.md';

let endpoint: ScriptedEndpoint | undefined;
afterEach(async () => {
  await endpoint?.close();
  endpoint = undefined;
  await removeVaults();
});

const CALLS = [
  {
    tool: 'tasks',
    args: {
      operations: [
        { type: 'init', title: 'Fence' },
        { type: 'add', title: 'Paint' },
      ],
    },
  },
  { tool: 'obsidian_read_note', args: { path: NOTE } },
  { tool: 'tasks', args: { operations: [{ type: 'complete', id: '1' }] } },
];

async function scene() {
  const vault = await makeVault({ [NOTE]: '# Fence\n\nGreen, of oak.\n' });
  const home = await makeVault();
  const project = await makeVault();
  endpoint = await startEndpoint(CALLS);
  const { url } = endpoint;
  const env = {
    ...{ PATH: process.env['PATH'] ?? '', HOME: home, TMPDIR: home, LANG: 'C.UTF-8' },
    // All other hosts are refused and recorded.
    ...{ HTTPS_PROXY: url, HTTP_PROXY: url, NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' },
  };
  const server = { command: process.execPath, args: [PROGRAM, 'mcp', '--vault', vault] };
  return { vault, home, project, env, server, url };
}

/** Asserts that the model's plan and tick are on disk, and that it read the note. */
async function worked(vault: string): Promise<void> {
  const boards = await readBoards(vault);
  expect(boards.size).toBe(1);
  const [note] = boards.values();
  expect(note).toContain('title: Fence');
  expect(note).toContain('- [x] Paint');
  expect(endpoint?.requests.join('\n')).toContain('Green, of oak.');
}

/** @returns its output on stdout and stderr */
async function start(
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<string> {
  const child = run(program, args, { ...options, timeout: 120_000 });
  child.child.stdin?.end();
  const { stdout, stderr } = await child;
  return `${stdout}\n${stderr}`;
}

test('the MCP inspector lists the tools and adds a task', async () => {
  const { vault, env, server, project } = await scene();
  const inspector = join(MODULES, '@modelcontextprotocol/inspector/cli/build/cli.js');
  const base = [inspector, '--cli', server.command, ...server.args];
  const listed = await start(process.execPath, [...base, '--method', 'tools/list'], {
    ...{ cwd: project, env },
  });
  expect(listed).toContain('"obsidian_update_note"');
  const call = ['--method', 'tools/call', '--tool-name', 'tasks'];
  const operations = JSON.stringify([{ type: 'add', title: 'By hand' }]);
  await start(process.execPath, [...base, ...call, '--tool-arg', `operations=${operations}`], {
    ...{ cwd: project, env },
  });
  expect([...(await readBoards(vault)).values()].join()).toContain('- [ ] By hand');
});

test('Claude Code plans, reads a note and ticks', async () => {
  const { vault, env, server, project, url } = await scene();
  const config = join(project, 'mcp.json');
  await writeFile(config, JSON.stringify({ mcpServers: { boards: server } }));
  const claude = join(MODULES, `@anthropic-ai/claude-code-linux-${process.arch}/claude`);
  const args = ['-p', 'Paint the fence', '--mcp-config', config, '--strict-mcp-config'];
  const allowed = ['--allowedTools', 'mcp__boards'];
  await start(claude, [...args, ...allowed], {
    cwd: project,
    env: {
      ...env,
      ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-ant-none' },
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      // Otherwise it may ask its model before the server's tools are loaded.
      MCP_CONNECTION_NONBLOCKING: '0',
    },
  });
  await worked(vault);
});

test('Codex plans, reads a note and ticks', async () => {
  const { vault, home, env, server, project, url } = await scene();
  const codexHome = join(home, '.codex');
  await mkdir(codexHome);
  await writeFile(
    join(codexHome, 'config.toml'),
    [
      'model = "scripted"',
      'model_provider = "scripted"',
      '[model_providers.scripted]',
      'name = "scripted"',
      `base_url = "${url}/v1"`,
      'wire_api = "responses"',
      'env_key = "SCRIPTED_KEY"',
      '[mcp_servers.boards]',
      'required = true',
      `command = ${JSON.stringify(server.command)}`,
      `args = ${JSON.stringify(server.args)}`,
    ].join('\n'),
  );
  const codex = join(MODULES, '@openai/codex/bin/codex.js');
  const args = ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox'];
  await start(process.execPath, [codex, ...args, 'Paint the fence'], {
    cwd: project,
    env: { ...env, CODEX_HOME: codexHome, SCRIPTED_KEY: 'none' },
  });
  await worked(vault);
});

test('Gemini CLI plans, reads a note and ticks', async () => {
  const { vault, home, env, server, project, url } = await scene();
  await mkdir(join(home, '.gemini'));
  const settings = {
    mcpServers: { boards: { ...server, trust: true } },
    security: { auth: { selectedType: 'gemini-api-key' } },
    general: { disableAutoUpdate: true },
    privacy: { usageStatisticsEnabled: false },
  };
  await writeFile(join(home, '.gemini/settings.json'), JSON.stringify(settings));
  const gemini = join(MODULES, '.bin/gemini');
  const args = ['-p', 'Paint the fence', '--yolo', '-m', 'gemini-2.5-flash'];
  await start(process.execPath, [gemini, ...args], {
    cwd: project,
    env: {
      ...{ ...env, GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: url },
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    },
  });
  await worked(vault);
});

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, expect, test } from 'vitest';
import { TestClient } from '../bridge/test-client';
import { startServing } from '../engine/served-model';
import { startEndpoint } from './scripted-endpoint';

const MODULES = join(import.meta.dirname, 'node_modules');

const closes: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of closes.splice(0).reverse()) await close();
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
  { tool: 'obsidian_read_note', args: { path: 'Fence.md' } },
  { tool: 'tasks', args: { operations: [{ type: 'complete', id: '1' }] } },
];

/** An agent in `home`, on the model at `url`. */
type Agent = (
  home: string,
  url: string,
) => {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** session mode; the agent's default if absent */
  readonly mode?: string;
};

/** Serves the agent; has it plan, read a note and tick a task; allows every request. */
async function plays(agent: Agent): Promise<void> {
  const base = mkdtempSync(join(tmpdir(), 'atb-acp-'));
  closes.push(() => rmSync(base, { recursive: true, force: true, maxRetries: 5 }));
  const [vault, home] = [join(base, 'vault'), join(base, 'home')];
  for (const folder of [join(vault, '.opencode'), home]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(vault, 'Fence.md'), '# Fence\n\nGreen, of oak.\n');
  const endpoint = await startEndpoint(CALLS);
  closes.push(() => endpoint.close());
  const { url } = endpoint;
  const { args, env = {}, mode } = agent(home, url);
  const served = await startServing(base, ['--engine', 'acp', '--', process.execPath, ...args], {
    ...{ TMPDIR: home, LANG: 'C.UTF-8' },
    // All other hosts are refused.
    ...{ HTTPS_PROXY: url, HTTP_PROXY: url, NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' },
    ...env,
  });
  closes.push(() => served.reaper.close());
  closes.push(() => served.end('SIGTERM'));
  const client = await TestClient.connect(served.runFile, ['permissions', 'questions']);
  closes.push(() => client.close());
  const sessionId = await client.start('Fence', mode === undefined ? {} : { agent: mode });
  client.socket.on('message', (data: Buffer) => {
    const { type, payload } = JSON.parse(data.toString()) as {
      readonly type: string;
      readonly payload: { readonly requestId: string };
    };
    if (type !== 'permission.request') return;
    const answer = { requestId: payload.requestId, reply: 'once' } as const;
    client.send({ type: 'permission.response', sessionId, payload: answer });
  });
  const boards = join(vault, '.opencode/todos');
  // Codex does not wait for its servers: it may ask its model before our tools are loaded.
  for (let times = 0; times < 10 && !existsSync(boards); times += 1) {
    const { payload } = await client.prompt(sessionId, 'Paint the fence');
    expect(payload, served.said()).toMatchObject({ reason: 'completed' });
  }
  const notes = readdirSync(boards, { recursive: true, encoding: 'utf8' });
  const found = notes.filter((name) => name.endsWith('-tasks.md'));
  const texts = found.map((name) => readFileSync(join(boards, name), 'utf8'));
  expect(texts).toEqual([expect.stringMatching(/title: Fence[^]*- \[x\] Paint/)]);
  expect(endpoint.requests.join('\n')).toContain('Green, of oak.');
}

test('codex-acp plans, reads a note and ticks', () =>
  plays((home, url) => {
    mkdirSync(join(home, '.codex'));
    const config = [
      'model = "scripted"',
      'model_provider = "scripted"',
      '[model_providers.scripted]',
      'name = "scripted"',
      `base_url = "${url}/v1"`,
      'wire_api = "responses"',
      'env_key = "SCRIPTED_KEY"',
    ];
    writeFileSync(join(home, '.codex/config.toml'), config.join('\n'));
    const args = [join(MODULES, '@agentclientprotocol/codex-acp/dist/index.js')];
    // In other modes its own reviewer asks the model about each call.
    const mode = 'agent-full-access';
    return { args, env: { CODEX_HOME: join(home, '.codex'), SCRIPTED_KEY: 'none' }, mode };
  }));

test('claude-agent-acp plans, reads a note and ticks', () =>
  plays((_, url) => ({
    args: [join(MODULES, '@agentclientprotocol/claude-agent-acp/dist/index.js')],
    env: {
      ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-ant-none' },
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      // Otherwise it may ask its model before the server's tools are loaded.
      MCP_CONNECTION_NONBLOCKING: '0',
      ENABLE_TOOL_SEARCH: 'false',
    },
    mode: 'default',
  })));

test('Gemini CLI (--acp) plans, reads a note and ticks', () =>
  plays((home, url) => {
    mkdirSync(join(home, '.gemini'));
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' } },
      general: { disableAutoUpdate: true },
      privacy: { usageStatisticsEnabled: false },
    };
    writeFileSync(join(home, '.gemini/settings.json'), JSON.stringify(settings));
    return {
      args: [join(MODULES, '.bin/gemini'), '--acp', '-m', 'gemini-2.5-flash'],
      env: {
        ...{ GEMINI_API_KEY: 'none', GOOGLE_GEMINI_BASE_URL: url },
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
      },
    };
  }));

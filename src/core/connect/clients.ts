/** What the paths of configuration files depend on. */
export interface ClientMachine {
  /** a value of `process.platform` */
  readonly platform: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** home folder of the user */
  readonly home: string;
}

/** How a client starts our server. */
export interface McpServer {
  readonly command: string;
  readonly args: readonly string[];
}

/** Files that configure a client. Of several paths the first that exists is used, else the last. */
export interface ClientFiles {
  readonly config: readonly string[];
  /** empty if the client documents no such file */
  readonly instructions: readonly string[];
}

export interface AgentClient {
  readonly name: string;
  readonly label: string;
  readonly format: 'json' | 'toml';
  /**
   * Keys of the object that holds the servers. @param config the parsed file; undefined if there is
   * none
   */
  readonly servers: (config: unknown) => readonly string[];
  readonly entry: (server: McpServer) => Readonly<Record<string, unknown>>;
  /** of the user; absolute paths */
  readonly user: (machine: ClientMachine) => ClientFiles;
  /** of a project; paths relative to its folder */
  readonly project: ClientFiles;
  /** the text at the start of a new instruction file */
  readonly head?: string;
  /** what the person has to know, in either scope or in both */
  readonly hints: { readonly always?: string; readonly user?: string; readonly project?: string };
}

/**
 * Whether a client's configuration contains our server: with this vault, with another, not at all.
 */
export type ClientState = 'connected' | 'other' | 'none' | 'unreadable';

export interface ConnectedClient {
  readonly client: AgentClient;
  /** absolute path of the user's configuration; the file may not exist */
  readonly config: string;
  readonly state: ClientState;
}

/** The name of our server in every configuration. */
export const SERVER_NAME = 'agent-task-boards';

/**
 * The clients that `agent-boards connect` knows, as documented on 2026-11-23:
 * - claude: code.claude.com/docs/en/mcp, …/env-vars and …/memory; for the variable also
 *   github.com/anthropics/claude-code/issues/48448
 * - codex: developers.openai.com/codex/mcp, …/config-reference and …/guides/agents-md
 * - gemini: geminicli.com/docs/reference/configuration
 * - cursor: cursor.com/docs/context/mcp, cursor.com/docs/rules
 * - vscode: code.visualstudio.com/docs/copilot/reference/mcp-configuration and
 *   …/docs/agent-customization/custom-instructions; the folder of the user's profile as in
 *   github.com/DeusData/codebase-memory-mcp/issues/431
 * - opencode: opencode.ai/docs/en/config, opencode.ai/v2/docs/mcp-servers, opencode.ai/docs/instructions
 */
export const CLIENTS: readonly AgentClient[] = [
  {
    name: 'claude',
    label: 'Claude Code',
    ...{ format: 'json', servers: () => ['mcpServers'], entry: typedEntry },
    user: ({ env, home }) => ({
      config: [`${nonEmpty(env.CLAUDE_CONFIG_DIR) ?? home}/.claude.json`],
      instructions: [`${nonEmpty(env.CLAUDE_CONFIG_DIR) ?? `${home}/.claude`}/CLAUDE.md`],
    }),
    project: { config: ['.mcp.json'], instructions: ['CLAUDE.md'] },
    hints: {
      always:
        'Where CLAUDE_CODE_ENABLE_TODO_TOOLS is 1, and with older models, Claude Code offers a to-do list of its own, and may plan there instead. Unset it, and take it out of "env" in settings.json.',
      project: 'Claude Code asks once whether it may start the servers of .mcp.json.',
    },
  },
  {
    name: 'codex',
    label: 'Codex',
    ...{ format: 'toml', servers: () => ['mcp_servers'], entry: plainEntry },
    user: ({ env, home }) => {
      const folder = nonEmpty(env.CODEX_HOME) ?? `${home}/.codex`;
      const instructions = [`${folder}/AGENTS.override.md`, `${folder}/AGENTS.md`];
      return { config: [`${folder}/config.toml`], instructions };
    },
    project: {
      config: ['.codex/config.toml'],
      instructions: ['AGENTS.override.md', 'AGENTS.md'],
    },
    hints: { project: 'Codex reads .codex/config.toml only in a project that you trust.' },
  },
  {
    name: 'gemini',
    label: 'Gemini CLI',
    ...{ format: 'json', servers: () => ['mcpServers'], entry: plainEntry },
    user: ({ env, home }) => {
      const folder = `${nonEmpty(env.GEMINI_CLI_HOME) ?? home}/.gemini`;
      return { config: [`${folder}/settings.json`], instructions: [`${folder}/GEMINI.md`] };
    },
    project: { config: ['.gemini/settings.json'], instructions: ['GEMINI.md'] },
    hints: {
      always:
        'Gemini CLI starts no servers of MCP in a folder that you have not trusted, those of the user included, and gemini mcp list shows them as Disabled. Start gemini in the folder and choose to trust it, or trust it later with /permissions.',
    },
  },
  {
    name: 'cursor',
    label: 'Cursor',
    ...{ format: 'json', servers: () => ['mcpServers'], entry: typedEntry },
    user: ({ home }) => ({ config: [`${home}/.cursor/mcp.json`], instructions: [] }),
    project: {
      config: ['.cursor/mcp.json'],
      instructions: ['.cursor/rules/agent-task-boards.mdc'],
    },
    head: '---\ndescription: Plan on the task board\nalwaysApply: true\n---\n\n',
    hints: {
      user: 'Cursor keeps rules for all projects in its settings, not in a file: with --project a rule file is written too.',
    },
  },
  {
    name: 'vscode',
    label: 'VS Code',
    ...{ format: 'json', servers: () => ['servers'], entry: typedEntry },
    user: (machine) => ({ config: [`${codeFolder(machine)}/User/mcp.json`], instructions: [] }),
    project: { config: ['.vscode/mcp.json'], instructions: ['.github/copilot-instructions.md'] },
    hints: {
      user: 'This is the default profile of VS Code; each other profile has an mcp.json of its own. Instructions for all projects are kept in the profile: with --project an instruction file is written too.',
    },
  },
  {
    name: 'opencode',
    label: 'OpenCode',
    ...{ format: 'json', servers: openCodeServers },
    entry: ({ command, args }) => ({ type: 'local', command: [command, ...args] }),
    user: ({ env, home }) => {
      const folder = `${nonEmpty(env.XDG_CONFIG_HOME) ?? `${home}/.config`}/opencode`;
      const config = [`${folder}/opencode.jsonc`, `${folder}/opencode.json`];
      return { config, instructions: [`${folder}/AGENTS.md`] };
    },
    project: { config: ['opencode.jsonc', 'opencode.json'], instructions: ['AGENTS.md'] },
    hints: {
      always:
        'OpenCode does not tell servers which session calls: all sessions of one OpenCode work on one board.',
    },
  },
];

export function findClient(name: string): AgentClient | undefined {
  return CLIENTS.find((client) => client.name === name);
}

/**
 * The command that connects a client, quoted for the system's shell.
 * @param vault absolute path of its folder
 */
export function connectCommand(client: AgentClient, vault: string, windows: boolean): string {
  return `agent-boards connect ${client.name} --vault ${shellQuote(vault, windows)}`;
}

/**
 * The command of a server that works in one session, quoted for the system's shell.
 * @param vault absolute path of its folder; undefined if unknown
 */
export function serveCommand(session: string, vault: string | undefined, windows: boolean): string {
  const own = vault === undefined ? '' : ` --vault ${shellQuote(vault, windows)}`;
  return `agent-boards mcp${own} --session ${shellQuote(session, windows)}`;
}

function shellQuote(text: string, windows: boolean): string {
  const quoted = windows ? `"${text.replaceAll('"', '""')}"` : `'${text.replaceAll("'", "'\\''")}'`;
  const plain = /^[\w./:\\-]+$/.test(text) && (windows || !text.includes('\\'));
  return plain ? text : quoted;
}

/** The part of a configuration that contains the server, as the text of a whole file. */
export function configText(client: AgentClient, server: McpServer): string {
  const entry = client.entry(server);
  if (client.format === 'toml') {
    const lines = Object.entries(entry).map(([key, value]) => `${key} = ${tomlText(value)}`);
    return [`[mcp_servers.${SERVER_NAME}]`, ...lines].join('\n');
  }
  const path = [...client.servers(undefined), SERVER_NAME];
  const config = path.reduceRight<unknown>((value, key) => ({ [key]: value }), entry);
  return JSON.stringify(config, null, 2);
}

/** A string or a list of strings. */
export function tomlText(value: unknown): string {
  return Array.isArray(value) ? `[${value.map(tomlString).join(', ')}]` : tomlString(value);
}

/**
 * Strings of JSON are valid in TOML, except U+007F. U+2028 and U+2029 are escaped, as they would
 * break the line for readers that split at them.
 */
function tomlString(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function plainEntry({ command, args }: McpServer): Readonly<Record<string, unknown>> {
  return { command, args };
}

function typedEntry(server: McpServer): Readonly<Record<string, unknown>> {
  return { type: 'stdio', ...plainEntry(server) };
}

/**
 * Version 2 nests the servers one level deeper; it reads the form of version 1 too, but not both in
 * one file.
 */
function openCodeServers(config: unknown): readonly string[] {
  const servers = valueAt(config, ['mcp', 'servers']);
  const isServer = valueAt(servers, ['type']) !== undefined;
  return typeof servers === 'object' && !isServer ? ['mcp', 'servers'] : ['mcp'];
}

/** The value at a path of keys in parsed JSON; undefined if there is none. */
export function valueAt(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
        ? (inner as Readonly<Record<string, unknown>>)[key]
        : undefined,
    value,
  );
}

function codeFolder({ platform, env, home }: ClientMachine): string {
  if (platform === 'win32') return `${nonEmpty(env.APPDATA) ?? `${home}/AppData/Roaming`}/Code`;
  if (platform === 'darwin') return `${home}/Library/Application Support/Code`;
  return `${nonEmpty(env.XDG_CONFIG_HOME) ?? `${home}/.config`}/Code`;
}

/** Treats a variable that is set to the empty string as unset. */
function nonEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

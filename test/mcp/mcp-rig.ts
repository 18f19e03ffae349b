import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';

export const PROGRAM = join(import.meta.dirname, '../../dist/cli.js');

/** The two ways in which clients start: with `initialize` and without. */
export const ERAS = ['legacy', 'auto'] as const;

export type Era = (typeof ERAS)[number];

interface ClientOptions {
  readonly vault: string;
  readonly era?: Era;
  readonly name?: string;
  readonly args?: readonly string[];
  /** answers questions to the person; absent: the client can't ask */
  readonly onQuestion?: (message: string) => Promise<boolean> | boolean;
  /** absolute working folder of the client; the vault if absent */
  readonly folder?: string;
  /** the command line; the built one if absent */
  readonly program?: string;
  /** environment of the server, besides what it needs to run */
  readonly env?: Readonly<Record<string, string>>;
  /** called for each changed resource */
  readonly onUpdated?: (uri: string) => void;
}

export interface McpClient {
  readonly client: Client;
  /** id of the server's process */
  readonly pid: number;
  readonly tasks: (...operations: readonly object[]) => Promise<{ ok: boolean; text: string }>;
  readonly call: (
    tool: string,
    args: Record<string, unknown>,
  ) => Promise<{ ok: boolean; text: string }>;
  readonly close: () => Promise<void>;
}

const folders: string[] = [];

/** Makes a vault with these files, removed after the test file. */
export async function makeVault(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const vault = await mkdtemp(join(tmpdir(), 'atb-mcp-'));
  folders.push(vault);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(vault, path)), { recursive: true });
    await writeFile(join(vault, path), text);
  }
  return vault;
}

export async function removeVaults(): Promise<void> {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
}

/** Connects the SDK's client to its own server process. */
export async function connect(options: ClientOptions): Promise<McpClient> {
  const {
    vault,
    era = 'legacy',
    name = 'Test Client',
    args = [],
    onQuestion: asked,
    folder = vault,
  } = options;
  const client = new Client(
    { name, version: '1.0.0' },
    {
      capabilities: asked === undefined ? {} : { elicitation: {} },
      versionNegotiation: { mode: era },
    },
  );
  if (asked !== undefined) {
    client.setRequestHandler('elicitation/create', async ({ params }) => ({
      action: (await asked(params.message)) ? 'accept' : 'decline',
      content: {},
    }));
  }
  if (options.onUpdated !== undefined) {
    client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
      options.onUpdated?.(params.uri),
    );
  }
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [options.program ?? PROGRAM, 'mcp', '--vault', vault, ...args],
    cwd: folder,
    env: { ...getDefaultEnvironment(), ...options.env },
    stderr: 'ignore',
  });
  await client.connect(transport);
  const call: McpClient['call'] = async (tool, given) => {
    const { isError, content } = await client.callTool({ name: tool, arguments: given });
    const [first] = content;
    return { ok: isError !== true, text: first?.type === 'text' ? first.text : '' };
  };
  return {
    client,
    pid: transport.pid ?? 0,
    call,
    tasks: (...operations) => call('tasks', { operations }),
    close: () => client.close(),
  };
}

/** Sorted paths of all files under a folder of a vault; empty if it doesn't exist. */
export async function filesIn(vault: string, folder: string): Promise<readonly string[]> {
  const found = await readdir(join(vault, folder), { recursive: true, withFileTypes: true }).catch(
    () => [],
  );
  return found
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(vault.length + 1))
    .sort();
}

/** The texts of the boards' notes, by path. */
export async function readBoards(vault: string): Promise<ReadonlyMap<string, string>> {
  const paths = (await filesIn(vault, '.opencode/todos')).filter((path) => path.endsWith('.md'));
  const texts = paths.map(
    async (path) => [path, await readFile(join(vault, path), 'utf8')] as const,
  );
  return new Map(await Promise.all(texts));
}

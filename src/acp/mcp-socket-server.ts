import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server as LineServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { McpServer } from '@agentclientprotocol/sdk';
import { Server } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { PRODUCT_VERSION } from '../core/version';
import type { ModelTool } from '../core/model/model-client';
import type { Log } from '../core/ports';
import type { ToolOutcome } from '../core/tool/tool';
import { toolResult, reportProgress } from '../mcp/mcp-server';
import { SERVER_INSTRUCTIONS } from '../mcp/prompts';
import { LineSplitter } from '../mcp/line-splitter';

/** Name of our server for agents. */
export const SERVER = 'agent_boards';

/** Tells `agent-boards mcp` the session to which it forwards its input: `<secret> <path>`. */
const SOCKET_VARIABLE = 'AGENT_BOARDS_LINE';

/** Maximum bytes of a message from an agent's MCP client. */
const LARGEST_MESSAGE = 4 * 1024 * 1024;

/** The tools of a session, for its agent's MCP client. */
export interface SessionTools {
  list(): Promise<readonly ModelTool[]>;
  /** Never rejects because of the call's input. */
  call(name: string, args: unknown, stop: AbortSignal): Promise<ToolOutcome>;
}

interface McpSocketServerServices {
  /** path of `agent-boards`, absolute */
  readonly program: string;
  /** path of the vault, absolute */
  readonly vault: string;
  readonly log: Log;
}

/**
 * Our MCP server for the agents of this process. An agent starts `agent-boards mcp`, which only
 * forwards lines to this server: so its calls belong to the session, with its connection to
 * Obsidian, and no second bridge is announced. A secret that only the session's agent receives
 * identifies the session.
 */
export class McpSocketServer {
  /** by session */
  readonly #secrets = new Map<string, string>();
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly services: McpSocketServerServices,
    private readonly server: LineServer,
    private readonly path: string,
    private readonly folder: string | undefined,
    private readonly toolsOf: (sessionId: string) => SessionTools,
  ) {
    server.on('connection', (socket) => this.#accept(socket));
  }

  static async open(
    services: McpSocketServerServices,
    toolsOf: (sessionId: string) => SessionTools,
  ): Promise<McpSocketServer> {
    const isWindows = process.platform === 'win32';
    // Only the current user can enter the folder.
    const folder = isWindows ? undefined : await mkdtemp(join(tmpdir(), 'agent-boards-'));
    const name = randomBytes(16).toString('hex');
    const path = folder === undefined ? `\\\\.\\pipe\\agent-boards-${name}` : join(folder, 'line');
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, resolve);
    });
    return new McpSocketServer(services, server, path, folder, toolsOf);
  }

  /** The command that an agent starts for a session. */
  serverFor(sessionId: string): McpServer {
    const { program, vault } = this.services;
    const secret = this.#secrets.get(sessionId) ?? randomBytes(24).toString('base64url');
    this.#secrets.set(sessionId, secret);
    return {
      ...{ name: SERVER, command: process.execPath },
      args: [program, 'mcp', '--vault', vault, '--session', sessionId],
      env: [{ name: SOCKET_VARIABLE, value: `${secret} ${this.path}` }],
    };
  }

  /** Call when a session is deleted: its secret opens nothing more. */
  forget(sessionId: string): void {
    this.#secrets.delete(sessionId);
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
    if (this.folder !== undefined) await rm(this.folder, { recursive: true, force: true });
  }

  /** The first line is the secret; the rest is MCP. */
  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    // The close event reports it.
    socket.on('error', () => undefined);
    let head = Buffer.alloc(0);
    const read = (data: Buffer): void => {
      head = Buffer.concat([head, data]);
      const end = head.indexOf('\n');
      if (end === -1 && head.length < 256) return;
      socket.off('data', read);
      const secret = head.subarray(0, Math.max(0, end)).toString();
      const session = [...this.#secrets].find((one) => one[1] === secret)?.[0];
      if (session === undefined) {
        socket.destroy();
        return;
      }
      socket.pause();
      socket.unshift(head.subarray(end + 1));
      this.#serve(socket, this.toolsOf(session));
    };
    socket.on('data', read);
  }

  #serve(socket: Socket, tools: SessionTools): void {
    const reject = (): void => {
      this.services.log.note('A line of an agent is no message of MCP. Its connection is closed.', {
        at: 'tool.line',
      });
      socket.destroy();
    };
    const lines = new LineSplitter(LARGEST_MESSAGE, { onTooLong: reject, onInvalid: reject });
    const transport = new StdioServerTransport(socket.pipe(lines), socket);
    const onerror = (error: Error): void =>
      this.services.log.note('A message of an agent could not be read.', {
        ...{ at: 'tool.line', error: error.message },
      });
    const connection = serveStdio(() => sessionMcpServer(tools), { transport, onerror });
    socket.once('close', () => void connection.close());
  }
}

function sessionMcpServer(session: SessionTools): Server {
  const server = new Server(
    { name: 'agent-task-boards', title: 'Agent Task Boards', version: PRODUCT_VERSION },
    { capabilities: { tools: {} }, instructions: SERVER_INSTRUCTIONS },
  );
  server.setRequestHandler('tools/list', async () => ({
    tools: (await session.list()).map(({ name, description, schema }) => ({
      ...{ name, description },
      inputSchema: { ...schema, type: 'object' as const },
    })),
  }));
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: args } }, context) => {
    const stopProgress = reportProgress(context.mcpReq);
    try {
      return toolResult(await session.call(name, args ?? {}, context.mcpReq.signal));
    } finally {
      stopProgress();
    }
  });
  return server;
}

import { ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { DiskBoards } from '../bridge/disk-boards';
import { CallRunner } from '../bridge/call-runner';
import { HeadlessRunner } from '../bridge/headless';
import { Clients } from '../bridge/server/clients';
import { PRODUCT_VERSION } from '../core/version';
import { RemoteCalls } from '../bridge/server/remote-calls';
import { newToken } from '../bridge/server/socket-server';
import { LiveParts } from '../bridge/server/token-buffer';
import { openBridge } from '../bridge/server/open-bridge';
import { noteAuditStore, AUDIT_FOLDER } from '../core/permission/audit/audit-store';
import type { ErrorHandler } from '../core/error-handler';
import { AuditReader } from '../core/permission/audit/audit-reader';
import { Redactor } from '../core/permission/audit/redact';
import { handoffText } from '../core/tool/handoff';
import { ProcessAudit } from '../node/audit/open-audit';
import { DiskStore } from '../node/disk-store';
import { nodeClock as clock, nodeIds as ids } from '../node/node-ports';
import { openScriptHooks } from '../node/hooks/script-hooks';
import { onProcessEnd } from '../node/processes';
import { BoardResources } from './board-resources';
import { McpEngine } from './mcp-engine';
import { mcpServer } from './mcp-server';
import { McpSession } from './mcp-session';
import { McpTools } from './mcp-tools';
import type { ToolChoice } from './offered-tools';
import { OpenCalls } from './open-calls';
import { continueBoardPrompt, planPrompt, NO_BOARD } from './prompts';
import { SessionRecords } from './session-records';
import { requestIdOf, LineSplitter, type InvalidLine } from './line-splitter';

export interface McpOptions {
  /** absolute path of the vault */
  readonly vault: string;
  /** absolute path of the folder that the client works in */
  readonly folder: string;
  readonly choice: ToolChoice;
  readonly agent: string | undefined;
  readonly session: string | undefined;
  /** for messages to the person, since the protocol uses standard output */
  readonly log: ErrorHandler;
  readonly stop: AbortSignal;
}

/** ms for calls to finish once the client is gone. */
const CLOSE_TIMEOUT = 1_500;

/** Largest message of a client, in bytes. A message is one line. */
const LARGEST_MESSAGE = 4 * 1024 * 1024;

const TOO_LONG =
  'Nothing was done: the message is longer than 4 MiB. Send less text, or fewer operations, at a time.';

/** What is wrong with a line: for the log, and for the sender. */
const INVALID_LINES: Readonly<
  Record<InvalidLine['code'], readonly [what: string, answer: string]>
> = {
  [ProtocolErrorCode.ParseError]: [
    'no JSON',
    'Nothing was done: this line is not JSON. A message is one JSON object on one line, in UTF-8.',
  ],
  [ProtocolErrorCode.InvalidRequest]: [
    'no message of the protocol',
    'Nothing was done: this is no request of the protocol. It is one JSON object with "jsonrpc": "2.0", an "id", a "method" as text and, where the method takes some, "params" as an object.',
  ],
  [ProtocolErrorCode.InvalidParams]: [
    'no call of a tool',
    'Nothing was done: a call has "name", a tool as text, and "arguments", an object with the fields of that tool.',
  ],
};

/**
 * Refuses a request before it reaches the SDK.
 * @param id as JSON
 */
function refuse(
  id: string,
  message: string,
  code: InvalidLine['code'] = ProtocolErrorCode.InvalidRequest,
): void {
  const error = JSON.stringify({ code, message });
  process.stdout.write(`{"jsonrpc":"2.0","id":${id},"error":${error}}\n`);
}

/**
 * Serves one MCP client over standard input and output, until it disconnects or `stop` is aborted.
 */
export async function serveMcp(options: McpOptions): Promise<void> {
  const { choice, log, stop } = options;
  const services = await openServices(options);
  const { session, calls, resources, tools } = services;
  const over = new AbortController();
  const end = (): void => over.abort();
  const lines = new LineSplitter(LARGEST_MESSAGE, {
    onTooLong: (line) => {
      log.note('A message of the client is longer than 4 MiB. It was not read.', {
        at: 'mcp.receive',
      });
      refuse(requestIdOf(line), TOO_LONG);
    },
    onInvalid: ({ code, ids }) => {
      const [what, answer] = INVALID_LINES[code];
      log.note(`A line of the client is ${what}.`, { at: 'mcp.receive' });
      for (const id of ids) refuse(id, answer, code);
    },
  });
  const transport = new StdioServerTransport(process.stdin.pipe(lines), process.stdout);
  let current: Server | undefined;
  // Called again if a client turns out to use an older protocol version than assumed.
  const serverFor = (): Server =>
    (current = mcpServer({
      ...{ tools, calls, resources, choice },
      onClientInfo: (client) => session.setClient(client),
      isNamed: options.agent !== undefined,
      prompt: (name, args) => promptText(services, name, args),
    }));
  const notifications = {
    list: async () => current?.sendResourceListChanged(),
    board: async (uri: string) => current?.sendResourceUpdated({ uri }),
  };
  resources.watch(over.signal, notifications).catch((error: unknown) => {
    log.note('Changes of boards are not told.', {
      at: 'mcp.watch',
      severity: 'error',
      error: String(error),
    });
  });
  const onerror = (error: Error): void =>
    log.note('A message of the client could not be read.', {
      at: 'mcp.receive',
      error: error.message,
    });
  process.stdin.on('error', onerror);
  const connection = serveStdio(serverFor, { transport, onerror });
  process.stdin.once('close', end);
  process.stdin.once('end', end);
  stop.addEventListener('abort', end);
  await aborted(over.signal);
  // The open input would keep the process running.
  process.stdin.unpipe(lines).pause();
  await connection.close();
  await Promise.race([calls.close(), pause(CLOSE_TIMEOUT)]);
  await session.end().catch((error: unknown) => {
    log.note('The session could not be left.', { at: 'mcp.leave', error: String(error) });
  });
  services.close();
}

type McpServices = Awaited<ReturnType<typeof openServices>>;

async function openServices(options: McpOptions) {
  const { vault, folder, choice, log } = options;
  const store = new DiskStore(vault);
  const boards = new DiskBoards({ store, clock, ids, log });
  await boards.finishMoves();
  const records = new SessionRecords(store, () => boards.manager());
  const { agent, session: bound } = options;
  const session = new McpSession({ records, clock, ids, folder, agent, bound });
  const clients = new Clients(log, clock, new LiveParts());
  const remote = new RemoteCalls(clock);
  const self = {
    bridge: PRODUCT_VERSION,
    engine: { name: 'mcp', version: PRODUCT_VERSION },
    directory: folder,
  };
  const engine = new McpEngine({ self, session, clients, now: () => clock.now() });
  const token = newToken();
  const redactor = new Redactor(() => [token]);
  const months = async () => (await boards.settings()).auditMonths;
  const audit = new ProcessAudit({ vault, kind: 'mcp', clock, redactor, months, log });
  const undoEnd = onProcessEnd(() => audit.close());
  const hooks = openScriptHooks({ vault, log, settings: () => boards.settings() });
  const headless = new HeadlessRunner({ vault, store, boards, audit, clock, ids, log });
  const runner = new CallRunner({ calls: remote, clients, headless, hooks });
  const askMs = async () => (await boards.settings()).askMinutes * 60_000;
  const calls = new OpenCalls({ clock, ids, askMs, log });
  const canAskInObsidian = () => clients.canAsk(session.current?.id ?? '');
  const tools = new McpTools({
    ...{ session, engine, runner, boards, audit, clock, ids, log, canAskInObsidian, choice },
  });
  const resources = new BoardResources({ vault, boards, session: () => session.current?.id });
  const closeBridge = await openBridge({
    ...{ vault, token, clock, ids, log, engine, clients, calls: remote },
  });
  const close = (): void => {
    closeBridge();
    clients.close();
    undoEnd();
    audit.close();
  };
  return { store, boards, session, calls, tools, resources, close };
}

/** The text of a prompt; undefined if it is unknown or lacks an argument. */
async function promptText(
  { store, boards, session }: McpServices,
  name: string,
  args: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  if (name === 'plan') return args['goal'] === undefined ? undefined : planPrompt(args['goal']);
  if (name !== 'continue' && name !== 'handoff') return undefined;
  const id = session.current?.id;
  const found = id === undefined ? undefined : await (await boards.manager()).inSession(id);
  const agent = found?.boards.some((one) => one.agent === session.agent)
    ? session.agent
    : found?.newest;
  const board = found?.boards.find((one) => one.agent === agent);
  if (board === undefined) return name === 'continue' ? continueBoardPrompt(undefined) : NO_BOARD;
  const rows = await new AuditReader(noteAuditStore(store, AUDIT_FOLDER)).recentRows();
  return name === 'continue'
    ? continueBoardPrompt(handoffText(board, rows, ''))
    : handoffText(board, rows);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => clock.after(ms, resolve));
}

import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  inputRequired,
  inputResponse,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolResult,
  type ClientCapabilities,
  type ElicitResult,
  type GetPromptResult,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod/mini';
import '../core/json';
import { PRODUCT_VERSION } from '../core/version';
import type { ToolOutcome } from '../core/tool/tool';
import { tooDeep } from '../protocol/frame-limits';
import type { BoardResources } from './board-resources';
import type { ClientInfo } from './mcp-session';
import type { McpTools } from './mcp-tools';
import { mcpTools, type ToolChoice } from './offered-tools';
import type { OpenCalls, OpenCallHandle, ClientAnswer } from './open-calls';
import { promptFault, PROMPTS, SERVER_INSTRUCTIONS } from './prompts';

interface McpServerServices {
  readonly tools: McpTools;
  readonly calls: OpenCalls;
  readonly resources: BoardResources;
  readonly choice: ToolChoice;
  /** returns the text of an offered prompt; undefined for others */
  readonly prompt: (
    name: string,
    args: Readonly<Record<string, string>>,
  ) => Promise<string | undefined>;
  readonly onClientInfo: (client: ClientInfo) => void;
  /** whether the agent's name was given, so that clients need not identify themselves */
  readonly isNamed: boolean;
}

/**
 * The server for an MCP client of any protocol version: tools, boards as resources, and prompts.
 */
export function mcpServer(services: McpServerServices): Server {
  const { resources, choice, prompt } = services;
  const server = new Server(
    { name: 'agent-task-boards', title: 'Agent Task Boards', version: PRODUCT_VERSION },
    {
      capabilities: { tools: {}, resources: { subscribe: true, listChanged: true }, prompts: {} },
      instructions: SERVER_INSTRUCTIONS,
      // `askThroughClient` asks instead, so that the client gets progress notifications meanwhile.
      inputRequired: { legacyShim: false },
    },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: mcpTools(choice).map((tool) => ({ ...tool })),
  }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    passClientInfo(services, server, context);
    const { name, arguments: args = {} } = params;
    const sent = textOf(name, args);
    if (sent === undefined) return errorResult(TOO_DEEP);
    const call = await beginOrResumeCall(
      services,
      { name, args, sent },
      canAsk(server, context),
      context,
    );
    if (call === undefined) return errorResult(NOT_ASKED);
    return waitForCall(call, context);
  });
  server.setRequestHandler('resources/list', async () => ({
    resources: (await resources.list()).map((resource) => ({ ...resource })),
  }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const text = await resources.read(uri);
    if (text === undefined) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There is no board ${uri} in this session.`,
      );
    }
    return { contents: [{ uri, mimeType: 'text/markdown', text }] };
  });
  // All boards of the session are watched anyway, so a subscriber also gets updates of the others.
  server.setRequestHandler('resources/subscribe', () => ({}));
  server.setRequestHandler('resources/unsubscribe', () => ({}));
  server.setRequestHandler('prompts/list', () => ({
    prompts: PROMPTS.map((one) => ({ ...one, arguments: [...one.arguments] })),
  }));
  server.setRequestHandler('prompts/get', async ({ params }, context): Promise<GetPromptResult> => {
    passClientInfo(services, server, context);
    const { name, arguments: args = {} } = params;
    const fault = promptFault(name, args);
    const text = fault === undefined ? await prompt(name, args) : undefined;
    if (text === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, fault ?? name);
    return { messages: [{ role: 'user', content: { type: 'text', text } }] };
  });
  return server;
}

/** Longest delay of a timer, in ms. The settings limit how long a question waits. */
const LONGEST_WAIT = 2 ** 31 - 1;

const NOT_ASKED =
  'Nothing was done: this answer is for another call, or for one that is over. Send the call again.';

const NOT_INTRODUCED =
  'Nothing was done: nobody said who calls. Send initialize first, or start the server with --agent.';

const TOO_DEEP =
  'Nothing was done: the arguments are nested too deep. Look at the fields of the tool.';

/**
 * A tool name and its arguments as one text; undefined if they are nested too deep for any tool.
 */
function textOf(name: string, args: unknown): string | undefined {
  try {
    const text = JSON.stringify([name, args]);
    return tooDeep(text) ? undefined : text;
  } catch (error) {
    if (error instanceof RangeError) return undefined; // deeper than the stack
    throw error;
  }
}

/** A call as sent by the client. */
interface SentCall {
  readonly name: string;
  readonly args: unknown;
  /** name and arguments as one text */
  readonly sent: string;
}

/** The call that a request starts or continues. */
async function beginOrResumeCall(
  { calls, tools }: McpServerServices,
  { name, args, sent }: SentCall,
  asks: boolean,
  { mcpReq }: ServerContext,
): Promise<OpenCallHandle | undefined> {
  const state = mcpReq.requestState<string>();
  if (state === undefined) {
    return calls.begin(sent, ({ id, ask, stop }) =>
      tools.call(name, args, { id, stop, ask: asks ? ask : undefined }),
    );
  }
  const call = await calls.find(state, sent);
  const response = inputResponse(mcpReq.inputResponses, QUESTION);
  // If the request comes again without an answer, the question is asked again.
  if (response.kind !== 'missing') {
    call?.answer(state, response.kind === 'elicit' ? toClientAnswer(response.action) : 'no');
  }
  return call;
}

const QUESTION = 'allow';

/** Waits for the end of a call. For newer clients, also returns with its next question. */
async function waitForCall(
  call: OpenCallHandle,
  { mcpReq }: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  mcpReq.signal.addEventListener('abort', call.cancel, { once: true });
  if (mcpReq.signal.aborted) call.cancel();
  const stopProgress = reportProgress(mcpReq);
  try {
    for (;;) {
      const step = await call.next();
      if (step.kind === 'done') return toolResult(step.outcome);
      const { message, state } = step;
      const params = { message, requestedSchema: { type: 'object' as const, properties: {} } };
      if (mcpReq.envelope !== undefined) {
        const inputRequests = { [QUESTION]: inputRequired.elicit(params) };
        return inputRequired({ inputRequests, requestState: state });
      }
      call.answer(state, await askThroughClient(mcpReq, params));
    }
  } finally {
    stopProgress();
  }
}

/** Asks the person through an older client, while its request stays open. */
async function askThroughClient(
  { send, signal }: ServerContext['mcpReq'],
  params: Record<string, unknown>,
): Promise<ClientAnswer> {
  try {
    const options = { timeout: LONGEST_WAIT, signal };
    return toClientAnswer((await send({ method: 'elicitation/create', params }, options)).action);
  } catch {
    return 'cancelled'; // the client can't ask, or it cancelled the call
  }
}

function toClientAnswer(action: ElicitResult['action']): ClientAnswer {
  return action === 'accept' ? 'yes' : 'no';
}

/** ms between progress notifications. */
const PROGRESS_INTERVAL = 5_000;

/**
 * Sends progress notifications if the client wants them, since clients abandon silent calls and a
 * person's answer may take long.
 */
export function reportProgress({ _meta, notify }: ServerContext['mcpReq']): () => void {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return () => undefined;
  let progress = 0;
  const timer = setInterval(() => {
    progress += 1;
    const params = { progressToken, progress, message: 'Waiting for the person or the vault' };
    // If this fails, the connection is closed, which is handled elsewhere.
    notify({ method: 'notifications/progress', params }).catch(() => undefined);
  }, PROGRESS_INTERVAL);
  return () => clearInterval(timer);
}

export function toolResult(outcome: ToolOutcome): CallToolResult {
  if (!outcome.ok) return errorResult(outcome.error.message);
  const { output: text, metadata } = outcome;
  // The text already lists the tasks; repeating them would waste the model's context.
  const { tasks: _, ...facts } = metadata;
  const isError = z.safeParse(nothingDone, metadata).success;
  return {
    ...{ content: [{ type: 'text', text }], structuredContent: { text, ...facts } },
    ...(isError && { isError }),
  };
}

/**
 * Matches a call of `tasks` with no successful operation; the audit records such calls as failed
 * too.
 */
const nothingDone = z.object({
  refusals: z.object({ done: z.literal(0) }),
  resumed: z.optional(z.undefined()),
});

function errorResult(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}

/**
 * Passes on the client's identity, sent with the request or when it connected.
 * @throws ProtocolError if there is none, and no agent was named
 */
function passClientInfo(
  { onClientInfo: introduced, isNamed }: McpServerServices,
  server: Server,
  { mcpReq }: ServerContext,
): void {
  const clientInfo =
    envelopeValue<ClientInfo>(mcpReq, CLIENT_INFO_META_KEY) ?? server.getClientVersion();
  if (clientInfo !== undefined) introduced({ name: clientInfo.name, title: clientInfo.title });
  else if (!isNamed) throw new ProtocolError(ProtocolErrorCode.InvalidRequest, NOT_INTRODUCED);
}

/** Whether the client can ask its person a question. */
function canAsk(server: Server, { mcpReq }: ServerContext): boolean {
  const can =
    envelopeValue<ClientCapabilities>(mcpReq, CLIENT_CAPABILITIES_META_KEY) ??
    server.getClientCapabilities();
  return can?.elicitation !== undefined;
}

/** A value that newer clients send with each request, validated by the SDK. */
function envelopeValue<T>({ envelope }: ServerContext['mcpReq'], key: string): T | undefined {
  return (envelope as Readonly<Record<string, T | undefined>> | undefined)?.[key];
}

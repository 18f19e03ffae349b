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
import type { OpenCalls, OpenCallHandle, Said } from './open-calls';
import { promptFault, PROMPTS, SERVER_INSTRUCTIONS } from './prompts';

interface McpServerServices {
  readonly tools: McpTools;
  readonly calls: OpenCalls;
  readonly resources: BoardResources;
  readonly choice: ToolChoice;
  /** text of a prompt that is offered; undefined for another */
  readonly prompt: (
    name: string,
    args: Readonly<Record<string, string>>,
  ) => Promise<string | undefined>;
  readonly introduced: (client: ClientInfo) => void;
  /** whether calls have an agent's name also where the client does not say who it is */
  readonly isNamed: boolean;
}

/** The answers to an MCP client, old or new: tools, the boards as resources, prompts. */
export function mcpServer(services: McpServerServices): Server {
  const { resources, choice, prompt } = services;
  const server = new Server(
    { name: 'agent-task-boards', title: 'Agent Task Boards', version: PRODUCT_VERSION },
    {
      capabilities: { tools: {}, resources: { subscribe: true, listChanged: true }, prompts: {} },
      instructions: SERVER_INSTRUCTIONS,
      // Asked by `asked`, so that the client hears meanwhile that its call still waits.
      inputRequired: { legacyShim: false },
    },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: mcpTools(choice).map((tool) => ({ ...tool })),
  }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    introduce(services, server, context);
    const { name, arguments: args = {} } = params;
    const sent = textOf(name, args);
    if (sent === undefined) return errorResult(TOO_DEEP);
    const call = await callOf(services, { name, args, sent }, canAsk(server, context), context);
    if (call === undefined) return errorResult(NOT_ASKED);
    return answer(call, context);
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
  // All are watched: who subscribes is told of the rest as well, which are of the same session.
  server.setRequestHandler('resources/subscribe', () => ({}));
  server.setRequestHandler('resources/unsubscribe', () => ({}));
  server.setRequestHandler('prompts/list', () => ({
    prompts: PROMPTS.map((one) => ({ ...one, arguments: [...one.arguments] })),
  }));
  server.setRequestHandler('prompts/get', async ({ params }, context): Promise<GetPromptResult> => {
    introduce(services, server, context);
    const { name, arguments: args = {} } = params;
    const fault = promptFault(name, args);
    const text = fault === undefined ? await prompt(name, args) : undefined;
    if (text === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, fault ?? name);
    return { messages: [{ role: 'user', content: { type: 'text', text } }] };
  });
  return server;
}

/** ms; the longest that a timer can wait: how long a question stands is for the settings to say */
const LONGEST_WAIT = 2 ** 31 - 1;

const NOT_ASKED =
  'Nothing was done: this answer is for another call, or for one that is over. Send the call again.';

const NOT_INTRODUCED =
  'Nothing was done: nobody said who calls. Send initialize first, or start the server with --agent.';

const TOO_DEEP =
  'Nothing was done: the arguments are nested too deep. Look at the fields of the tool.';

/** A tool and its arguments as one text; undefined where they are nested deeper than any tool takes. */
function textOf(name: string, args: unknown): string | undefined {
  try {
    const text = JSON.stringify([name, args]);
    return tooDeep(text) ? undefined : text;
  } catch (error) {
    if (error instanceof RangeError) return undefined; // deeper than the stack
    throw error;
  }
}

/** What a client sends of a call. */
interface SentCall {
  readonly name: string;
  readonly args: unknown;
  /** both as one text */
  readonly sent: string;
}

/** The call that a request begins, or goes on with. */
async function callOf(
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
  const call = await calls.resumed(state, sent);
  const said = inputResponse(mcpReq.inputResponses, QUESTION);
  // Sent again without an answer, it is asked again.
  if (said.kind !== 'missing') {
    call?.answer(state, said.kind === 'elicit' ? wordOf(said.action) : 'no');
  }
  return call;
}

const QUESTION = 'allow';

/** Waits for the end of a call, or, of a newer client, for its next question. */
async function answer(
  call: OpenCallHandle,
  { mcpReq }: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  mcpReq.signal.addEventListener('abort', call.cancel, { once: true });
  if (mcpReq.signal.aborted) call.cancel();
  const quiet = tellProgress(mcpReq);
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
      call.answer(state, await asked(mcpReq, params));
    }
  } finally {
    quiet();
  }
}

/** The word of the person in front of an older client, while its request stays open. */
async function asked(
  { send, signal }: ServerContext['mcpReq'],
  params: Record<string, unknown>,
): Promise<Said> {
  try {
    const options = { timeout: LONGEST_WAIT, signal };
    return wordOf((await send({ method: 'elicitation/create', params }, options)).action);
  } catch {
    return 'cancelled'; // it can't ask, or gave the call up: nobody's word
  }
}

function wordOf(action: ElicitResult['action']): Said {
  return action === 'accept' ? 'yes' : 'no';
}

/** How often a client that wants to know hears that a call still runs, ms. */
const STILL_RUNS = 5_000;

/** Clients give a call up that they hear nothing of; a person's answer may take longer. */
export function tellProgress({ _meta, notify }: ServerContext['mcpReq']): () => void {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return () => undefined;
  let progress = 0;
  const timer = setInterval(() => {
    progress += 1;
    const params = { progressToken, progress, message: 'Waiting for the person or the vault' };
    // Where it can't be told the connection is gone, and that is heard elsewhere.
    notify({ method: 'notifications/progress', params }).catch(() => undefined);
  }, STILL_RUNS);
  return () => clearInterval(timer);
}

export function toolResult(outcome: ToolOutcome): CallToolResult {
  if (!outcome.ok) return errorResult(outcome.error.message);
  const { output: text, metadata } = outcome;
  // The list of tasks stands in the text; twice it would cost a model its room.
  const { tasks: _, ...facts } = metadata;
  const isError = z.safeParse(nothingDone, metadata).success;
  return {
    ...{ content: [{ type: 'text', text }], structuredContent: { text, ...facts } },
    ...(isError && { isError }),
  };
}

/** Of a call of `tasks` none of whose operations could be carried out; the audit too says that it failed. */
const nothingDone = z.object({
  refusals: z.object({ done: z.literal(0) }),
  resumed: z.optional(z.undefined()),
});

function errorResult(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}

/**
 * Hands on who the client says it is: with each request, or when it connected.
 * @throws ProtocolError where it did neither, and nobody named the agent
 */
function introduce(
  { introduced, isNamed }: McpServerServices,
  server: Server,
  { mcpReq }: ServerContext,
): void {
  const said = told<ClientInfo>(mcpReq, CLIENT_INFO_META_KEY) ?? server.getClientVersion();
  if (said !== undefined) introduced({ name: said.name, title: said.title });
  else if (!isNamed) throw new ProtocolError(ProtocolErrorCode.InvalidRequest, NOT_INTRODUCED);
}

/** Whether the client can put a question to its person. */
function canAsk(server: Server, { mcpReq }: ServerContext): boolean {
  const can =
    told<ClientCapabilities>(mcpReq, CLIENT_CAPABILITIES_META_KEY) ??
    server.getClientCapabilities();
  return can?.elicitation !== undefined;
}

/** What newer clients send with each request; the SDK has checked its form. */
function told<T>({ envelope }: ServerContext['mcpReq'], key: string): T | undefined {
  return (envelope as Readonly<Record<string, T | undefined>> | undefined)?.[key];
}

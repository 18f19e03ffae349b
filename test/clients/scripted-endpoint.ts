import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { listenOnLoopback } from '../model/loopback';

/** A tool call of the model, by the end of the tool's name, since clients add a prefix. */
export interface ScriptedCall {
  readonly tool: string;
  readonly args: unknown;
}

export interface ScriptedEndpoint {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** bodies of the requests, in order */
  readonly requests: readonly string[];
  /** hosts that the client tried to reach through our proxy; all are refused */
  readonly refused: readonly string[];
  close(): Promise<void>;
}

type Json = Readonly<Record<string, unknown>>;

/** A model on loopback that makes these calls in order, in the dialect of the request. */
export async function startEndpoint(calls: readonly ScriptedCall[]): Promise<ScriptedEndpoint> {
  const requests: string[] = [];
  const refused: string[] = [];
  const server = createServer((incoming, response) => {
    answer(incoming, response, calls, requests).catch((error: unknown) => {
      response.writeHead(500).end(String(error));
    });
  });
  server.on('connect', ({ url = '' }: IncomingMessage, socket) => {
    refused.push(url);
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
  });
  const { origin: url, close } = await listenOnLoopback(server);
  return { url, requests, refused, close };
}

async function answer(
  incoming: IncomingMessage,
  response: ServerResponse,
  calls: readonly ScriptedCall[],
  requests: string[],
): Promise<void> {
  const { url = '', method } = incoming;
  if (method !== 'POST') return void response.writeHead(200).end('{}');
  const body = (await json(incoming)) as Json;
  const text = JSON.stringify(body);
  requests.push(text);
  const dialect = DIALECTS.find(({ path }) => path.test(url));
  if (dialect === undefined) return void response.writeHead(404).end('{}');
  const names = dialect.tools(body);
  const call = calls[dialect.results(body)];
  const tool = call && names.find((name) => name.endsWith(call.tool));
  // Requests without tools ask for a title or a route: the answer is text.
  const said = tool === undefined ? undefined : { tool, args: call?.args };
  const { events, whole } = dialect.respond(said, `call_${requests.length}`);
  const streams = body['stream'] === true || url.includes('alt=sse');
  if (!streams) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(whole));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) {
    const { type } = event;
    const head = typeof type === 'string' ? `event: ${type}\n` : '';
    response.write(`${head}data: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}

interface ModelCall {
  readonly tool: string;
  readonly args: unknown;
}

interface Dialect {
  readonly path: RegExp;
  /** names of the offered tools */
  tools(body: Json): readonly string[];
  /** number of answered calls */
  results(body: Json): number;
  respond(said: ModelCall | undefined, id: string): { events: readonly Json[]; whole: Json };
}

const DONE = 'Done.';

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as Json[]) : []);

const ANTHROPIC: Dialect = {
  path: /\/v1\/messages/,
  tools: (body) => list(body['tools']).map(({ name }) => String(name)),
  results: (body) =>
    list(body['messages'])
      .flatMap(({ content }) => list(content))
      .filter(({ type }) => type === 'tool_result').length,
  respond(said, id) {
    const usage = { input_tokens: 10, output_tokens: 5 };
    const stop = said ? 'tool_use' : 'end_turn';
    const block = said
      ? { type: 'tool_use', id: `toolu_${id}`, name: said.tool, input: {} }
      : { type: 'text', text: '' };
    const delta = said
      ? { type: 'input_json_delta', partial_json: JSON.stringify(said.args) }
      : { type: 'text_delta', text: DONE };
    const message = { id: `msg_${id}`, type: 'message', role: 'assistant', model: 'scripted' };
    const full = said ? { ...block, input: said.args } : { type: 'text', text: DONE };
    return {
      whole: { ...message, content: [full], stop_reason: stop, stop_sequence: null, usage },
      events: [
        { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage } },
        { type: 'content_block_start', index: 0, content_block: block },
        { type: 'content_block_delta', index: 0, delta },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage },
        { type: 'message_stop' },
      ],
    };
  },
};

const RESPONSES: Dialect = {
  path: /\/responses/,
  tools: (body) =>
    list(body['tools']).flatMap((tool) =>
      tool['type'] === 'namespace'
        ? list(tool['tools']).map(({ name }) => `${String(tool['name'])}/${String(name)}`)
        : String(tool['name']),
    ),
  results: (body) =>
    list(body['input']).filter(({ type }) => type === 'function_call_output').length,
  respond(said, id) {
    const [namespace, name] = said?.tool.includes('/')
      ? said.tool.split('/')
      : [undefined, said?.tool];
    const item = said
      ? {
          ...{ type: 'function_call', id: `fc_${id}`, call_id: id, name },
          ...(namespace !== undefined && { namespace }),
          arguments: JSON.stringify(said.args),
        }
      : {
          ...{ type: 'message', id: `msg_${id}`, role: 'assistant' },
          content: [{ type: 'output_text', text: DONE }],
        };
    const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15 };
    const whole = { id: `resp_${id}`, output: [item], usage };
    return {
      whole,
      events: [
        { type: 'response.created', response: { id: `resp_${id}` } },
        { type: 'response.output_item.done', output_index: 0, item },
        { type: 'response.completed', response: whole },
      ],
    };
  },
};

const GEMINI: Dialect = {
  path: /:(streamGenerateContent|generateContent)/,
  tools: (body) =>
    list(body['tools'])
      .flatMap(({ functionDeclarations }) => list(functionDeclarations))
      .map(({ name }) => String(name)),
  results: (body) =>
    list(body['contents'])
      .flatMap(({ parts }) => list(parts))
      .filter((part) => 'functionResponse' in part).length,
  respond(said) {
    const part = said ? { functionCall: { name: said.tool, args: said.args } } : { text: DONE };
    const whole = {
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    };
    return { whole, events: [whole] };
  },
};

const DIALECTS = [ANTHROPIC, RESPONSES, GEMINI];

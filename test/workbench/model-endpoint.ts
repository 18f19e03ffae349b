import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { streamAnswer } from '../../workbench/demo/model-stream';
import { withOfferedNames } from '../../workbench/demo/scripted-model';
import type { Turn } from '../../workbench/demo/turn-schema';
import { listenOnLoopback } from '../model/loopback';

interface Message {
  readonly role: string;
  readonly content: unknown;
}

export interface ModelEndpoint {
  /** ends in `/v1` */
  readonly url: string;
  /** for each request, whether it asked for a stream */
  readonly streamed: readonly boolean[];
  /** requested paths that no model has */
  readonly unknownPaths: readonly string[];
  close(): Promise<void>;
}

/** The model's answer to a prompt after these results of tools. */
type AnswerScript = (prompt: string, results: readonly string[]) => Turn;

/**
 * An endpoint on loopback that is like Ollama's: models `qwen3` and `small`, which calls no tools, OpenAI's dialect, and
 * `script` for an OpenCode on it. Requires `key` if given. By default it plans two tasks for any
 * prompt and completes the first.
 * @param used tokens reported for each streamed request
 */
export async function startEndpoint(
  key?: string,
  play: AnswerScript = planDinner,
  used = 100,
): Promise<ModelEndpoint> {
  const streamed: boolean[] = [];
  const strays: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.url?.startsWith('/v1/') !== true) strays.push(String(request.url));
    if (key !== undefined && request.headers.authorization !== `Bearer ${key}`) {
      return sendJson(response, 401, { error: { message: `Incorrect API key provided: ${key}` } });
    }
    if (request.method === 'GET') {
      return sendJson(response, 200, { data: MODELS });
    }
    const { model, messages, tools = [], stream = false } = await read(request);
    if (model === 'small' && tools.length > 0) {
      return sendJson(response, 400, { error: { message: 'small does not support tools' } });
    }
    if (model !== 'qwen3' && model !== 'script') {
      const error = { message: `model "${model}" not found`, type: 'not_found_error' };
      return sendJson(response, 404, { error });
    }
    const offered = tools.map((tool) => tool.function.name);
    // Requests without tools ask for a title.
    const turn =
      offered.length === 0 ? { text: 'OK' } : withOfferedNames(turnAfter(messages, play), offered);
    streamed.push(stream);
    const id = `call_${streamed.length}`;
    if (stream)
      return streamAnswer(response, turn, { model, id, defaultDelayMs: 0, more: false, used });
    return sendJson(response, 200, completionOf(turn, id));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  const { origin, close } = await listenOnLoopback(server);
  return {
    url: `${origin}/v1`,
    ...{ streamed, unknownPaths: strays },
    close,
  };
}

const MODELS = [{ id: 'qwen3', context_length: 100_000 }, { id: 'small' }];

function turnAfter(messages: readonly Message[], play: AnswerScript): Turn {
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const prompt = String(messages[asked]?.content);
  if (prompt.startsWith('Answer with OK')) return { text: 'OK' };
  const results = messages.slice(asked).filter(({ role }) => role === 'tool');
  return play(
    prompt,
    results.map(({ content }) => String(content)),
  );
}

function planDinner(_: string, results: readonly string[]): Turn {
  const operations = OPERATIONS[results.length];
  if (operations === undefined) return { text: 'Both are on the board, the first is done.' };
  return { tools: [{ name: 'tasks', args: { operations } }] };
}

const OPERATIONS: readonly (readonly object[])[] = [
  [
    { type: 'add', title: 'Collect the recipes' },
    { type: 'add', title: 'Write the menu' },
  ],
  [{ type: 'complete', id: 1 }],
];

async function read(request: IncomingMessage) {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString()) as {
    readonly model: string;
    readonly messages: readonly Message[];
    readonly tools?: readonly { readonly function: { readonly name: string } }[];
    readonly stream?: boolean;
  };
}

function completionOf({ text = '', tools = [] }: Turn, id: string): object {
  const calls = tools.map(({ name, args }, at) => ({
    ...{ id: `${id}_${at}`, type: 'function' },
    function: { name, arguments: JSON.stringify(args) },
  }));
  const message = { role: 'assistant', content: text, ...(calls.length && { tool_calls: calls }) };
  const finish = calls.length > 0 ? 'tool_calls' : 'stop';
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  return { choices: [{ index: 0, message, finish_reason: finish }], usage };
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

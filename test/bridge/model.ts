import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenOnLoopback } from '../model/loopback';

export interface ModelRequest {
  readonly model: string;
  readonly sessionId: string;
  readonly parentId: string | undefined;
  readonly system: string;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly parameters: unknown;
  }[];
}

export interface ModelAnswer {
  readonly thinking?: string;
  readonly text?: string;
  readonly tools?: readonly {
    readonly name: string;
    readonly args: unknown;
    /** the arguments as they are sent, in place of `args` */
    readonly text?: string;
    /** that the call has; else one of its own */
    readonly id?: string;
  }[];
  /** tokens that the request is said to have had; 10, if absent */
  readonly used?: number;
  /** an HTTP error instead */
  readonly status?: number;
  /** says one word and then nothing until the request is cut */
  readonly hang?: boolean;
}

export interface Model {
  readonly url: string;
  readonly requests: readonly ModelRequest[];
  /** what each request was authorized with */
  readonly keys: readonly string[];
  /** What the session (or, by `child of <id>`, its sub-agents) is answered, request by request. */
  play(session: string, ...answers: readonly ModelAnswer[]): void;
  /** Calls sessions otherwise than the program that asks does. */
  nameSessions(name: (session: string) => string): void;
  close(): Promise<void>;
}

/**
 * A model on loopback that answers each session as told, else with "fine"; it keeps whole requests.
 * @param names of the models that it lists
 */
export async function startModel(names: readonly string[] = ['script']): Promise<Model> {
  const requests: ModelRequest[] = [];
  const keys: string[] = [];
  const plays = new Map<string, ModelAnswer[]>();
  let nameOf = (session: string): string => session;
  const server = createServer((incoming, response) => {
    keys.push(incoming.headers.authorization ?? '');
    if (incoming.method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/json' });
      const data = names.map((id) => ({ id, object: 'model' }));
      response.end(JSON.stringify({ object: 'list', data }));
      return;
    }
    void read(incoming).then((asked) => {
      const sessionId = nameOf(asked.sessionId);
      const request = { ...asked, sessionId };
      const { parentId } = request;
      const isTitle = request.system.includes('title generator');
      requests.push(request);
      const key = parentId === undefined ? sessionId : `child of ${parentId}`;
      const answer = isTitle ? { text: 'A title' } : plays.get(key)?.shift();
      reply(response, answer ?? { text: 'fine' }, requests.length);
    });
  });
  const { origin, close } = await listenOnLoopback(server);
  return {
    url: `${origin}/v1`,
    requests,
    keys,
    nameSessions: (name) => void (nameOf = name),
    play: (session, ...answers) => void plays.set(session, [...answers]),
    close,
  };
}

async function read(incoming: IncomingMessage): Promise<ModelRequest> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  const body = JSON.parse(Buffer.concat(parts).toString()) as {
    model: string;
    messages: ModelRequest['messages'];
    tools?: { function: { name: string; description: string; parameters: unknown } }[];
  };
  const { headers } = incoming;
  const parentId = headers['x-parent-session-id'];
  return {
    model: body.model,
    sessionId: String(headers['x-session-id']),
    parentId: typeof parentId === 'string' ? parentId : undefined,
    system: body.messages
      .filter(({ role }) => role === 'system')
      .map(({ content }) => JSON.stringify(content))
      .join('\n'),
    messages: body.messages,
    tools: (body.tools ?? []).map(({ function: { name, description, parameters } }) => ({
      ...{ name, description, parameters },
    })),
  };
}

function reply(response: ServerResponse, answer: ModelAnswer, number: number): void {
  if (answer.status !== undefined) {
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: `scripted ${answer.status}` } }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (delta: object, finish: string | null = null): void => {
    const { used = 10 } = answer;
    const usage = finish
      ? { prompt_tokens: used, completion_tokens: 5, total_tokens: used + 5 }
      : undefined;
    const choices = [{ index: 0, delta, finish_reason: finish }];
    const chunk = {
      id: 'x',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'script',
      choices,
    };
    response.write(`data: ${JSON.stringify({ ...chunk, ...(usage && { usage }) })}\n\n`);
  };
  send({ role: 'assistant' });
  for (const word of words(answer.thinking)) send({ reasoning_content: word });
  for (const word of words(answer.text)) send({ content: word });
  if (answer.hang) {
    send({ content: 'wait' });
    return;
  }
  (answer.tools ?? []).forEach(({ name, args, text, id }, index) => {
    const call = { name, arguments: text ?? JSON.stringify(args) };
    send({
      tool_calls: [
        { index, id: id ?? `call_${number}_${index}`, type: 'function', function: call },
      ],
    });
  });
  send({}, answer.tools?.length ? 'tool_calls' : 'stop');
  response.end('data: [DONE]\n\n');
}

function words(text: string | undefined): string[] {
  return text?.match(/\S+\s*/g) ?? [];
}

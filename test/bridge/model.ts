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
    /** raw arguments text, in place of `args` */
    readonly text?: string;
    /** id of the call; generated if absent */
    readonly id?: string;
  }[];
  /** tokens reported for the request; 10 if absent */
  readonly used?: number;
  /** answers with this HTTP error instead */
  readonly status?: number;
  /** sends one word, then nothing until the request is cut */
  readonly hang?: boolean;
}

export interface Model {
  readonly url: string;
  readonly requests: readonly ModelRequest[];
  /** the authorization of each request */
  readonly keys: readonly string[];
  /** Queues answers for the session's requests (`child of <id>`: for those of its subagents). */
  play(session: string, ...answers: readonly ModelAnswer[]): void;
  /** Maps the session ids of requests to the names used by `play`. */
  nameSessions(name: (session: string) => string): void;
  close(): Promise<void>;
}

/**
 * A model on loopback that answers each session as queued, else with "fine". Keeps whole requests.
 * @param names models that it lists
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

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenOnLoopback } from './loopback';

export interface RecordedRequest {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingMessage['headers'];
  /** parsed JSON; undefined if there is none */
  readonly body: unknown;
}

/** One answer: status, headers and body, or a function that writes it. */
export type Answer =
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Uint8Array;
      /** Cuts the connection after the body. */
      readonly cut?: boolean;
    }
  | ((response: ServerResponse) => void);

export interface ModelServer {
  /** ends in `/v1` */
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  /** Sets the next answers, one per request; the last is repeated. */
  answer(...answers: readonly Answer[]): void;
  /** Resolves when the other side closes the connection of the running request. */
  readonly disconnected: Promise<void>;
  close(): Promise<void>;
}

/** A provider on loopback that sends scripted answers, byte by byte. */
export async function startModelServer(host = '127.0.0.1'): Promise<ModelServer> {
  const asked: RecordedRequest[] = [];
  let answers: readonly Answer[] = [];
  let leave: () => void = () => undefined;
  const left = new Promise<void>((resolve) => (leave = resolve));
  const server = createServer((incoming, response) => {
    response.once('close', () => {
      if (!response.writableFinished) leave();
    });
    void text(incoming).then((body) => {
      const { method, url: path, headers } = incoming;
      asked.push({ method, path, headers, body: body === '' ? undefined : JSON.parse(body) });
      const [answer = {}, ...rest] = answers;
      if (rest.length > 0) answers = rest;
      if (typeof answer === 'function') answer(response);
      else sendAnswer(response, answer);
    });
  });
  const { origin, close } = await listenOnLoopback(server, host);
  return {
    url: `${origin}/v1`,
    requests: asked,
    disconnected: left,
    answer: (...next) => void (answers = next),
    close,
  };
}

function sendAnswer(
  response: ServerResponse,
  {
    status = 200,
    headers = {},
    body = '',
    cut = false,
  }: Exclude<Answer, (response: ServerResponse) => void>,
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  if (!cut) response.end(body);
  else response.write(body, () => response.socket?.end());
}

/** An answer as an event stream. */
export function stream(body: string | Uint8Array, cut = false): Answer {
  return { headers: { 'content-type': 'text/event-stream' }, body, cut };
}

/** Events of one dialect as sent over the wire; Anthropic's have names. */
export function frames(...events: readonly unknown[]): string {
  return events
    .map((event) => {
      if (typeof event === 'string') return `data: ${event}\n\n`;
      const { type } = event as { readonly type?: string };
      const named = type === undefined ? '' : `event: ${type}\n`;
      return `${named}data: ${JSON.stringify(event)}\n\n`;
    })
    .join('');
}

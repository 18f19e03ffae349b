import type { RequestUrlParam, RequestUrlResponse } from 'obsidian';
import { DiskError } from '../vault-client';

interface ProxyRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/**
 * Sends a request through the server's proxy, since only the workbench answers requests of a page.
 * @throws DiskError
 */
async function sendToProxy(asked: ProxyRequest, signal?: AbortSignal) {
  const given = { method: 'POST', body: JSON.stringify(asked) };
  const answer = await fetch('/proxy', signal === undefined ? given : { ...given, signal });
  const head = answer.headers.get('x-workbench-answer');
  if (head === null) {
    const { code, message } = (await answer.json()) as { code: string; message: string };
    throw new DiskError(code, message);
  }
  const { status, headers } = JSON.parse(decodeURIComponent(head)) as {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
  };
  return { status, headers, answer };
}

/** The app's `requestUrl`, which returns whole answers. */
export async function requestUrl(asked: RequestUrlParam): Promise<RequestUrlResponse> {
  const { url, method = 'GET', headers: sent = {}, body } = asked;
  const text = typeof body === 'string' ? body : undefined;
  const { status, headers, answer } = await sendToProxy({ url, method, headers: sent, body: text });
  const arrayBuffer = await answer.arrayBuffer();
  const words = new TextDecoder().decode(arrayBuffer);
  if (asked.throw !== false && status >= 400) throw new Error(`Request failed, status ${status}`);
  return { status, headers, arrayBuffer, text: words, json: undefined };
}

class Agent {}

type ErrorListener = (told: unknown) => void;

/** Node's `request`, with what the plugin uses. */
function request(
  url: string,
  { method, headers }: Pick<ProxyRequest, 'method' | 'headers'>,
  onResponse: (answer: unknown) => void,
) {
  const stop = new AbortController();
  const errorListeners: ErrorListener[] = [];
  const send = async (body?: string): Promise<void> => {
    try {
      const {
        status,
        headers: responseHeaders,
        answer,
      } = await sendToProxy({ url, method, headers, body }, stop.signal);
      const pieces = (answer.body ?? new ReadableStream()) as unknown as AsyncIterable<Uint8Array>;
      onResponse({
        ...{ statusCode: status, headers: responseHeaders, on: () => undefined },
        [Symbol.asyncIterator]: () => pieces[Symbol.asyncIterator](),
      });
    } catch (error) {
      for (const hear of errorListeners) hear(error);
    }
  };
  const on = (event: string, hear: ErrorListener): void =>
    void (event === 'error' && errorListeners.push(hear));
  return {
    ...{ on, once: on },
    end: (body?: string) => void send(body),
    destroy: () => stop.abort(),
  };
}

/** Stands in for `node:http` and `node:https`. */
export const httpModule = { Agent, request };

import { Agent as PlainAgent, request as plainRequest, type IncomingMessage } from 'node:http';
import { Agent, request as tlsRequest } from 'node:https';
import type { Http, HttpResponse, HttpRequest } from '../core/model/model-client';

/** ms to establish a connection; a machine that is switched off doesn't refuse it. */
const CONNECT_TIMEOUT = 20_000;

/** Most idle connections kept per address; Node's default is 256. */
const MAX_IDLE_SOCKETS = 8;

/**
 * HTTP requests through Node. Uses its own agents, so that neither the environment nor another
 * plugin can turn off the checking of certificates.
 */
export function nodeHttp(connectMs = CONNECT_TIMEOUT): Http {
  const plain = new PlainAgent({ keepAlive: true, maxFreeSockets: MAX_IDLE_SOCKETS });
  const tls = new Agent({
    keepAlive: true,
    maxFreeSockets: MAX_IDLE_SOCKETS,
    rejectUnauthorized: true,
  });
  const request = ({ url, method, headers, signal, body }: HttpRequest): Promise<HttpResponse> =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const isTls = url.startsWith('https:');
      const options = {
        ...{ method, agent: isTls ? tls : plain },
        headers: { ...headers, 'accept-encoding': 'identity' },
      };
      const sent = (isTls ? tlsRequest : plainRequest)(url, options, (answer) =>
        resolve(toHttpAnswer(answer)),
      );
      // Not the option `signal`, with which Node 20 throws if a response was not read to its end.
      const stop = (): void => void sent.destroy();
      signal.addEventListener('abort', stop, { once: true });
      sent.once('close', () => signal.removeEventListener('abort', stop));
      sent.on('error', reject);
      sent.once('socket', (socket) => {
        if (!socket.connecting) return;
        const late = setTimeout(() => sent.destroy(new Error('connect ETIMEDOUT')), connectMs);
        const clear = (): void => clearTimeout(late);
        socket.once(isTls ? 'secureConnect' : 'connect', clear).once('close', clear);
      });
      sent.end(body);
    });
  return { streams: true, request };
}

function toHttpAnswer(answer: IncomingMessage): HttpResponse {
  const headers = Object.entries(answer.headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ]);
  // Errors reach whoever reads the body; without this listener, an aborted unread body would throw.
  answer.on('error', () => undefined);
  return {
    status: answer.statusCode ?? 0,
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: answer,
  };
}

import type { IncomingMessage } from 'node:http';

/**
 * Returns the reason to refuse a request, or undefined. Only pages of this server are allowed: the
 * Host must be a loopback name with our port (against DNS rebinding), an Origin must be ours, and
 * requests that may change something, sockets included, must have one.
 */
export function refusal(request: IncomingMessage, port: number): string | undefined {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (!hosts.includes(request.headers.host ?? '')) return 'foreign host';
  const { origin } = request.headers;
  if (origin !== undefined && !hosts.some((host) => origin === `http://${host}`)) {
    return 'foreign origin';
  }
  const isGet = request.method === 'GET' || request.method === 'HEAD';
  const reads = isGet && request.headers.upgrade === undefined;
  if (!reads && origin === undefined) return 'no origin';
  if (request.headers['sec-fetch-site'] === 'cross-site') return 'cross-site';
  return undefined;
}

import type { IncomingMessage } from 'node:http';

/**
 * Why a request is refused, or undefined. Only pages of this very server may ask: the Host must be
 * a loopback name with our port (no DNS rebinding), a named Origin must be ours, and what may change
 * something, a socket among it, must name it.
 */
export function refusal(request: IncomingMessage, port: number): string | undefined {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  if (!hosts.includes(request.headers.host ?? '')) return 'foreign host';
  const { origin } = request.headers;
  if (origin !== undefined && !hosts.some((host) => origin === `http://${host}`)) {
    return 'foreign origin';
  }
  const got = request.method === 'GET' || request.method === 'HEAD';
  const reads = got && request.headers.upgrade === undefined;
  if (!reads && origin === undefined) return 'no origin';
  if (request.headers['sec-fetch-site'] === 'cross-site') return 'cross-site';
  return undefined;
}

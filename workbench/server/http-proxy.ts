import { Agent, request } from 'node:http';
import type { ServerResponse } from 'node:http';
import { VaultFault } from './vault-path';

/** A request on behalf of a page: through Node on desktops, through the app on phones. */
interface ProxyRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Header with the status and headers of the real answer; the proxy's own status is always 200. */
export const PROXY_HEAD = 'x-workbench-answer';

const agent = new Agent();

/** Forwards a request to a program on this machine and streams its answer; refuses other hosts. */
export function proxy(body: Buffer, response: ServerResponse): Promise<void> {
  const { url, method, headers, body: text } = JSON.parse(body.toString('utf8')) as ProxyRequest;
  if (new URL(url).hostname !== '127.0.0.1') throw new VaultFault('EACCES', `${url} is not asked`);
  return new Promise((resolve, reject) => {
    const proxied = request(url, { method, headers, agent }, (answer) => {
      const head = JSON.stringify({ status: answer.statusCode, headers: answer.headers });
      response.writeHead(200, { [PROXY_HEAD]: encodeURIComponent(head) });
      answer.pipe(response);
      answer.once('error', () => response.destroy());
      answer.once('close', resolve);
    });
    proxied.once('error', reject);
    response.once('close', () => proxied.destroy());
    proxied.end(text);
  });
}

import { request } from 'node:http';

/**
 * The first request for a folder: only then `opencode serve` loads the plugins of it. It waits for
 * as long as OpenCode takes, which installs its packages into a new folder first.
 * @returns the status of the answer; rejects where there was none
 */
export function loadFolder(url: string, folder: string, password: string): Promise<number> {
  const target = new URL('/config', url);
  target.searchParams.set('directory', folder);
  const auth = `opencode:${password}`;
  return new Promise((resolve, reject) => {
    const asked = request(target, { auth, agent: false }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode ?? 0));
      answer.once('error', reject);
    });
    asked.once('error', reject);
    asked.end();
  });
}

import type { Clock } from '../core/ports';
import type { OpencodeHttp } from './opencode-http';

/** OpenCode answers in milliseconds; its start must not wait for more, ms. */
const WITHIN = 2_000;

/** OpenCode's version, `unknown` where it doesn't say in time. */
export async function opencodeVersion(http: OpencodeHttp, clock: Clock): Promise<string> {
  const late = new Promise<undefined>(
    (resolve) => void clock.after(WITHIN, () => resolve(undefined)),
  );
  const asked = http({ method: 'GET', path: '/global/health' }).catch(() => undefined);
  const body = (await Promise.race([asked, late]))?.body;
  const said = typeof body === 'object' && body !== null && 'version' in body && body.version;
  return typeof said === 'string' ? said : 'unknown';
}

import type { Log } from '../core/ports';
import type { OpencodeHttp } from './opencode-http';

/** Notes go into OpenCode's own log. A note that can't be written is lost. */
export function opencodeLog(http: OpencodeHttp): Log {
  return {
    note: (message, context) => {
      const body = { service: 'agent-task-boards', level: 'warn', message, extra: context ?? {} };
      http({ method: 'POST', path: '/log', body }).catch(() => undefined);
    },
  };
}

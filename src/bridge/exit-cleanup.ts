import type { Undo } from '../core/ports';

// No SIGHUP: under nohup it is ignored, and a listener would undo that.
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Runs `clean` (synchronous) when the process ends, by itself or by a signal. A signal's own effect
 * stays what it would be without us: whoever else listens acts, and where nobody does, the process
 * dies of it.
 */
export function onProcessEnd(clean: () => void): Undo {
  const handlers = SIGNALS.map((signal) => {
    const handler = (): void => {
      undo();
      clean();
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    };
    process.on(signal, handler);
    return { signal, handler };
  });
  process.on('exit', clean);
  const undo = (): void => {
    process.off('exit', clean);
    for (const { signal, handler } of handlers) process.off(signal, handler);
  };
  return undo;
}

import type { Log } from '../core/ports';

/**
 * A hook that OpenCode may call: what goes wrong in it is noted and stays in it. OpenCode would end
 * the turn for an error of a hook, and the process for a rejection of `event`, which it never awaits.
 */
export function guarded<A extends unknown[]>(
  log: Log,
  name: string,
  hook: (...args: A) => Promise<void> | void,
): (...args: A) => Promise<void> {
  return async (...args) => {
    try {
      await hook(...args);
    } catch (error) {
      log.note(`The hook ${name} failed.`, { error: String(error) });
    }
  };
}

import type { NoteLock } from '../../core/ports';

/**
 * A lock whose code is loaded when it is first needed. Where that fails nothing is written: without
 * it another program's edit could be lost. The next write tries again.
 */
export function lazyLock(load: () => Promise<NoteLock>): NoteLock {
  let loading: Promise<NoteLock> | undefined;
  return {
    async hold(key, task) {
      loading ??= load();
      const lock = await loading.catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
      return lock.hold(key, task);
    },
  };
}

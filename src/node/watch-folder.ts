import { watch, type FSWatcher } from 'node:fs';
import { isMissing } from './store-error';
import { nodeClock } from './node-ports';

/** ms between checks where the file system reports no changes, as on a network. */
const POLL = 2_000;
/** ms to wait after a change, since an editor writes in several steps. */
const SETTLE = 50;

/** Calls `onChange` after each change in a folder, and every two seconds, until `stop`. */
export async function watchFolder(
  stop: AbortSignal,
  folder: string,
  onChange: () => Promise<void>,
): Promise<void> {
  let wake = (): void => undefined;
  let watcher: FSWatcher | undefined;
  const unwatch = (): void => {
    watcher?.close();
    watcher = undefined;
  };
  const stopped = (): boolean => stop.aborted;
  stop.addEventListener('abort', () => wake(), { once: true });
  while (!stopped()) {
    // If the folder disappears or can't be watched, polling continues and watching is tried again.
    watcher ??= tryWatch(folder, () => nodeClock.after(SETTLE, () => wake()))?.on('error', unwatch);
    await new Promise<void>((resolve) => {
      // Not the clock's timer, which doesn't keep the program alive.
      const timer = setTimeout(resolve, POLL);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (stopped()) wake();
    });
    if (!stopped()) await onChange();
  }
  unwatch();
}

/** Watches a folder. Returns undefined if it is missing or can't be watched. */
function tryWatch(folder: string, onEvent: () => void): FSWatcher | undefined {
  try {
    return watch(folder, { recursive: true }, onEvent);
  } catch (error) {
    if (!isMissing(error) && !isUnwatchable(error)) throw error;
    return undefined;
  }
}

function isUnwatchable(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return ['ENOSPC', 'EMFILE', 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM'].includes(code);
}

import { watch, type FSWatcher } from 'node:fs';
import { isMissing } from './store-error';
import { nodeClock } from './node-ports';

/** Where the file system tells of no change, as on a network, this is how often we look, ms. */
const POLL = 2_000;
/** An editor writes in several steps: look once they are over, ms. */
const SETTLE = 50;

/** Looks at each sign of a change in a folder, and every two seconds. */
export async function lookUntil(
  stop: AbortSignal,
  folder: string,
  look: () => Promise<void>,
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
    // Where the folder went away, or can't be watched, looking goes on, and this is tried again.
    watcher ??= watched(folder, () => nodeClock.after(SETTLE, () => wake()))?.on('error', unwatch);
    await new Promise<void>((resolve) => {
      // A timer of its own: that of the clock keeps no program alive.
      const timer = setTimeout(resolve, POLL);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (stopped()) wake();
    });
    if (!stopped()) await look();
  }
  unwatch();
}

/** Tells of changes in a folder; undefined where it is not there yet, or can't be watched. */
function watched(folder: string, heard: () => void): FSWatcher | undefined {
  try {
    return watch(folder, { recursive: true }, heard);
  } catch (error) {
    if (!isMissing(error) && !isUnwatchable(error)) throw error;
    return undefined;
  }
}

function isUnwatchable(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return ['ENOSPC', 'EMFILE', 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM'].includes(code);
}

import { watch } from 'node:fs';
import { isMissing } from '../node/store-error';
import { nodeClock } from '../node/node-ports';

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
  const signs = new Signs(folder, () => nodeClock.after(SETTLE, () => wake()));
  const stopped = (): boolean => stop.aborted;
  stop.addEventListener('abort', () => wake(), { once: true });
  while (!stopped()) {
    signs.listen();
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
  signs.close();
}

/** What the file system tells of a folder that may not be there yet. */
class Signs {
  private watcher: ReturnType<typeof watch> | undefined;

  constructor(
    private readonly folder: string,
    private readonly heard: () => void,
  ) {}

  listen(): void {
    if (this.watcher !== undefined) return;
    try {
      this.watcher = watch(this.folder, { recursive: true }, this.heard);
      // The folder went away, or can't be watched: looking goes on, and listening is tried again.
      this.watcher.on('error', () => this.close());
    } catch (error) {
      if (!isMissing(error) && !isUnwatchable(error)) throw error;
    }
  }

  close(): void {
    this.watcher?.close();
    this.watcher = undefined;
  }
}

function isUnwatchable(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return ['ENOSPC', 'EMFILE', 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM'].includes(code);
}

import { prepare, type Run } from './prepare';

/** Plays the script for a person who watches it in a browser of their own. */
export async function runLive(run: Run): Promise<number> {
  await prepare(run, { defaultDelayMs: 30, pauseMs: 700 });
  return 0;
}

import { setTimeout as pause } from 'node:timers/promises';

const POLL_INTERVAL_MS = 40;

/** Polls until `ready` returns true; returns false on a timeout. */
export async function waitUntil(
  ready: () => Promise<boolean>,
  limitMs: number,
  everyMs = POLL_INTERVAL_MS,
): Promise<boolean> {
  const end = Date.now() + limitMs;
  while (!(await ready())) {
    if (Date.now() > end) return false;
    await pause(everyMs);
  }
  return true;
}

import type { Clock, Ids } from '../core/ports';
import { randomUUID } from 'node:crypto';

/** The machine's clock, in its time zone. Timers don't keep the process alive. */
export const nodeClock: Clock = {
  now: () => Date.now(),
  today: () => localDate(new Date()),
  after(ms, task) {
    const timer = setTimeout(task, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** `YYYY-MM-DD` in the local time zone. */
export function localDate(date: Date): string {
  const two = (part: number): string => String(part).padStart(2, '0');
  const year = String(date.getFullYear()).padStart(4, '0');
  return `${year}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

export const nodeIds: Ids = { unique: () => randomUUID(), random: () => Math.random() };

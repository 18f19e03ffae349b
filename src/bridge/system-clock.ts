import type { Clock } from '../core/ports';

/** The machine's clock. Its timers never keep OpenCode from ending. */
export const systemClock: Clock = {
  now: () => Date.now(),
  today: () => {
    const now = new Date();
    const two = (value: number): string => String(value).padStart(2, '0');
    return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
  },
  after: (ms, task) => {
    const timer = setTimeout(task, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

import type { Clock } from '../../core/ports';

/** The Clock of a running app: the system's time, the window's timers. */
export const windowClock: Clock = {
  now: () => Date.now(),
  today: () => localDate(new Date()),
  after: (ms, task) => {
    const timer = window.setTimeout(task, ms);
    return () => window.clearTimeout(timer);
  },
};

function localDate(date: Date): string {
  const month = String(date.getMonth() + 1).padStart(2, '0');
  const day = String(date.getDate()).padStart(2, '0');
  return `${date.getFullYear()}-${month}-${day}`;
}

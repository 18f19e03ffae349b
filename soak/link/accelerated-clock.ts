import type { Clock, Undo } from '../../src/core/ports';

/** The system clock sped up by a factor: pauses of minutes pass in seconds. */
export function acceleratedClock(factor: number): Clock {
  const begun = Date.now();
  return {
    now: () => begun + (Date.now() - begun) * factor,
    today: () => '2026-11-21',
    after(ms, task): Undo {
      const timer = setTimeout(task, ms / factor);
      return () => clearTimeout(timer);
    },
  };
}

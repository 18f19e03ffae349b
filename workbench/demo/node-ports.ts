import { randomUUID } from 'node:crypto';
import type { Clock, Ids } from '../../src/core/ports';

export const nodeClock: Clock = {
  now: () => Date.now(),
  today: () => {
    const now = new Date();
    const two = (part: number): string => String(part).padStart(2, '0');
    return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
  },
  after: (ms, task) => {
    const timer = setTimeout(task, ms);
    return () => clearTimeout(timer);
  },
};

export const nodeIds: Ids = { unique: () => randomUUID(), random: () => Math.random() };

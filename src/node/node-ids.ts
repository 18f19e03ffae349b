import { randomUUID } from 'node:crypto';
import type { Ids } from '../core/ports';

export const nodeIds: Ids = { unique: () => randomUUID(), random: () => Math.random() };

import '../jitless';
import * as z from 'zod/mini';
import { PRIORITIES, STATUSES } from '../task';

/** A task of the board as the mirror left it: what differs from this now, a person changed. */
const mirroredTask = z.object({
  id: z.string(),
  /** what the agent called it last */
  text: z.string(),
  title: z.string(),
  status: z.enum(STATUSES),
  priority: z.enum(PRIORITIES),
});
export type MirroredTask = z.infer<typeof mirroredTask>;

/** What is remembered of one board between two lists. */
export const mirrored = z.object({
  /** in the order of the list */
  items: z.array(mirroredTask),
  /** those that vanished from it */
  gone: z.array(mirroredTask),
});
export type Mirrored = z.infer<typeof mirrored>;

export const NOTHING_MIRRORED: Mirrored = { items: [], gone: [] };

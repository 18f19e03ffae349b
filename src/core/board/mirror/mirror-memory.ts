import '../jitless';
import * as z from 'zod/mini';
import { PRIORITIES, STATUSES } from '../task';
import { mirrored } from './mirrored';

const boardMemory = z.object({
  last: mirrored,
  /** a list that is about to be written, or was and is not in `last` yet */
  pending: z.optional(
    z.array(z.object({ text: z.string(), status: z.enum(STATUSES), priority: z.enum(PRIORITIES) })),
  ),
});
export type BoardMemory = z.infer<typeof boardMemory>;

/** What the mirror remembers of a session. */
const mirrorMemory = z.object({
  /** the session has called `tasks`: nothing is mirrored any more */
  used: z.boolean(),
  /** by agent */
  boards: z.array(z.tuple([z.string(), boardMemory])),
});
export type MirrorMemory = z.infer<typeof mirrorMemory>;

const NOTHING: MirrorMemory = { used: false, boards: [] };

/** A damaged file counts as none: entries are then found by their titles. */
export function readMirrorMemory(text: string | undefined): MirrorMemory {
  if (text === undefined) return NOTHING;
  try {
    const read = mirrorMemory.safeParse(JSON.parse(text));
    return read.success ? read.data : NOTHING;
  } catch {
    return NOTHING;
  }
}

export function mirrorMemoryText(memory: MirrorMemory): string {
  return `${JSON.stringify(memory)}\n`;
}

import '../board/jitless';
import * as z from 'zod/mini';
import { LIMIT_NAMES } from './limits';
import { HELD } from './task-step';

const task = z.object({ id: z.nullable(z.string()), title: z.string() });

/** Why a run does not go on by itself. */
export const waitReason = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('limit'), limit: z.enum(LIMIT_NAMES) }),
  /** OpenCode is not connected */
  z.object({ kind: z.literal('offline') }),
  /** a permission or a question of the session waits; `task` null: the planning asks */
  z.object({
    kind: z.literal('asked'),
    session: z.string(),
    task: z.nullable(task),
    /** what is asked for, each in a few words; one that is not known is empty */
    what: z.array(z.string()),
  }),
  z.object({ kind: z.literal('held'), task, why: z.enum(HELD), message: z.string() }),
  z.object({ kind: z.literal('approval'), task }),
  /** the person's own tasks that could be done now */
  z.object({ kind: z.literal('own'), task }),
  /** the planning stopped */
  z.object({ kind: z.literal('plan'), message: z.string() }),
  z.object({ kind: z.literal('board'), message: z.string() }),
  /** open tasks, each behind one that is failed, deferred, unknown, or waits for itself */
  z.object({ kind: z.literal('blocked'), tasks: z.array(task) }),
]);
export type WaitReason = z.infer<typeof waitReason>;

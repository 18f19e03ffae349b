import '../board/jitless';
import * as z from 'zod/mini';
import { key, talk, turnSchema } from './turn';

/** Why a step goes on only at the person's word. */
export const HELD = [
  /** all attempts failed */
  'failed',
  /** the person stopped the turn */
  'interrupted',
  /** a permission or question was not answered in time */
  'unanswered',
  /** something could not be done: the board could not be written, no checkpoint made */
  'refused',
  /** the agent took the task off, or put it off */
  'given_up',
] as const;

/** A write to the task on the board. */
export const taskWrite = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('begin') }),
  /** back in progress, since what was called done is not */
  z.object({ kind: z.literal('reopen') }),
  z.object({ kind: z.literal('fail'), reason: z.string() }),
  z.object({ kind: z.enum(['cancelled', 'deferred']), reason: z.string() }),
  /** by the person's word */
  z.object({ kind: z.literal('complete') }),
  /** what came of it, one line */
  z.object({ kind: z.literal('result'), result: z.string() }),
]);
export type TaskWrite = z.infer<typeof taskWrite>;

const doing = z.discriminatedUnion('kind', [
  /** a checkpoint of the board is being made */
  z.object({ kind: z.literal('saving'), key }),
  z.object({ kind: z.literal('writing'), key, write: taskWrite }),
  z.object({ kind: z.literal('work'), turn: turnSchema }),
  /** another session judges; `again`: its first answer was no verdict */
  z.object({ kind: z.literal('check'), turn: turnSchema, again: z.boolean() }),
  /** the person says whether it is done */
  z.object({ kind: z.literal('approval') }),
  z.object({ kind: z.literal('held'), why: z.enum(HELD), message: z.string() }),
]);
export type Doing = z.infer<typeof doing>;

/** One task that the run has taken up. */
export const stepSchema = z.object({
  /** its id on the board */
  task: z.string().check(z.minLength(1)),
  /** as it was when it was taken up, for the timeline */
  title: z.string(),
  /** who works on it; null: the agent that plans */
  agent: z.nullable(z.string()),
  /** from 1 */
  attempt: z.int().check(z.minimum(1)),
  /** ms since the epoch */
  since: z.number(),
  /** the session that works on it and the last message of its last turn; null before it is started */
  worker: z.nullable(talk),
  /** what went wrong in the attempt before */
  wrong: z.nullable(z.string()),
  /** what came of it, as the agent or the check says */
  result: z.string(),
  doing,
});
export type Step = z.infer<typeof stepSchema>;

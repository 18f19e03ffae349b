import '../board/jitless';
import * as z from 'zod/mini';
import { limitsSchema, usedSchema } from './limits';
import { stepSchema } from './task-step';
import { timelineEntry } from './timeline';
import { key, sessionId, talk, turnSchema } from './turn';
import { waitReason } from './wait-reason';

/** How the person wants a run to go. */
export const wishSchema = z.object({
  goal: z.string().check(z.minLength(1), z.maxLength(20_000)),
  /** whose board the plan stands on, and who plans */
  agent: z.string().check(z.minLength(1)),
  /** `provider/model`; null: OpenCode's own choice */
  model: z.nullable(z.string()),
  /** the person sees the plan before it is carried out */
  approve: z.boolean(),
  limits: limitsSchema,
});
export type RunWish = z.infer<typeof wishSchema>;

/** A step that is over. */
export const resultSchema = z.object({
  task: z.string(),
  title: z.string(),
  attempts: z.int().check(z.minimum(1)),
  /** ms from its first attempt to its end, waiting included */
  ms: z.number().check(z.nonnegative()),
  /** one line; may be empty */
  result: z.string(),
});

/** What is true of a run in each of its states. The plan is not here: it is the board. */
export const runSchema = z.object({
  id: z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/)),
  wish: wishSchema,
  used: usedSchema,
  /** the newest answers whose tokens are in it */
  counted: z.array(z.string()),
  /** number of the next command */
  next: z.int().check(z.minimum(1)),
  /** ms since the epoch, of the last event */
  at: z.number(),
  /** OpenCode is connected */
  linked: z.boolean(),
  /** the session that plans, whose board it is */
  planner: z.nullable(sessionId),
  done: z.array(resultSchema),
  timeline: z.array(timelineEntry),
});
export type Run = z.infer<typeof runSchema>;

export const planningSchema = z.object({
  kind: z.literal('planning'),
  /** from 1 */
  attempt: z.int().check(z.minimum(1)),
  /** what the person or the attempt before wants otherwise */
  wrong: z.nullable(z.string()),
  doing: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('turn'), turn: turnSchema }),
    /** a plan that came as text is being put onto the board */
    z.object({ kind: z.literal('writing'), key, text: z.string(), talk: z.nullable(talk) }),
    /** the person stopped the turn, or did not answer it */
    z.object({ kind: z.literal('held'), message: z.string(), talk: z.nullable(talk) }),
  ]),
});
export const approvingSchema = z.object({
  kind: z.literal('approving'),
  talk: z.nullable(talk),
});
export const executingSchema = z.object({
  kind: z.literal('executing'),
  steps: z.array(stepSchema),
  /** a task without a number gets one, so that a session can be bound to it */
  naming: z.nullable(z.object({ key, line: z.number(), title: z.string() })),
  /** why one could not get a number; tried again when the board is another */
  unnamed: z.nullable(z.string()),
});
export type Planning = z.infer<typeof planningSchema>;
export type Approving = z.infer<typeof approvingSchema>;
export type Executing = z.infer<typeof executingSchema>;

/** What a run is at: it stays at that while it is paused or waits. */
export const stageSchema = z.discriminatedUnion('kind', [
  planningSchema,
  approvingSchema,
  executingSchema,
]);
export type Stage = z.infer<typeof stageSchema>;

/** Turns that have to be stopped though the run is over. */
const stops = z.array(z.object({ key, session: sessionId }));
const run = runSchema;

/** No plan came of the attempts; the person ended it with tasks open. */
export const END_REASONS = ['no_plan', 'finished_here'] as const;

/** Where a run stands. Checking and trying again are a step's: see `stateName`. */
export const stateSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('idle') }),
  z.object({ kind: z.literal('going'), run, stage: stageSchema }),
  z.object({ kind: z.literal('paused'), run, stage: stageSchema }),
  z.object({
    kind: z.literal('waiting'),
    run,
    stage: z.discriminatedUnion('kind', [planningSchema, executingSchema]),
    why: z.array(waitReason).check(z.minLength(1)),
  }),
  z.object({ kind: z.literal('completed'), run }),
  z.object({
    kind: z.literal('failed'),
    run,
    reason: z.enum(END_REASONS),
    message: z.string(),
    stops,
  }),
  z.object({ kind: z.literal('cancelled'), run, stops }),
]);
export type RunState = z.infer<typeof stateSchema>;
export type Going = Extract<RunState, { kind: 'going' | 'paused' | 'waiting' }>;
export type Ended = Extract<RunState, { kind: 'completed' | 'failed' | 'cancelled' }>;

export const IDLE: RunState = { kind: 'idle' };

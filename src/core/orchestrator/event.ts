import '../json';
import * as z from 'zod/mini';
import { lazy } from '../lazy';
import { limitIncreaseSchema } from './limits';
import { planSnapshot } from './plan-snapshot';
import { key, optionsSchema, runSchema, sessionId } from './state';

const text = lazy(() => z.string());
const task = lazy(() => z.string().check(z.minLength(1)));
const inSession = lazy(() => ({ sessionId: sessionId() }));

const start = lazy(() =>
  z.object({
    type: z.literal('start'),
    run: runSchema().shape.id,
    wish: optionsSchema(),
    /** the planning session, whose board may contain the plan already; null to start a new one */
    session: z.nullable(sessionId()),
  }),
);

/** Actions of the person on a run. */
const personEvents = lazy(
  () =>
    [
      z.object({ type: z.literal('approve') }),
      /** requests another plan; `words`: what to change */
      z.object({ type: z.literal('replan'), words: text() }),
      z.object({ type: z.literal('pause') }),
      z.object({ type: z.literal('resume') }),
      /** stops the running turns, of one task or all */
      z.object({ type: z.literal('interrupt'), task: z.nullable(task()) }),
      z.object({
        type: z.literal('skip'),
        task: task(),
        how: z.enum(['cancelled', 'deferred']),
        reason: text(),
      }),
      z.object({ type: z.literal('retry'), task: task() }),
      z.object({ type: z.literal('mark_done'), task: task() }),
      z.object({ type: z.literal('more'), more: limitIncreaseSchema() }),
      /** ends the run in its current state */
      z.object({ type: z.literal('finish') }),
      z.object({ type: z.literal('cancel') }),
      /** the person rolled the board back to a checkpoint; for the timeline */
      z.object({ type: z.literal('rolled_back'), n: z.int() }),
    ] as const,
);

/** Events of sessions that a run depends on. */
const sessionEvents = lazy(
  () =>
    [
      /** text of the agent's answer: the newest part */
      z.object({ type: z.literal('said'), ...inSession(), text: text() }),
      /** `what` it asks for, in a few words; absent if unknown */
      z.object({
        type: z.literal('asked'),
        ...inSession(),
        request: text(),
        what: z.optional(text()),
      }),
      z.object({ type: z.literal('answered'), ...inSession(), request: text() }),
      /** a permission request or a question expired and was denied */
      z.object({ type: z.literal('lapsed'), ...inSession(), request: text() }),
      z.object({
        type: z.literal('tokens'),
        ...inSession(),
        /** the answer that used them; a repeated report of it is not counted again */
        message: z.nullable(text()),
        count: z.int().check(z.nonnegative()),
      }),
      z.object({
        type: z.literal('turn_ended'),
        ...inSession(),
        /** null if the agent had not begun to answer */
        message: z.nullable(text()),
        reason: z.enum(['completed', 'interrupted', 'error']),
        error: text(),
        /** the engine's code of the error; absent if unknown */
        code: z.optional(text()),
      }),
      /**
       * no turn runs in the session, according to the list after a connection or a snapshot. Sent
       * after all its other events, and not while a prompt to it is unanswered; then `over` is sent
       * instead
       */
      z.object({ type: z.literal('at_rest'), ...inSession() }),
      /** the session was deleted, or OpenCode does not know it */
      z.object({ type: z.literal('session_ended'), ...inSession() }),
    ] as const,
);

/** Outcomes of commands, by key, and all other events. */
const otherEvents = lazy(
  () =>
    [
      /** `n`: number of the checkpoint, if it was one */
      z.object({ type: z.literal('done'), key: key(), n: z.optional(z.int()) }),
      /** of a prompt: it was accepted and its turn is over, but no event will report its end */
      z.object({ type: z.literal('over'), key: key() }),
      /** paths of the notes that were sent with a prompt */
      z.object({ type: z.literal('sent_along'), notes: z.array(text()) }),
      z.object({ type: z.literal('opened'), key: key(), sessionId: sessionId() }),
      /**
       * refused for good; not sent for a lost connection, after which the command is executed again
       */
      z.object({ type: z.literal('refused'), key: key(), message: text() }),
      /** the board changed; `byPerson`: ids of the tasks whose status was not changed by a tool */
      z.object({ type: z.literal('board'), byPerson: z.array(text()) }),
      z.object({ type: z.literal('linked'), up: z.boolean() }),
      /** the state was read from disk: owed commands may or may not have been executed */
      z.object({ type: z.literal('restarted') }),
      z.object({ type: z.literal('time') }),
    ] as const,
);

/** The actions that a person can take on a run, in a view, a command or the command line. */
export const runAction = lazy(() => z.discriminatedUnion('type', [...personEvents()]));
export type RunAction = z.infer<ReturnType<typeof runAction>>;

export const runEvent = lazy(() =>
  z.discriminatedUnion('type', [start(), ...personEvents(), ...sessionEvents(), ...otherEvents()]),
);
export type RunEvent = z.infer<ReturnType<typeof runEvent>>;
export type RunEventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;

/** An event with its time and the plan at that time. */
export const eventRecord = lazy(() =>
  z.object({
    /** ms since the epoch */
    at: z.number(),
    plan: planSnapshot(),
    event: runEvent(),
  }),
);
export type EventRecord = z.infer<ReturnType<typeof eventRecord>>;

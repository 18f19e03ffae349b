import '../json';
import * as z from 'zod/mini';
import { lazy } from '../lazy';
import { moreSchema } from './limits';
import { planLook } from './plan-look';
import { key, optionsSchema, runSchema, sessionId } from './state';

const text = lazy(() => z.string());
const task = lazy(() => z.string().check(z.minLength(1)));
const inSession = lazy(() => ({ sessionId: sessionId() }));

const start = lazy(() =>
  z.object({
    type: z.literal('start'),
    run: runSchema().shape.id,
    wish: optionsSchema(),
    /** which plans, and whose board may be the plan already; null: a session is started for it */
    session: z.nullable(sessionId()),
  }),
);

/** What the person wants of a run that is there. */
const byPerson = lazy(
  () =>
    [
      z.object({ type: z.literal('approve') }),
      /** another plan, with what should be otherwise */
      z.object({ type: z.literal('replan'), words: text() }),
      z.object({ type: z.literal('pause') }),
      z.object({ type: z.literal('resume') }),
      /** stops the turns that run: of one task, or all */
      z.object({ type: z.literal('interrupt'), task: z.nullable(task()) }),
      z.object({
        type: z.literal('skip'),
        task: task(),
        how: z.enum(['cancelled', 'deferred']),
        reason: text(),
      }),
      z.object({ type: z.literal('retry'), task: task() }),
      z.object({ type: z.literal('mark_done'), task: task() }),
      z.object({ type: z.literal('more'), more: moreSchema() }),
      /** ends the run as it stands */
      z.object({ type: z.literal('finish') }),
      z.object({ type: z.literal('cancel') }),
      /** the board went back to a checkpoint by the person's word: for the timeline */
      z.object({ type: z.literal('rolled_back'), n: z.int() }),
    ] as const,
);

/** What sessions do, less what no run depends on. */
const bySession = lazy(
  () =>
    [
      /** the agent's words, of the newest part */
      z.object({ type: z.literal('said'), ...inSession(), text: text() }),
      /** `what` it asks for, in a few words; absent where that is not known */
      z.object({
        type: z.literal('asked'),
        ...inSession(),
        request: text(),
        what: z.optional(text()),
      }),
      z.object({ type: z.literal('answered'), ...inSession(), request: text() }),
      /** a permission or question ran out and was denied */
      z.object({ type: z.literal('lapsed'), ...inSession(), request: text() }),
      z.object({
        type: z.literal('tokens'),
        ...inSession(),
        /** of the answer that cost them: told again, they are not counted again */
        message: z.nullable(text()),
        count: z.int().check(z.nonnegative()),
      }),
      z.object({
        type: z.literal('turn_ended'),
        ...inSession(),
        /** null where the agent had not begun to answer */
        message: z.nullable(text()),
        reason: z.enum(['completed', 'interrupted', 'error']),
        error: text(),
        /** of the error, as the engine names it; absent where that is not known */
        code: z.optional(text()),
      }),
      /**
       * as listed after a connection, or as a snapshot says: no turn runs in it. Told when all else is
       * told of it, and not while a prompt to it is unanswered: `over` says it then
       */
      z.object({ type: z.literal('at_rest'), ...inSession() }),
      /** it is deleted, or OpenCode does not know it */
      z.object({ type: z.literal('session_ended'), ...inSession() }),
    ] as const,
);

/** What became of commands, by their keys, and all else that happens around a run. */
const around = lazy(
  () =>
    [
      /** `n`: of a checkpoint, its number */
      z.object({ type: z.literal('done'), key: key(), n: z.optional(z.int()) }),
      /** of a prompt: it was taken, and its turn is over; nobody will tell of its end any more */
      z.object({ type: z.literal('over'), key: key() }),
      /** paths of the notes that went along with a prompt */
      z.object({ type: z.literal('sent_along'), notes: z.array(text()) }),
      z.object({ type: z.literal('opened'), key: key(), sessionId: sessionId() }),
      /** for good: a connection that is lost refuses nothing, the command is carried out afterwards */
      z.object({ type: z.literal('refused'), key: key(), message: text() }),
      /** the board is another; `byPerson`: ids of the tasks whose status no tool changed */
      z.object({ type: z.literal('board'), byPerson: z.array(text()) }),
      z.object({ type: z.literal('linked'), up: z.boolean() }),
      /** the state was read back: what was asked for may be done, or not */
      z.object({ type: z.literal('restarted') }),
      z.object({ type: z.literal('time') }),
    ] as const,
);

/** What a person can do to a run, by a view, a command or the command line. */
export const runAction = lazy(() => z.discriminatedUnion('type', [...byPerson()]));
export type RunAction = z.infer<ReturnType<typeof runAction>>;

export const runEvent = lazy(() =>
  z.discriminatedUnion('type', [start(), ...byPerson(), ...bySession(), ...around()]),
);
export type RunEvent = z.infer<ReturnType<typeof runEvent>>;
export type RunEventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;

/** An event, when it came, and the plan as it stood then. */
export const happening = lazy(() =>
  z.object({
    /** ms since the epoch */
    at: z.number(),
    plan: planLook(),
    event: runEvent(),
  }),
);
export type Happening = z.infer<ReturnType<typeof happening>>;

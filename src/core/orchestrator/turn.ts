import '../board/jitless';
import * as z from 'zod/mini';

export const key = z.string().check(z.minLength(1), z.maxLength(200));
export const sessionId = z.string().check(z.minLength(1), z.maxLength(500));
const messageId = z.nullable(z.string().check(z.maxLength(500)));

/** Longer answers are cut at their beginning: verdict and plan stand at the end. */
export const MOST_SAID = 32_000;

/** Why a turn that runs is to be stopped. */
export const stopCause = z.discriminatedUnion('kind', [
  /** the person stops this turn */
  z.object({ kind: z.literal('person') }),
  /** a limit is reached */
  z.object({ kind: z.literal('limit') }),
  /** the task is no longer the run's to do: put back, taken off or put off on the board */
  z.object({ kind: z.literal('gone') }),
  /** the person skips the task */
  z.object({
    kind: z.literal('skip'),
    how: z.enum(['cancelled', 'deferred']),
    reason: z.string(),
  }),
  /** the person says that it is done */
  z.object({ kind: z.literal('done') }),
]);
export type StopCause = z.infer<typeof stopCause>;

/**
 * A prompt, from the wish for it until its turn is over. `last` is the message of the session's
 * turn before, whose end may be heard again.
 */
export const turnSchema = z.discriminatedUnion('kind', [
  /** a session is being started */
  z.object({ kind: z.literal('opening'), key }),
  /** to be prompted as soon as that is allowed, not before `from` (ms since the epoch) */
  z.object({ kind: z.literal('due'), session: sessionId, from: z.number(), last: messageId }),
  z.object({ kind: z.literal('sending'), key, session: sessionId, last: messageId }),
  z.object({
    kind: z.literal('working'),
    /** of its prompt, whose answer may come after what shows that it was taken */
    key,
    session: sessionId,
    last: messageId,
    /** the agent's last words */
    said: z.string(),
    /** permissions and questions that wait for the person; `what` each is about, may be empty */
    asks: z.array(z.object({ request: z.string(), what: z.string() })),
    /** one of them ran out and was denied */
    lapsed: z.boolean(),
    stop: z.nullable(z.object({ key, cause: stopCause })),
  }),
]);
export type Turn = z.infer<typeof turnSchema>;
export type Working = Extract<Turn, { kind: 'working' }>;

/** How a turn ended. `cut`: it is over, and its end was not heard. */
export type TurnResult =
  | { readonly kind: 'completed'; readonly said: string }
  | { readonly kind: 'cut'; readonly said: string }
  | { readonly kind: 'error'; readonly message: string }
  /** it never began: session or prompt was refused for good, and would be again */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'interrupted' };

/** Where the next prompt goes, and the last message of the turn before; null: in a new session. */
export const talk = z.object({ session: sessionId, last: messageId });
export type Talk = z.infer<typeof talk>;

/** What is left of a turn that is over. */
export interface Rest {
  readonly talk: Talk | null;
  /** something that it asked ran out */
  readonly lapsed: boolean;
  readonly stop: StopCause | null;
}

import '../../../protocol/jitless';
import * as z from 'zod/mini';
import { lazy } from '../../lazy';
import { LAST_TIME, verdict } from '../rule';

const id = lazy(() => z.string().check(z.maxLength(256)));

const text = lazy(() => z.string());

/** SHA-256 in hexadecimal digits. */
const hash = lazy(() => z.string().check(z.regex(/^[0-9a-f]{64}$/)));

const count = lazy(() => z.int().check(z.nonnegative()));

const time = lazy(() => count().check(z.maximum(LAST_TIME)));

/** What made the decision, as in `Decider`. */
const decider = lazy(() =>
  z.union([
    z.object({ kind: z.literal('rule'), number: z.int().check(z.positive()), words: text() }),
    z.object({ kind: z.literal('preset'), words: text() }),
    z.object({ kind: z.enum(['protected', 'scope', 'default']) }),
  ]),
);

/** What a call is about to do and why it is allowed. Written before the call has any effect. */
const intent = lazy(() =>
  z.object({
    kind: z.literal('intent'),
    /** our own unique id; models reuse theirs */
    callId: id(),
    /** id that the model gave the call, as in the transcript */
    sent: z.optional(text()),
    /** absent if the call's context has no session */
    sessionId: z.optional(id()),
    sessionTitle: z.optional(text()),
    agent: text(),
    /** absent if the agent acted */
    by: z.optional(z.literal('person')),
    tool: text(),
    operation: text(),
    /** vault path, resolved; as sent if it can't be resolved */
    path: z.optional(text()),
    /** the path behind links, if it differs; only for changes of notes */
    real: z.optional(text()),
    /** id of the task that the agent was working on */
    task: z.optional(text()),
    dryRun: z.boolean(),
    /** secrets removed, long texts cut */
    args: z.unknown(),
    verdict: verdict(),
    /** absent if the call ended before a decision */
    decider: z.optional(decider()),
    /** the rule of that; entries of earlier versions have it in the decider's words alone */
    rule: z.optional(
      z.object({ target: text(), agent: z.optional(text()), session: z.optional(text()) }),
    ),
    why: text(),
    /** `callId` of the change that this call undoes */
    undoes: z.optional(id()),
  }),
);

/** How a call ended. */
const outcome = lazy(() =>
  z.object({
    kind: z.literal('outcome'),
    callId: id(),
    result: z.enum(['done', 'preview', 'denied', 'failed', 'cancelled']),
    /** the person's answer, if they were asked */
    reply: z.optional(z.enum(['once', 'always', 'reject', 'expired'])),
    /** time of that answer; ms since the epoch */
    answeredAt: z.optional(time()),
    /** duration of the work itself, without waiting for the person */
    ms: z.optional(count()),
    /** short description of what was done: "#4 done, #5 started" */
    title: z.optional(text()),
    /**
     * counts for a call with several operations, some of them refused; `message` gives the reasons
     */
    refusals: z.optional(z.object({ done: count(), refused: count() })),
    /** error code of a call that failed or was denied */
    code: z.optional(text()),
    message: z.optional(text()),
    /** hash of the note's text; absent if there was no note */
    before: z.optional(hash()),
    after: z.optional(hash()),
  }),
);

/**
 * Replaces a line that was torn because its writer died. The call of that line may have been
 * carried out.
 */
const repair = lazy(() => z.object({ kind: z.literal('repair'), lost: text() }));

export const auditEntry = lazy(() => z.discriminatedUnion('kind', [intent(), outcome(), repair()]));

export type AuditEntry = Readonly<z.infer<ReturnType<typeof auditEntry>>>;

export type AuditIntent = Readonly<z.infer<ReturnType<typeof intent>>>;

export type AuditOutcome = Readonly<z.infer<ReturnType<typeof outcome>>>;

/**
 * The chain's fields of each line: number (from 1), hash of the previous line, time (ms since the
 * epoch).
 */
const link = lazy(() => ({
  v: z.literal(1),
  n: z.int().check(z.positive()),
  /** hash of the previous line; empty for the first */
  prev: z.union([hash(), z.literal('')]),
  at: time(),
  hash: hash(),
}));

export const auditRecord = lazy(() =>
  z.discriminatedUnion('kind', [
    z.extend(intent(), link()),
    z.extend(outcome(), link()),
    z.extend(repair(), link()),
  ]),
);

export type AuditRecord = Readonly<z.infer<ReturnType<typeof auditRecord>>>;

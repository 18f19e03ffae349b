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

/** What decided, as `Decider` has it. */
const decider = lazy(() =>
  z.union([
    z.object({ kind: z.literal('rule'), number: z.int().check(z.positive()), words: text() }),
    z.object({ kind: z.literal('preset'), words: text() }),
    z.object({ kind: z.enum(['protected', 'scope', 'default']) }),
  ]),
);

/** What a call was about to do, and why it may; written before anything is done. */
const intent = lazy(() =>
  z.object({
    kind: z.literal('intent'),
    /** our own, never twice: models repeat theirs */
    callId: id(),
    /** id that the model gave the call, as in the transcript */
    sent: z.optional(text()),
    /** absent where the call's context has none */
    sessionId: z.optional(id()),
    sessionTitle: z.optional(text()),
    agent: text(),
    /** absent where it was the agent */
    by: z.optional(z.literal('person')),
    tool: text(),
    operation: text(),
    /** of the vault, as resolved, or as sent where it can't be */
    path: z.optional(text()),
    /** where that led through links, if somewhere else; of changes of notes */
    real: z.optional(text()),
    /** id of the task the agent was at */
    task: z.optional(text()),
    dryRun: z.boolean(),
    /** without secrets, long texts cut */
    args: z.unknown(),
    verdict: verdict(),
    /** absent where it didn't come to a decision */
    decider: z.optional(decider()),
    why: text(),
    /** `callId` of the change that this one takes back */
    undoes: z.optional(id()),
  }),
);

/** How it ended. */
const outcome = lazy(() =>
  z.object({
    kind: z.literal('outcome'),
    callId: id(),
    result: z.enum(['done', 'preview', 'denied', 'failed', 'cancelled']),
    /** what the person answered, where they were asked */
    reply: z.optional(z.enum(['once', 'always', 'reject', 'expired'])),
    /** when they did; ms since the epoch */
    answeredAt: z.optional(time()),
    /** that the work itself took, without waiting for the person */
    ms: z.optional(count()),
    /** what it did, in a few words: "#4 done, #5 started" */
    title: z.optional(text()),
    /** of a call of several operations of which some were refused; `message` says why */
    refusals: z.optional(z.object({ done: count(), refused: count() })),
    /** of what failed or was denied */
    code: z.optional(text()),
    message: z.optional(text()),
    /** of the note's text; absent where there was none */
    before: z.optional(hash()),
    after: z.optional(hash()),
  }),
);

/** A line that was torn when its writer died; the call it was of may have been done. */
const repair = lazy(() => z.object({ kind: z.literal('repair'), lost: text() }));

export const auditEntry = lazy(() => z.discriminatedUnion('kind', [intent(), outcome(), repair()]));

export type AuditEntry = Readonly<z.infer<ReturnType<typeof auditEntry>>>;

export type AuditIntent = Readonly<z.infer<ReturnType<typeof intent>>>;

export type AuditOutcome = Readonly<z.infer<ReturnType<typeof outcome>>>;

/** What each line has besides: its number from 1, when (ms since the epoch), and the line before it. */
const link = lazy(() => ({
  v: z.literal(1),
  n: z.int().check(z.positive()),
  /** hash of the line before; empty for the first */
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

import '../../../protocol/jitless';
import * as z from 'zod/mini';
import { verdict } from '../rule';

const id = z.string().check(z.maxLength(256));
const text = z.string();
/** SHA-256 in hexadecimal digits. */
const hash = z.string().check(z.regex(/^[0-9a-f]{64}$/));

/** What a call was about to do, and why it may; written before anything is done. */
const intent = z.object({
  kind: z.literal('intent'),
  callId: id,
  /** absent where the call's context has none */
  sessionId: z.optional(id),
  agent: text,
  tool: text,
  operation: text,
  /** of the vault, as resolved, or as sent where it can't be */
  path: z.optional(text),
  /** id of the task the agent was at */
  task: z.optional(text),
  dryRun: z.boolean(),
  /** without secrets, long texts cut */
  args: z.unknown(),
  verdict,
  why: text,
});

/** How it ended. */
const outcome = z.object({
  kind: z.literal('outcome'),
  callId: id,
  result: z.enum(['done', 'preview', 'denied', 'failed', 'cancelled']),
  /** what the person answered, where they were asked */
  reply: z.optional(z.enum(['once', 'always', 'reject', 'expired'])),
  /** of what failed or was denied */
  code: z.optional(text),
  message: z.optional(text),
  /** of the note's text; absent where there was none */
  before: z.optional(hash),
  after: z.optional(hash),
});

/** A line that was torn when its writer died; the call it was of may have been done. */
const repair = z.object({ kind: z.literal('repair'), lost: text });

export const auditEntry = z.discriminatedUnion('kind', [intent, outcome, repair]);
export type AuditEntry = Readonly<z.infer<typeof auditEntry>>;
export type AuditIntent = Readonly<z.infer<typeof intent>>;
export type AuditOutcome = Readonly<z.infer<typeof outcome>>;

/** What each line has besides: its number from 1, when (ms since the epoch), and the line before it. */
const link = {
  v: z.literal(1),
  n: z.int().check(z.positive()),
  /** hash of the line before; empty for the first */
  prev: z.union([hash, z.literal('')]),
  at: z.int().check(z.nonnegative()),
  hash,
};

export const auditRecord = z.discriminatedUnion('kind', [
  z.extend(intent, link),
  z.extend(outcome, link),
  z.extend(repair, link),
]);
export type AuditRecord = Readonly<z.infer<typeof auditRecord>>;

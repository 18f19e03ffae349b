import '../../../protocol/jitless';
import * as z from 'zod/mini';
import { lazy } from '../../lazy';
import { permissionReply } from '../../../protocol/fields';
import {
  attachment,
  callFactFields,
  permissionRequest,
  questionRequest,
  toolStatus,
} from '../../../protocol/snapshot';
import type { SessionEventOf } from '../session-event-bus';

/** The blocks of a transcript, as they are drawn and stored on disk. */

const base = lazy(() => ({ id: z.string(), /** ms since the epoch */ at: z.number() }));

const text = lazy(() => z.optional(z.string()));

const status = lazy(() =>
  z.enum(['pending', 'in_progress', 'completed', 'cancelled', 'failed', 'deferred']),
);

const fieldChange = lazy(() =>
  z.object({
    field: z.string(),
    before: z.nullable(z.string()),
    after: z.nullable(z.string()),
  }),
);

export type FieldChange = Readonly<z.infer<ReturnType<typeof fieldChange>>>;

const taskChange = lazy(() =>
  z.object({
    key: z.string(),
    title: z.string(),
    was: z.optional(status()),
    status: z.optional(status()),
    what: z.enum(['added', 'removed', 'status', 'changed']),
    /** fields that differ; other tasks are given by their titles */
    details: z.optional(z.array(fieldChange())),
  }),
);

/**
 * `was` is the status before, `status` the one now; each is absent if the task did not exist then.
 */
export type ReportedChange = Readonly<z.infer<ReturnType<typeof taskChange>>>;

const textBlockFields = lazy(() => ({
  /** `id` is the part's */
  ...base(),
  messageId: z.string(),
  text: z.string(),
  /** whether more text may arrive */
  live: z.boolean(),
  /** whether its end never arrived, so that the whole text may be longer */
  partial: z.optional(z.boolean()),
  ended: z.optional(z.number()),
}));

export const block = lazy(() =>
  z.discriminatedUnion('kind', [
    /** A part of a person's prompt; `id` is the part's. */
    z.object({
      kind: z.literal('prompt'),
      ...base(),
      messageId: z.string(),
      text: z.string(),
      /** what the person sent along with the prompt */
      attached: z.optional(z.array(attachment())),
    }),
    z.object({ kind: z.literal('text'), ...textBlockFields() }),
    z.object({ kind: z.literal('thinking'), ...textBlockFields() }),
    z.object({
      kind: z.literal('tool'),
      /** `id` is the call's */
      ...base(),
      tool: z.string(),
      status: toolStatus(),
      title: text(),
      /** as JSON text */
      input: text(),
      output: text(),
      error: text(),
      ended: z.optional(z.number()),
      ...callFactFields(),
    }),
    z.object({
      kind: z.literal('board'),
      ...base(),
      path: z.string(),
      by: z.enum(['agent', 'person', 'disk']),
      /** id of the call that made the changes */
      call: text(),
      changes: z.array(taskChange()),
      /** further tasks that changed and are not listed */
      more: z.optional(z.number()),
    }),
    /** Can be answered only while the session lists the request as pending. */
    z.object({
      kind: z.literal('permission'),
      ...base(),
      request: permissionRequest(),
      reply: z.optional(permissionReply()),
    }),
    z.object({
      kind: z.literal('question'),
      ...base(),
      request: questionRequest(),
      resolved: z.boolean(),
      /** per question; absent if it was dismissed, or the answers are unknown */
      answers: z.optional(z.array(z.array(z.string()))),
    }),
    z.object({
      kind: z.literal('turn'),
      ...base(),
      reason: z.enum(['completed', 'interrupted', 'error']),
      error: z.optional(z.object({ code: z.string(), message: z.string() })),
      /** number of tasks that the agent changed in the turn */
      changedTasks: z.number(),
    }),
    /** OpenCode's own to-do list in its current state; only if the agent has no board. */
    z.object({
      kind: z.literal('todos'),
      ...base(),
      todos: z.array(z.object({ content: z.string(), status: z.string() })),
    }),
    /** OpenCode replaced the earlier messages with a summary. */
    z.object({
      kind: z.literal('compacted'),
      ...base(),
      /** the summary */
      summary: text(),
      /** tokens of the context before, and of the summary */
      before: z.optional(z.number()),
      after: z.optional(z.number()),
    }),
    /** Messages around here were missed when they were sent. */
    z.object({ kind: z.literal('missed'), ...base() }),
  ]),
);

export type Block = Readonly<z.infer<ReturnType<typeof block>>>;

export type BlockKind = Block['kind'];

export type BlockOf<K extends BlockKind> = Extract<Block, { kind: K }>;

/**
 * Identifies a block within one transcript. Ids of calls are chosen by the model, and may equal
 * other ids.
 */
export function blockKey({ kind, id }: Pick<Block, 'kind' | 'id'>): string {
  return kind === 'tool' || kind === 'board' ? `${kind} ${id}` : id;
}

/** The session's tokens, as of its newest answer. */
export interface TokenUse {
  /** sum over all answers received */
  readonly input: number;
  readonly output: number;
  /** input and output of the newest answer: what the model's context holds now */
  readonly context?: number | undefined;
  /** size of the model's context, if known */
  readonly limit?: number | undefined;
  /** the part of the limit that is reserved for the answer */
  readonly reserve?: number | undefined;
  /** whether the newest answer was the summary of a compaction; then `context` counts only that */
  readonly summary?: boolean | undefined;
  /** when the newest answer reported them, ms since the epoch */
  readonly at?: number | undefined;
}

type TokenReport = Extract<SessionEventOf<'progress.update'>['payload'], { kind: 'tokens' }>;

/** Adds the tokens of one more answer. */
export function withTokens(
  before: TokenUse | undefined,
  report: TokenReport,
  at: number,
): TokenUse {
  const { input, output, cacheRead = 0, cacheWrite = 0, limit, reserve, summary } = report;
  return {
    input: (before?.input ?? 0) + input + cacheRead + cacheWrite,
    output: (before?.output ?? 0) + output,
    context: summary === true ? output : input + output + cacheRead + cacheWrite,
    limit: limit ?? before?.limit,
    reserve: reserve ?? before?.reserve,
    summary,
    at,
  };
}

/**
 * The transcript of one session, oldest first. It is an immutable value: unchanged blocks are the
 * same objects as before.
 */
export interface Transcript {
  readonly sessionId: string;
  readonly blocks: readonly Block[];
  /** whether OpenCode may have earlier messages */
  readonly older: boolean;
  readonly tokens?: TokenUse;
}

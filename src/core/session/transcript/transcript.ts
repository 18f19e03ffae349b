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

/** What a conversation is made of, piece by piece, as it is drawn and as it is kept on disk. */

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
    /** fields that differ; other tasks by their titles */
    details: z.optional(z.array(fieldChange())),
  }),
);

/** `was` and `status` are set where the task stood there before and stands there now. */
export type ToldChange = Readonly<z.infer<ReturnType<typeof taskChange>>>;

const written = lazy(() => ({
  /** the part's */
  ...base(),
  messageId: z.string(),
  text: z.string(),
  /** more may come */
  live: z.boolean(),
  /** its end was never told: the whole text may be longer */
  partial: z.optional(z.boolean()),
  ended: z.optional(z.number()),
}));

export const block = lazy(() =>
  z.discriminatedUnion('kind', [
    /** A person's words, part by part: `id` is the part's. */
    z.object({
      kind: z.literal('prompt'),
      ...base(),
      messageId: z.string(),
      text: z.string(),
      /** what the person sent along with the words */
      attached: z.optional(z.array(attachment())),
    }),
    z.object({ kind: z.literal('text'), ...written() }),
    z.object({ kind: z.literal('thinking'), ...written() }),
    z.object({
      kind: z.literal('tool'),
      /** the call's */
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
    /** To be answered only while the session itself lists the request. */
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
      /** per question; absent where it was dismissed, or nobody told */
      answers: z.optional(z.array(z.array(z.string()))),
    }),
    z.object({
      kind: z.literal('turn'),
      ...base(),
      reason: z.enum(['completed', 'interrupted', 'error']),
      error: z.optional(z.object({ code: z.string(), message: z.string() })),
      /** tasks that the agent changed in it */
      changedTasks: z.number(),
    }),
    /** OpenCode's own list of what is to be done, as it is now; only where the agent has no board. */
    z.object({
      kind: z.literal('todos'),
      ...base(),
      todos: z.array(z.object({ content: z.string(), status: z.string() })),
    }),
    /** OpenCode put a summary in place of what was said before. */
    z.object({
      kind: z.literal('compacted'),
      ...base(),
      /** what remained */
      summary: text(),
      /** tokens of the context before, and of the summary */
      before: z.optional(z.number()),
      after: z.optional(z.number()),
    }),
    /** What was said here was not heard while it was said. */
    z.object({ kind: z.literal('missed'), ...base() }),
  ]),
);

export type Block = Readonly<z.infer<ReturnType<typeof block>>>;

export type BlockKind = Block['kind'];

export type BlockOf<K extends BlockKind> = Extract<Block, { kind: K }>;

/** Tells blocks of one transcript apart: ids of calls are the model's and may repeat other ids. */
export function blockKey({ kind, id }: Pick<Block, 'kind' | 'id'>): string {
  return kind === 'tool' || kind === 'board' ? `${kind} ${id}` : id;
}

/** Tokens as the session's newest answer told them. */
export interface TokenUse {
  /** of all answers heard of */
  readonly input: number;
  readonly output: number;
  /** that the newest answer had before it and made: what the model's window holds now */
  readonly context?: number | undefined;
  /** what the model's window can hold, where it is known */
  readonly limit?: number | undefined;
  /** how much of that is kept for the answer */
  readonly reserve?: number | undefined;
  /** the newest answer was the summary of a compaction, which is all that `context` counts */
  readonly summary?: boolean | undefined;
  /** when the newest answer told them, ms since the epoch */
  readonly at?: number | undefined;
}

type TokensTold = Extract<SessionEventOf<'progress.update'>['payload'], { kind: 'tokens' }>;

/** With those of one more answer. */
export function withTokens(before: TokenUse | undefined, told: TokensTold, at: number): TokenUse {
  const { input, output, cacheRead = 0, cacheWrite = 0, limit, reserve, summary } = told;
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
 * The transcript of one session, oldest first. It is an immutable value: blocks that did not change are the
 * same objects as before.
 */
export interface Transcript {
  readonly sessionId: string;
  readonly blocks: readonly Block[];
  /** earlier messages may be had from OpenCode */
  readonly older: boolean;
  readonly tokens?: TokenUse;
}

import '../../../protocol/jitless';
import * as z from 'zod/mini';
import { permissionReply } from '../../../protocol/permission-reply';
import { permissionRequest, questionRequest } from '../../../protocol/requests';
import { toolStatus } from '../../../protocol/snapshot';

/** What a conversation is made of, piece by piece, as it is drawn and as it is kept on disk. */

const base = { id: z.string(), /** ms since the epoch */ at: z.number() };
const text = z.optional(z.string());

const status = z.enum(['pending', 'in_progress', 'completed', 'cancelled', 'failed', 'deferred']);

const taskChange = z.object({
  key: z.string(),
  title: z.string(),
  was: z.optional(status),
  status: z.optional(status),
  what: z.enum(['added', 'removed', 'status', 'changed']),
});
/** `was` and `status` are set where the task stood there before and stands there now. */
export type TaskChange = Readonly<z.infer<typeof taskChange>>;

const written = {
  /** the part's */
  ...base,
  messageId: z.string(),
  text: z.string(),
  /** more may come */
  live: z.boolean(),
  /** its end was never told: the whole text may be longer */
  partial: z.optional(z.boolean()),
  ended: z.optional(z.number()),
};

export const block = z.discriminatedUnion('kind', [
  /** A person's words, part by part: `id` is the part's. */
  z.object({ kind: z.literal('prompt'), ...base, messageId: z.string(), text: z.string() }),
  z.object({ kind: z.literal('text'), ...written }),
  z.object({ kind: z.literal('thinking'), ...written }),
  z.object({
    kind: z.literal('tool'),
    /** the call's */
    ...base,
    tool: z.string(),
    status: toolStatus,
    title: text,
    /** as JSON text */
    input: text,
    output: text,
    error: text,
    ended: z.optional(z.number()),
  }),
  z.object({
    kind: z.literal('board'),
    ...base,
    path: z.string(),
    by: z.enum(['agent', 'person', 'disk']),
    changes: z.array(taskChange),
    /** further tasks that changed and are not listed */
    more: z.optional(z.number()),
  }),
  /** To be answered only while the session itself lists the request. */
  z.object({
    kind: z.literal('permission'),
    ...base,
    request: permissionRequest,
    reply: z.optional(permissionReply),
  }),
  z.object({
    kind: z.literal('question'),
    ...base,
    request: questionRequest,
    resolved: z.boolean(),
  }),
  z.object({
    kind: z.literal('turn'),
    ...base,
    reason: z.enum(['completed', 'interrupted', 'error']),
    error: z.optional(z.object({ code: z.string(), message: z.string() })),
    /** tasks that the agent changed in it */
    changedTasks: z.number(),
  }),
  /** What was said here was not heard while it was said. */
  z.object({ kind: z.literal('missed'), ...base }),
]);

export type Block = Readonly<z.infer<typeof block>>;
export type BlockKind = Block['kind'];
export type BlockOf<K extends BlockKind> = Extract<Block, { kind: K }>;

/** Tells blocks of one transcript apart: ids of calls are the model's and may repeat other ids. */
export function blockKey({ kind, id }: Pick<Block, 'kind' | 'id'>): string {
  return kind === 'tool' || kind === 'board' ? `${kind} ${id}` : id;
}

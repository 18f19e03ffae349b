import '../../../protocol/jitless';
import * as z from 'zod/mini';
import { LAST_TIME, verdict } from '../rule';

const id = z.string().check(z.maxLength(256));

const text = z.string();

/** SHA-256 in hexadecimal digits. */
const hash = z.string().check(z.regex(/^[0-9a-f]{64}$/));

const count = z.int().check(z.nonnegative());

const time = count.check(z.maximum(LAST_TIME));

/** What decided, as `Decider` has it. */
const decider = z.union([
  z.object({ kind: z.literal('rule'), number: z.int().check(z.positive()), words: text }),
  z.object({ kind: z.enum(['protected', 'scope', 'default']) }),
]);

/** What a call was about to do, and why it may; written before anything is done. */
const intent = z.object({
  kind: z.literal('intent'),
  /** our own, never twice: models repeat theirs */
  callId: id,
  /** id that the model gave the call, as in the transcript */
  sent: z.optional(text),
  /** absent where the call's context has none */
  sessionId: z.optional(id),
  sessionTitle: z.optional(text),
  agent: text,
  /** absent where it was the agent */
  by: z.optional(z.literal('person')),
  tool: text,
  operation: text,
  /** of the vault, as resolved, or as sent where it can't be */
  path: z.optional(text),
  /** where that led through links, if somewhere else; of changes of notes */
  real: z.optional(text),
  /** id of the task the agent was at */
  task: z.optional(text),
  dryRun: z.boolean(),
  /** without secrets, long texts cut */
  args: z.unknown(),
  verdict,
  /** absent where it didn't come to a decision */
  decider: z.optional(decider),
  why: text,
  /** `callId` of the change that this one takes back */
  undoes: z.optional(id),
});

/** How it ended. */
const outcome = z.object({
  kind: z.literal('outcome'),
  callId: id,
  result: z.enum(['done', 'preview', 'denied', 'failed', 'cancelled']),
  /** what the person answered, where they were asked */
  reply: z.optional(z.enum(['once', 'always', 'reject', 'expired'])),
  /** when they did; ms since the epoch */
  answeredAt: z.optional(time),
  /** that the work itself took, without waiting for the person */
  ms: z.optional(count),
  /** what it did, in a few words: "#4 done, #5 started" */
  title: z.optional(text),
  /** of a call of several operations of which some were refused; `message` says why */
  refusals: z.optional(z.object({ done: count, refused: count })),
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
  at: time,
  hash,
};

export const auditRecord = z.discriminatedUnion('kind', [
  z.extend(intent, link),
  z.extend(outcome, link),
  z.extend(repair, link),
]);

export type AuditRecord = Readonly<z.infer<typeof auditRecord>>;

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';

const isId: Check = (value) => typeof value === 'string' && value.length <= 256;

const isHash: Check = (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;

/** Behind it there is no date. */
const isTime: Check = (value) => isCount(value) && (value as number) <= LAST_TIME;

const positive: Check = (value) => Number.isSafeInteger(value) && (value as number) > 0;

const truth: Check = (value) => typeof value === 'boolean';

const anything: Check = () => true;

const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);

const perhaps =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

const isDecider: Check = (value) => {
  if (!isObject(value)) return false;
  if (value['kind'] === 'rule') return positive(value['number']) && isText(value['words']);
  return oneOf('protected', 'scope', 'default')(value['kind']);
};

type Fields = readonly (readonly [string, Check])[];

const LINK: Fields = Object.entries({
  v: oneOf(1),
  n: positive,
  prev: (v: unknown) => v === '' || isHash(v),
  at: isTime,
  hash: isHash,
});

const FIELDS: ReadonlyMap<unknown, Fields> = new Map([
  [
    'intent',
    Object.entries({
      ...{ callId: isId, sent: perhaps(isText), sessionId: perhaps(isId) },
      ...{
        sessionTitle: perhaps(isText),
        agent: isText,
        by: perhaps(oneOf('person')),
        tool: isText,
      },
      ...{ operation: isText, path: perhaps(isText), real: perhaps(isText), task: perhaps(isText) },
      ...{
        dryRun: truth,
        args: anything,
        verdict: oneOf('allow', 'ask', 'deny'),
        decider: perhaps(isDecider),
      },
      ...{ why: isText, undoes: perhaps(isId) },
    }),
  ],
  [
    'outcome',
    Object.entries({
      callId: isId,
      result: oneOf('done', 'preview', 'denied', 'failed', 'cancelled'),
      reply: perhaps(oneOf('once', 'always', 'reject', 'expired')),
      ...{ answeredAt: perhaps(isTime), ms: perhaps(isCount), title: perhaps(isText) },
      ...{ code: perhaps(isText), message: perhaps(isText) },
      ...{ before: perhaps(isHash), after: perhaps(isHash) },
    }),
  ],
  ['repair', Object.entries({ lost: isText })],
]);

/** The same as the schema of `AuditRecord` says, ten times faster: there may be 100,000 of them. */
export function isRecord(value: unknown): value is AuditRecord {
  return isEntry(value) && has(LINK, value);
}

/** The same as the schema of `AuditEntry` says, but that fields it does not know stay. */
export function isEntry(value: unknown): value is AuditEntry {
  return isObject(value) && has(FIELDS.get(value['kind']), value);
}

function has(fields: Fields | undefined, value: Readonly<Record<string, unknown>>): boolean {
  return fields?.every(([name, check]) => check(value[name])) ?? false;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

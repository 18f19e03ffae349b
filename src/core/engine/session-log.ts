import '../json';
import * as z from 'zod/mini';
import { attachment } from '../../protocol/snapshot';
import { boundBoard } from '../../protocol/fields';
import { lazy } from '../lazy';

/** The facts of a session, fixed when it starts; only the title changes. */
export const sessionFacts = lazy(() =>
  z.object({
    v: z.literal(1),
    id: z.string(),
    title: z.string(),
    /** ms since the epoch */
    created: z.number(),
    agent: z.optional(z.string()),
    /** `provider/model` chosen at its start */
    model: z.optional(z.string()),
    parentId: z.optional(z.string()),
    board: z.optional(boundBoard()),
    /** the parent's agent, if it started this one as a subagent */
    by: z.optional(z.string()),
    /** idempotency key of its start */
    key: z.optional(z.string()),
    /** id of the session in the agent behind the engine, if that stores sessions itself */
    agentSession: z.optional(z.string()),
  }),
);

export type SessionFacts = Readonly<z.infer<ReturnType<typeof sessionFacts>>>;

const call = lazy(() =>
  z.object({
    /** unique in the session */
    id: z.string(),
    name: z.string(),
    /** as the model wrote it: usually valid JSON */
    args: z.string(),
    /** data to send back to the provider with the call */
    extra: z.optional(z.record(z.string(), z.unknown())),
  }),
);

export type LoggedCall = Readonly<z.infer<ReturnType<typeof call>>>;

/** One line of a session's file. */
export const logRecord = lazy(() =>
  z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('prompt'),
      id: z.string(),
      at: z.number(),
      text: z.string(),
      /** further text that is sent to the model with it */
      along: z.optional(z.string()),
      agent: z.string(),
      model: z.string(),
      key: z.optional(z.string()),
      attached: z.optional(z.array(attachment())),
    }),
    z.object({
      kind: z.literal('answer'),
      id: z.string(),
      at: z.number(),
      /** id of the newest prompt that it answers */
      prompt: z.string(),
      /**
       * id of the newest prompt that was sent to the agent, if the turn was cut short; empty if none
       * was
       */
      sent: z.optional(z.string()),
      text: z.string(),
      thinking: z.optional(
        z.object({
          text: z.string(),
          /** to send back to the provider; see `SignedBlock` */
          signed: z.optional(
            z.array(
              z.union([
                z.object({ length: z.number(), signature: z.string() }),
                z.object({ data: z.string() }),
              ]),
            ),
          ),
        }),
      ),
      calls: z.array(call()),
      /**
       * `calls`: the turn continues with the results; all others end it, unless there is a newer
       * prompt
       */
      end: z.enum(['calls', 'completed', 'interrupted', 'error']),
      error: z.optional(z.object({ code: z.string(), message: z.string() })),
    }),
    z.object({
      kind: z.literal('result'),
      /** id of the call */
      call: z.string(),
      ok: z.boolean(),
      title: z.optional(z.string()),
      /** for the model: the answer, or what was wrong */
      output: z.string(),
      metadata: z.optional(z.record(z.string(), z.unknown())),
    }),
    /** The board's summary as the model was shown it with a prompt, for which it had changed. */
    z.object({ kind: z.literal('board'), prompt: z.string(), text: z.string() }),
    /** Replaces all records before it in requests to the model. */
    z.object({ kind: z.literal('summary'), id: z.string(), at: z.number(), text: z.string() }),
  ]),
);

export type LogRecord = Readonly<z.infer<ReturnType<typeof logRecord>>>;
type RecordOf<K extends LogRecord['kind']> = Extract<LogRecord, { kind: K }>;
export type LoggedPrompt = RecordOf<'prompt'>;
export type LoggedAnswer = RecordOf<'answer'>;
export type LoggedResult = RecordOf<'result'>;
export type LoggedSummary = RecordOf<'summary'>;

export type MessageRecord = LoggedPrompt | LoggedAnswer | LoggedSummary;

/**
 * Prompts, answers and summaries in the order in which they are sent to the model: a prompt that
 * arrived while an earlier one was answered follows that answer.
 */
export function messageRecords(records: readonly LogRecord[]): readonly MessageRecord[] {
  const ordered: MessageRecord[] = [];
  let waiting: LoggedPrompt[] = [];
  for (const one of records) {
    if (one.kind === 'prompt') waiting.push(one);
    if (one.kind === 'answer') {
      const upTo = waiting.findIndex(({ id }) => id === one.prompt) + 1;
      ordered.push(...waiting.slice(0, upTo), one);
      waiting = waiting.slice(upTo);
    }
    if (one.kind === 'summary') ordered.push(one);
  }
  return [...ordered, ...waiting];
}

export function newestPrompt(records: readonly LogRecord[]): LoggedPrompt | undefined {
  return records.findLast((one) => one.kind === 'prompt');
}

export function newestAnswer(records: readonly LogRecord[]): LoggedAnswer | undefined {
  return records.findLast((one) => one.kind === 'answer');
}

/** Id of the newest prompt that was sent to the agent; empty if none was. */
export function newestSent(records: readonly LogRecord[]): string {
  const newest = newestAnswer(records);
  return newest?.sent ?? newest?.prompt ?? '';
}

/** The prompts after that one, without those that another program had answered meanwhile. */
export function unsentPrompts(records: readonly LogRecord[]): readonly LoggedPrompt[] {
  const prompts = records.filter((one) => one.kind === 'prompt');
  const sent = newestSent(records);
  const answered = new Set(
    records.flatMap((one) => (one.kind === 'answer' ? [one.sent ?? one.prompt] : [])),
  );
  return prompts
    .slice(prompts.findLastIndex(({ id }) => id === sent) + 1)
    .filter(({ id }) => !answered.has(id));
}

export function resultsOf(records: readonly LogRecord[]): ReadonlyMap<string, LoggedResult> {
  return new Map(
    records.flatMap((one) => (one.kind === 'result' ? [[one.call, one] as const] : [])),
  );
}

/** Whether the newest prompt has no answer that ends its turn. */
export function isTurnOpen(records: readonly LogRecord[]): boolean {
  const prompt = newestPrompt(records);
  if (prompt === undefined) return false;
  // Not the newest answer of all: another program may have answered this prompt during our turn.
  const answer = records.findLast((one) => one.kind === 'answer' && one.prompt === prompt.id);
  return answer?.kind !== 'answer' || answer.end === 'calls';
}

/** The answer that ends an interrupted turn; without text. */
export function unfinishedAnswer(
  prompt: LoggedPrompt,
  id: string,
  at: number,
  how: Pick<LoggedAnswer, 'end' | 'error' | 'sent'> = { end: 'interrupted' },
): LoggedAnswer {
  return { kind: 'answer', id, at, prompt: prompt.id, text: '', calls: [], ...how };
}

import '../json';
import * as z from 'zod/mini';
import { lazy } from '../lazy';
import { jsonAs } from '../json';
import type { AuditRecord } from '../permission/audit/audit-entry';
import { parseRecord } from '../permission/audit/audit-chain';
import { engineOfSession } from '../../protocol/handshake';
import { Cells, DIMENSIONS, type Sums } from './figures';
import { usageLine } from './turn-usage';

/** A period of waiting; `ms` is null if it still lasts. */
const waitSchema = lazy(() =>
  z.object({
    kind: z.enum(['answer', 'blocked', 'lead']),
    /** when it began, ms since the epoch */
    from: z.number(),
    ms: z.nullable(z.number()),
    k: cellKey(),
    /** title of the task, or the tool and path that were asked for */
    what: z.string(),
  }),
);

export type Wait = Readonly<z.infer<ReturnType<typeof waitSchema>>>;

const cellKey = lazy(() => z.array(z.nullable(z.string())).check(z.length(DIMENSIONS.length)));

const intentSchema = lazy(() =>
  z.object({
    callId: z.string(),
    at: z.number(),
    k: cellKey(),
    what: z.string(),
    asks: z.boolean(),
  }),
);

type Intent = Readonly<z.infer<ReturnType<typeof intentSchema>>>;

const endingSchema = lazy(() =>
  z.object({
    callId: z.string(),
    result: z.string(),
    reply: z.optional(z.string()),
    answeredAt: z.optional(z.number()),
  }),
);

type Ending = Readonly<z.infer<ReturnType<typeof endingSchema>>>;

/** The sums of one file, as the cache stores them. */
export const fileSums = lazy(() =>
  z.object({
    cells: z.array(z.object({ k: cellKey(), s: z.record(z.string(), z.number()) })),
    /** titles of sessions, tasks and runs, by id */
    titles: z.array(z.tuple([z.string(), z.string()])),
    /** the longest ones of each day */
    waits: z.array(waitSchema()),
    /**
     * of an audit: calls whose outcome is not in this file, and outcomes of calls begun in another
     */
    begun: z.array(intentSchema()),
    ended: z.array(endingSchema()),
    /** of a run: its id and its sessions */
    runs: z.array(z.tuple([z.string(), z.array(z.string())])),
    /** lines that can't be read */
    broken: z.number(),
    /** of a board whose older changes are gone: the day of the oldest that is left */
    since: z.optional(z.string()),
  }),
);

export type FileSums = z.infer<ReturnType<typeof fileSums>>;

/** The local day of a time, `YYYY-MM-DD`. */
export type DayOf = (at: number) => string;

export function emptySums(): FileSums {
  return { cells: [], titles: [], waits: [], begun: [], ended: [], runs: [], broken: 0 };
}

/** Sums up the turns in one file of `usage/`. */
export function usageSums(text: string, dayOf: DayOf): FileSums {
  const cells = new Cells();
  let broken = 0;
  for (const line of wholeLines(text)) {
    const turn = jsonAs(usageLine(), line);
    if (turn === undefined) {
      broken += 1;
      continue;
    }
    const { session, agent, model, engine, task, start, end, tokens, cost, waited } = turn;
    const k = [dayOf(end), session, agent ?? null, model ?? null, engine, task ?? null];
    // An agent over ACP that reports only how full its context is has 0 written tokens; they are
    // unknown.
    const counted = tokens !== undefined && (engine !== 'acp' || tokens.out > 0);
    cells.add(k, {
      turns: 1,
      tokenTurns: counted ? 1 : 0,
      ...(counted && { tokensIn: tokens.in, tokensOut: tokens.out }),
      ...(counted && tokens.cached !== undefined && { tokensCached: tokens.cached }),
      pricedTurns: cost === undefined ? 0 : 1,
      ...(cost !== undefined && { cost }),
      workingMs: Math.max(0, end - start - waited.person - waited.model),
      ...{ waitedPersonMs: waited.person, waitedModelMs: waited.model },
      ...{ calls: turn.calls, failures: turn.failures },
    });
  }
  return { ...emptySums(), cells: cells.all, broken };
}

/** The complete lines: without a last line that is still being written, and without empty ones. */
function wholeLines(text: string): readonly string[] {
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line.trim() !== '');
}

/** Sums up the calls in one audit file. What a person did is not counted. */
export function auditSums(text: string, dayOf: DayOf): FileSums {
  const read = emptySums();
  const begun = new Map<string, Intent>();
  const ended = new Map<string, Ending>();
  const byPerson = new Set<string>();
  const titles = new Map<string, string>();
  const sums = new CallSums();
  for (const line of wholeLines(text)) {
    const record = parseRecord(line);
    if (record === undefined || record.kind === 'repair') read.broken += 1;
    else if (record.kind === 'intent') {
      const { callId, sessionId, sessionTitle } = record;
      if (sessionId !== undefined && sessionTitle !== undefined)
        titles.set(sessionId, sessionTitle);
      if (record.by === 'person') byPerson.add(callId);
      else begun.set(callId, intentOf(record, dayOf));
    } else if (!byPerson.has(record.callId)) {
      const intent = begun.get(record.callId);
      const { callId, result, reply, answeredAt } = record;
      const one = { callId, result, ...(reply && { reply }), ...(answeredAt && { answeredAt }) };
      if (intent === undefined) ended.set(callId, ended.get(callId) ?? one);
      else sums.add(intent, one);
      begun.delete(callId);
    }
  }
  return {
    ...{ ...read, ...sums.read() },
    ...{ titles: [...titles], begun: [...begun.values()], ended: [...ended.values()] },
  };
}

function intentOf(record: Extract<AuditRecord, { kind: 'intent' }>, dayOf: DayOf): Intent {
  const { callId, at, sessionId, agent, task, tool, path, verdict } = record;
  const engine = engineOfSession(sessionId ?? '');
  const k = [dayOf(at), sessionId ?? null, agent, null, engine, task ?? null];
  const what = path === undefined || path === '' ? tool : `${tool} ${path}`;
  return { callId, at, k, what, asks: verdict === 'ask' };
}

/** Sums up calls whose outcome is in another file of the same writer, and calls without one. */
export function sumJoinedCalls(files: readonly FileSums[]): Pick<FileSums, 'cells' | 'waits'> {
  const ends = new Map<string, Ending>();
  for (const { ended } of files) {
    for (const one of ended) if (!ends.has(one.callId)) ends.set(one.callId, one);
  }
  const sums = new CallSums();
  for (const { begun } of files) {
    for (const intent of begun) sums.add(intent, ends.get(intent.callId));
  }
  return sums.read();
}

const REPLIES: Readonly<Record<string, keyof Sums>> = {
  once: 'allowedOnce',
  always: 'allowedAlways',
  reject: 'rejected',
  expired: 'expired',
};

class CallSums {
  readonly #cells = new Cells();
  readonly #waits: Wait[] = [];

  add({ k, at, what, asks }: Intent, end: Ending | undefined): void {
    const reply = REPLIES[end?.reply ?? ''];
    const ms = end?.answeredAt === undefined ? undefined : Math.max(0, end.answeredAt - at);
    this.#cells.add(k, {
      auditedCalls: 1,
      auditedDone: end?.result === 'done' || end?.result === 'preview' ? 1 : 0,
      auditedFailures: end?.result === 'failed' ? 1 : 0,
      denied: end?.result === 'denied' ? 1 : 0,
      ...{ asked: asks ? 1 : 0, allowedOnce: 0, allowedAlways: 0, rejected: 0, expired: 0 },
      ...(reply !== undefined && { [reply]: 1 }),
      ...(reply !== undefined && ms !== undefined && { answerMs: ms }),
    });
    if (reply !== undefined && ms !== undefined) {
      this.#waits.push({ kind: 'answer', from: at, ms, k, what });
    }
  }

  read(): Pick<FileSums, 'cells' | 'waits'> {
    return { cells: this.#cells.all, waits: [...keepLongest(this.#waits)] };
  }
}

/** How many waits are kept of each kind and day. */
const KEPT_WAITS = 10;

/** The longest waits of each kind and day, and all that still last. */
export function keepLongest(waits: readonly Wait[]): readonly Wait[] {
  const counts = new Map<string, number>();
  return [...waits].sort(longerFirst).filter(({ kind, ms, k }) => {
    const group = `${kind} ${k[0]}`;
    const count = ms === null ? 0 : (counts.get(group) ?? 0);
    if (ms !== null) counts.set(group, count + 1);
    return count < KEPT_WAITS;
  });
}

function longerFirst(a: Wait, b: Wait): number {
  return (b.ms ?? Infinity) - (a.ms ?? Infinity) || a.from - b.from;
}

import '../board/jitless';
import * as z from 'zod/mini';
import { happening, type Happening } from './event';
import { owed } from './owed';
import { heardPlan, planSaid, sayPlan } from './plan-change';
import { stateSchema, type RunState } from './state';

/** Of the stored form; another one is not read. */
export const RUN_VERSION = 1;

export type ReadRun<T> =
  | { readonly ok: true; readonly value: T }
  /** a sentence for the person: what is wrong, what to do */
  | { readonly ok: false; readonly message: string };

const storedState = z.object({ v: z.literal(RUN_VERSION), state: stateSchema });

export function stateText(state: RunState): string {
  return `${JSON.stringify({ v: RUN_VERSION, state })}\n`;
}

/** The state in a file. One that is damaged, or says what no run could have become, is a fault. */
export function readState(text: string): ReadRun<RunState> {
  const json = parsed(text);
  if (json === undefined) return fault('is no JSON');
  if (versionOf(json) !== RUN_VERSION) return fault(`has another format than ${RUN_VERSION}`);
  const read = storedState.safeParse(json);
  if (!read.success) return fault(`is damaged at ${placeOf(read.error)}`);
  const wrong = inconsistency(read.data.state);
  return wrong === undefined ? { ok: true, value: read.data.state } : fault(`is damaged: ${wrong}`);
}

/** What the schema can't say. */
function inconsistency(state: RunState): string | undefined {
  const keys = owed(state).map(({ key }) => key);
  if (new Set(keys).size !== keys.length) return 'two commands have one key';
  if (state.kind === 'idle') return undefined;
  const { id, next } = state.run;
  const given = keys.every((key) => {
    const n = key.startsWith(`${id}.`) ? Number(key.slice(id.length + 1)) : NaN;
    return Number.isInteger(n) && n >= 1 && n < next;
  });
  if (!given) return 'a command has a key that was not given yet';
  if (!('stage' in state) || state.stage.kind !== 'executing') return undefined;
  const tasks = state.stage.steps.map(({ task }) => task);
  return new Set(tasks).size === tasks.length ? undefined : 'a task is taken up twice';
}

/**
 * One line of the event log. Of the board it says what is other than in the line before, so that the
 * log grows by what happens, not by the size of the plan.
 */
const logLine = z.object({
  v: z.literal(RUN_VERSION),
  at: happening.shape.at,
  event: happening.shape.event,
  ...planSaid.shape,
});

export function logText({ at, event, plan }: Happening, before: Happening | undefined): string {
  const line = { v: RUN_VERSION, at, event, ...sayPlan(plan, before?.plan) };
  return `${JSON.stringify(line)}\n`;
}

/** What is in a log; `cut`: its last line was not written to the end, and is left out. */
export interface ReadLog {
  readonly log: readonly Happening[];
  readonly cut: boolean;
}

export function readLog(text: string): ReadRun<ReadLog> {
  const lines = text.split('\n');
  const cut = lines.pop() !== '';
  const log: Happening[] = [];
  for (const [at, line] of lines.entries()) {
    const json = parsed(line);
    if (json === undefined) return logFault(at, 'is no JSON');
    if (versionOf(json) !== RUN_VERSION) {
      return logFault(at, `has another format than ${RUN_VERSION}`);
    }
    const read = logLine.safeParse(json);
    if (!read.success) return logFault(at, `is damaged at ${placeOf(read.error)}`);
    const plan = heardPlan(read.data, log.at(-1)?.plan);
    if (plan === undefined) return logFault(at, 'has no board');
    log.push({ at: read.data.at, event: read.data.event, plan });
  }
  return { ok: true, value: { log, cut } };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Told as a fault by whoever asked.
    return undefined;
  }
}

function versionOf(json: unknown): unknown {
  return typeof json === 'object' && json !== null && 'v' in json ? json.v : undefined;
}

function placeOf(error: z.core.$ZodError): string {
  const path = error.issues[0]?.path.join('.') ?? '';
  return path === '' ? 'its top' : `"${path}"`;
}

function fault(what: string): { readonly ok: false; readonly message: string } {
  const next = 'Move the file away and start the run anew; the plan is on the board.';
  return { ok: false, message: `The stored run ${what}. ${next}` };
}

function logFault(at: number, what: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message: `Line ${at + 1} of the run’s log ${what}. It can’t be replayed.` };
}

import { foldPath } from '../permission/vault-target';
import { StoreError } from '../ports';
import { readableNote, type Reader } from './readable-note';
import { runOnBoard, runRead } from './run-plan';
import {
  CallRun,
  failedCall,
  faultWords,
  type AskPerson,
  type CallEnd,
  type ToolHostDeps,
} from './call-run';
import { hooksAfter, hooksBefore } from './call-hooks';
import { runChange } from './change-run';
import type { AnsweredCall, ToolCall, ToolFault } from './tool';
import { utf8Length } from '../../protocol/frame-limits';

/**
 * Runs tool calls: validates arguments, resolves the path, evaluates the rules, writes the audit,
 * asks the person, and only then lets the tool act. Every call gets an outcome, whatever the tool
 * does.
 */
export class ToolHost {
  private readonly runs = new Set<CallRun>();

  constructor(private readonly deps: ToolHostDeps) {}

  /** @param ask asks the person if there is no view for it */
  run(call: ToolCall, ask?: AskPerson): Promise<AnsweredCall> {
    return this.runAudited(call, (run) => this.runWithHooks(run), ask);
  }

  /** Refuses a call for the given reason. The refusal is recorded in the audit. */
  refuse(call: ToolCall, fault: ToolFault): Promise<AnsweredCall> {
    return this.runAudited(call, (run) => run.refuse(fault));
  }

  /**
   * Returns a function that reads notes which the reader may read without asking, under the current
   * rules; see `readableNote`.
   */
  async reader(who: Reader): Promise<(path: string) => Promise<string | undefined>> {
    await this.deps.refresh?.();
    return (path) => readableNote(this.deps, who, path);
  }

  /** Cancels a call whose answer nobody waits for any more. Effects that it already had stay. */
  cancel(callId: string, sessionId: string | undefined): void {
    for (const run of this.runs) {
      if (run.call.callId === callId && run.call.sessionId === sessionId) run.cancel();
    }
  }

  /** Call when a note may have changed. Requests about its old text are replaced by new ones. */
  async noteChanged(path: string): Promise<void> {
    const folded = foldPath(path);
    const waiting = [...this.runs].filter(({ waiting }) =>
      waiting?.note?.target.paths.some((each) => foldPath(each) === folded),
    );
    await Promise.all(waiting.map((run) => this.recheckNote(run)));
  }

  private async recheckNote(run: CallRun): Promise<void> {
    const { waiting } = run;
    const { asks, notes } = this.deps;
    if (waiting?.note === undefined) return;
    const { before, target } = waiting.note;
    try {
      if ((await notes.store.read(target.real)) === before) return;
    } catch (error) {
      this.deps.log.note('A note that a change waits for cannot be read.', {
        at: 'tool.waiting',
        error: faultWords(error),
      });
    }
    asks?.end(waiting.requestId, { reply: 'changed' });
  }

  private async runAudited(
    call: ToolCall,
    work: (run: CallRun) => Promise<CallEnd>,
    ask?: AskPerson,
  ): Promise<AnsweredCall> {
    const run = new CallRun(this.deps, call, ask);
    this.runs.add(run);
    try {
      const ended = ensureSendable(
        await work(run).catch((error: unknown) => this.handleError(run, error)),
      );
      await run.writeOutcome(ended);
      return { ...ended.outcome, audit: run.audit };
    } finally {
      this.runs.delete(run);
    }
  }

  /**
   * Runs a call between its hooks. Arguments changed by hooks go through the rules and into the
   * audit, so a hook can't bypass a denial.
   */
  private async runWithHooks(run: CallRun): Promise<CallEnd> {
    const { hooks } = this.deps;
    if (hooks === undefined) return this.executePlan(run);
    const before = await hooksBefore(hooks, run.call);
    if ('fault' in before) return run.refuse(before.fault);
    const { args } = before;
    if (args !== run.call.args) run.call = { ...run.call, args };
    const end = await this.executePlan(run).catch((error: unknown) => this.handleError(run, error));
    const outcome = await hooksAfter(hooks, run.call, end.outcome, end.result === 'done');
    return outcome === end.outcome ? end : { ...end, outcome };
  }

  private async executePlan(run: CallRun): Promise<CallEnd> {
    const { deps } = this;
    await deps.refresh?.();
    const { tools } = deps;
    const tool = tools.get(run.call.tool);
    if (tool === undefined) {
      const known = [...tools.keys()].join(', ');
      const message = `There is no tool "${run.call.tool}" here. Use ${known}.`;
      return run.refuse({ code: 'unknown_tool', message });
    }
    const plan = tool.plan(run.call);
    if (!('kind' in plan)) return run.refuse(plan);
    switch (plan.kind) {
      case 'board':
        return runOnBoard(deps, run, plan);
      case 'read':
        return runRead(deps, run, plan);
      case 'change':
        return runChange(deps, run, plan);
    }
  }

  /** Handles an error that a tool or a store threw. */
  private async handleError(run: CallRun, error: unknown): Promise<CallEnd> {
    const { tool } = run.call;
    const words = faultWords(error);
    const { code } = error instanceof StoreError ? error : { code: 'internal' };
    const stored = error instanceof StoreError;
    if (!stored)
      this.deps.log.note('A tool failed unexpectedly.', {
        at: 'tool.run',
        severity: 'error',
        tool,
        error: words,
      });
    if (run.audited) {
      const message = stored
        ? `${words}. Look before you repeat the call.`
        : `${tool} failed: ${words}. It may have been done in part: look before you repeat it.`;
      return failedCall({ code, message });
    }
    const why = stored ? `${words}.` : `${tool} failed: ${words}. Tell the person.`;
    return run.refuse({ code, message: `Nothing was done: ${why}` });
  }
}

/** Largest answer in UTF-8 bytes of JSON, so that it fits one message with its envelope. */
const MAX_BYTES = 900_000;

/** Most bytes that one UTF-16 unit takes in JSON: `\u0000`. */
const MAX_OF_UNIT = 6;

/** Deepest nesting of metadata. */
const MAX_DEPTH = 32;

/**
 * Returns the end of a call, or a failure if its answer can't be sent. A call that had its effect
 * is still recorded as done.
 */
function ensureSendable(ended: CallEnd): CallEnd {
  const { outcome, result, more } = ended;
  if (!outcome.ok) return ended;
  if (!isJson(outcome.metadata, 0)) {
    return { ...failedCall(NOT_JSON), ...(result === 'done' && { result, more }) };
  }
  // Most answers are far below the limit, and need not be serialized to be measured.
  if (jsonSize(outcome) * MAX_OF_UNIT <= MAX_BYTES) return ended;
  if (utf8Length(JSON.stringify(outcome)) <= MAX_BYTES) return ended;
  return { ...failedCall(TOO_LARGE), ...(result === 'done' && { result, more }) };
}

const NOT_JSON = {
  code: 'bad_answer',
  message: 'It was done, but its answer can’t be sent. Read the note or list the tasks to see it.',
};

const TOO_LARGE = {
  code: 'too_large',
  message:
    'It was done, but its answer is too long to be sent. Ask for less: a section, some lines, a smaller limit or a single task.',
};

function isJson(value: unknown, depth: number): boolean {
  if (value === null || ['string', 'boolean', 'undefined'].includes(typeof value)) return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || depth === MAX_DEPTH) return false;
  const inside = Array.isArray(value) ? value : isPlain(value) ? Object.values(value) : undefined;
  return inside?.every((each) => isJson(each, depth + 1)) ?? false;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Longest number in JSON: -1.2345678901234567e-300. */
const MAX_SCALAR_LENGTH = 24;

/**
 * Upper bound for the UTF-16 units of a value as JSON, not counting escapes. Doesn't serialize it.
 */
export function jsonSize(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return MAX_SCALAR_LENGTH;
  let size = 2;
  if (Array.isArray(value)) {
    for (const each of value) size += jsonSize(each) + 1;
    return size;
  }
  const fields = value as Readonly<Record<string, unknown>>;
  for (const key of Object.keys(fields)) size += key.length + 4 + jsonSize(fields[key]);
  return size;
}

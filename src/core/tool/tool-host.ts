import { foldPath } from '../permission/fold-path';
import { StoreError } from '../ports';
import { runOnBoard } from './board-run';
import { CallRun } from './call-run';
import { runChange } from './change-run';
import { failed, type Ended } from './ended';
import { faultWords } from './fault-words';
import type { ToolHostDeps } from './host-deps';
import { runRead } from './read-run';
import { sendable } from './valid-outcome';
import type { AnsweredCall, ToolCall } from './tool';
import type { ToolFault } from './tool-plan';

/**
 * The one path of a call to a tool: its arguments, its place, the rules, the audit, the person, and
 * only then its effect. Every call gets an outcome, whatever the tool does.
 */
export class ToolHost {
  private readonly runs = new Set<CallRun>();

  constructor(private readonly deps: ToolHostDeps) {}

  run(call: ToolCall): Promise<AnsweredCall> {
    return this.finish(call, (run) => this.carryOut(run));
  }

  /** A call that is not carried out, for the reason given; it stands in the audit all the same. */
  refuse(call: ToolCall, fault: ToolFault): Promise<AnsweredCall> {
    return this.finish(call, (run) => run.refuse(fault));
  }

  /** A call's answer is no longer waited for; what it has done by then stays. */
  cancel(callId: string, sessionId: string | undefined): void {
    for (const run of this.runs) {
      if (run.call.callId === callId && run.call.sessionId === sessionId) run.cancel();
    }
  }

  /** A note may have another text now: what is asked about its old one is asked anew. */
  async noteChanged(path: string): Promise<void> {
    const folded = foldPath(path);
    const waiting = [...this.runs].filter(({ waiting }) =>
      waiting?.note?.target.paths.some((each) => foldPath(each) === folded),
    );
    await Promise.all(waiting.map((run) => this.lookAgain(run)));
  }

  private async lookAgain(run: CallRun): Promise<void> {
    const { waiting } = run;
    const { asks, notes } = this.deps;
    if (waiting?.note === undefined || notes === undefined) return;
    const { before, target } = waiting.note;
    try {
      if ((await notes.store.read(target.real)) === before) return;
    } catch (error) {
      this.deps.log.note('A note that a change waits for can not be read.', {
        error: faultWords(error),
      });
    }
    asks?.end(waiting.requestId, { reply: 'changed' });
  }

  private async finish(
    call: ToolCall,
    work: (run: CallRun) => Promise<Ended>,
  ): Promise<AnsweredCall> {
    const run = new CallRun(this.deps, call);
    this.runs.add(run);
    try {
      const ended = sendable(await work(run).catch((error: unknown) => this.broken(run, error)));
      await run.end(ended);
      return { ...ended.outcome, audit: run.audit };
    } finally {
      this.runs.delete(run);
    }
  }

  private async carryOut(run: CallRun): Promise<Ended> {
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

  /** What a tool or a store threw. */
  private async broken(run: CallRun, error: unknown): Promise<Ended> {
    const { tool } = run.call;
    const words = faultWords(error);
    if (!run.audited) {
      if (error instanceof StoreError) {
        return run.refuse({ code: error.code, message: `Nothing was done: ${words}.` });
      }
      this.note(tool, words);
      const message = `Nothing was done: ${tool} failed: ${words}. Tell the person.`;
      return run.refuse({ code: 'internal', message });
    }
    if (error instanceof StoreError) {
      return failed({ code: error.code, message: `${words}. Look before you repeat the call.` });
    }
    this.note(tool, words);
    const message = `${tool} failed: ${words}. It may have been done in part: look before you repeat it.`;
    return failed({ code: 'internal', message });
  }

  private note(tool: string, error: string): void {
    this.deps.log.note('A tool failed unexpectedly.', { tool, error });
  }
}

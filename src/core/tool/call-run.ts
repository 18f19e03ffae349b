import type { AskEnd } from '../permission/ask';
import type { AuditIntent, AuditOutcome } from '../permission/audit/audit-entry';
import type { Decision } from '../permission/decide';
import type { Operation } from '../permission/rule';
import type { VaultTarget } from '../permission/vault-target';
import { failed, notBegun, unreachable, type Ended } from './ended';
import { faultWords } from './fault-words';
import type { ToolHostDeps } from './host-deps';
import type { CallAudit, ToolCall } from './tool';
import type { ToolFault } from './tool-plan';

/** Characters of an id that the audit has room for. */
const MAX_ID = 256;

type Draft<T> = { -readonly [K in keyof T]: T[K] };

/** What a call is about to do, for the audit. */
export interface Intended {
  /** `run` where it didn't come to a plan */
  readonly operation: Operation | 'run';
  /** as resolved, or as sent where it can't be */
  readonly path?: string;
  /** where that leads through links */
  readonly real?: string;
  readonly dryRun?: boolean;
  readonly decision: Pick<Decision, 'verdict' | 'why'> & Partial<Decision>;
}

/** What a person is asked at the moment. */
export interface Waiting {
  readonly requestId: string;
  /** of what is written, and the text that it had; undefined where nothing is */
  readonly note: { readonly target: VaultTarget; readonly before: string | undefined } | undefined;
}

/** One call on its way: writes its intent and its outcome to the audit, each once. */
export class CallRun {
  /** our own: models repeat theirs */
  readonly id: string;
  waiting: Waiting | undefined;
  approved = false;
  /** what is known of it before a decision, for the audit of what doesn't come to one */
  about: Partial<Omit<Intended, 'decision'>> = {};
  private stopped = false;
  private begun = false;
  private dryRun = false;
  private answer: Pick<AuditOutcome, 'reply' | 'answeredAt'> = {};
  private waited = 0;
  private readonly began: number;

  constructor(
    private readonly deps: ToolHostDeps,
    readonly call: ToolCall,
  ) {
    this.id = deps.ids.unique();
    this.began = deps.clock.now();
  }

  get audited(): boolean {
    return this.begun;
  }

  get audit(): CallAudit {
    return { approved: this.approved, dryRun: this.dryRun, ms: this.ms };
  }

  private get ms(): number {
    return Math.max(0, Math.round(this.deps.clock.now() - this.began - this.waited));
  }

  /** Its answer is no longer waited for: what has no effect yet shall have none. */
  isCancelled(): boolean {
    return this.stopped;
  }

  cancel(): void {
    this.stopped = true;
    if (this.waiting === undefined) return;
    this.deps.asks?.end(this.waiting.requestId, { reply: 'cancelled' });
  }

  /** Writes down what it is about to do. @returns how the call ends where that can't be done */
  async begin({
    operation,
    path,
    real,
    dryRun = false,
    decision,
  }: Intended): Promise<Ended | undefined> {
    const { audit, log } = this.deps;
    const { verdict, why, rule } = decision;
    this.dryRun = dryRun;
    const intent: Draft<AuditIntent> = {
      kind: 'intent',
      callId: this.id,
      agent: this.call.agent,
      tool: this.call.tool,
      args: this.call.args ?? null,
      operation,
      dryRun,
      verdict,
      why,
    };
    this.addCaller(intent);
    if (path !== undefined) intent.path = path;
    if (real !== undefined && real !== path) intent.real = real;
    if (rule !== undefined) intent.decider = rule;
    try {
      await audit.append(intent);
    } catch (error) {
      log.note('The audit can not be written, so nothing is done.', { error: faultWords(error) });
      const message = `Nothing was done, because it could not be written to the audit: ${faultWords(error)}. Tell the person; try again once that is mended.`;
      return failed({ code: 'audit', message });
    }
    this.begun = true;
    return undefined;
  }

  /** Ends what the rules needn't be asked about. */
  async refuse(fault: ToolFault): Promise<Ended> {
    const decision = { verdict: 'deny', why: fault.message } as const;
    return (await this.begin({ operation: 'run', ...this.about, decision })) ?? notBegun(fault);
  }

  /** Ends what is about a place that no call reaches. */
  async refusePlace(fault: ToolFault): Promise<Ended> {
    const decision = { verdict: 'deny', why: fault.message } as const;
    return (await this.begin({ operation: 'run', ...this.about, decision })) ?? unreachable(fault);
  }

  /** What is known of who calls. */
  private addCaller(intent: Draft<AuditIntent>): void {
    const { callId, sessionId, sessionTitle } = this.call;
    const task = this.deps.taskOf?.(this.call);
    if (callId !== undefined) intent.sent = callId;
    if (sessionId !== undefined) intent.sessionId = sessionId.slice(0, MAX_ID);
    if (sessionTitle !== undefined) intent.sessionTitle = sessionTitle;
    if (task !== undefined) intent.task = task.slice(0, MAX_ID);
  }

  /** @param ms that the person took */
  answered(end: AskEnd, ms: number): void {
    this.waited += ms;
    const { reply } = end;
    if (reply === 'cancelled' || reply === 'changed') return;
    this.answer = { reply, answeredAt: this.deps.clock.now() };
  }

  /** Writes down how it ended. What was done stays done and is answered, whether that succeeds or not. */
  async end({ outcome, result, more }: Ended): Promise<void> {
    const { audit, log } = this.deps;
    if (!this.begun) return;
    const entry: Draft<AuditOutcome> = { kind: 'outcome', callId: this.id, result, ms: this.ms };
    if (!outcome.ok) entry.code = outcome.error.code;
    try {
      await audit.append(Object.assign(entry, this.answer, more));
    } catch (error) {
      const error_ = faultWords(error);
      log.note('How a call ended is missing in the audit.', { callId: this.id, error: error_ });
    }
  }
}

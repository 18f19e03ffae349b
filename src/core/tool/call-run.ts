import type { Ask, AskEnd, PendingAsks } from '../permission/ask';
import type { AuditEntry, AuditIntent, AuditOutcome } from '../permission/audit/audit-entry';
import type { AccessRequest, Decision } from '../permission/decide';
import type { AccessKind } from '../permission/rule';
import type { VaultTarget } from '../permission/vault-target';
import type { BoardOutcome, CallAudit, Tool, ToolCall, ToolFault, ToolOutcome } from './tool';
import type { VaultEntry } from './note/vault-notes';
import type { Digest } from '../permission/audit/audit-chain';
import type { HookRunner } from '../hook/hooks';
import type { PathResolver } from '../permission/path-resolver';
import type { Permitting } from '../permission/permitting';
import type { Clock, Ids, Log, NoteStore } from '../ports';

/** Characters of an id that the audit has room for. */
const MAX_ID = 256;

/** What a call is about to do; `path` as resolved, or as sent where it can't be. */
interface Intended extends Partial<Pick<AuditIntent, 'path' | 'real' | 'dryRun'>> {
  /** `run` where it didn't come to a plan */
  readonly operation: AccessKind | 'run';
  readonly decision: Pick<Decision, 'verdict' | 'why'> & Partial<Decision>;
}

/** What a person is asked at the moment. */
export interface PendingAsk {
  readonly requestId: string;
  /** of what is written, and the text that it had; undefined where nothing is */
  readonly note: { readonly target: VaultTarget; readonly before: string | undefined } | undefined;
}

/** What a person is asked. */
export interface Question {
  readonly request: AccessRequest;
  readonly decision: Decision;
  /** what would be written; undefined where nothing is */
  readonly change?: Ask['change'];
  /** the text that the change was made for; a note that has another is asked about again */
  readonly note?: PendingAsk['note'];
  /** what this stands for, since the note changed */
  readonly replaces?: Asked | undefined;
}

/** A request that was ended, or answered for a text that is no longer there. */
export interface Asked {
  readonly requestId: string;
  readonly expiresAt: number | undefined;
  /** the person was there a moment ago: then their time begins anew */
  readonly answered: boolean;
}

/**
 * Asks a person if no view can. The answer counts only for the change that was shown.
 * @returns undefined if nobody can be asked
 */
export type AskPerson = (question: Question) => Promise<AskEnd | undefined>;

/** One call on its way: writes its intent and its outcome to the audit, each once. */
export class CallRun {
  /** our own: models repeat theirs */
  readonly id: string;
  waiting: PendingAsk | undefined;
  approved = false;
  /** what is known of it before a decision, for the audit of what doesn't come to one */
  about: Partial<Omit<Intended, 'decision'>> = {};
  private stopped = false;
  private stopAsking: ((end: AskEnd) => void) | undefined;
  private begun = false;
  private dryRun = false;
  private answer: Pick<AuditOutcome, 'reply' | 'answeredAt'> = {};
  private waited = 0;
  private readonly began: number;

  constructor(
    private readonly deps: Pick<
      ToolHostDeps,
      'audit' | 'clock' | 'ids' | 'log' | 'asks' | 'taskOf'
    >,
    public call: ToolCall,
    private readonly ask?: AskPerson,
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
    this.stopAsking?.({ reply: 'cancelled' });
    if (this.waiting === undefined) return;
    this.deps.asks?.end(this.waiting.requestId, { reply: 'cancelled' });
  }

  /** Asks by the way that the call brought; undefined where it brought none, or nobody is there. */
  askElsewhere(question: Question): Promise<AskEnd | undefined> {
    const cancelled = new Promise<AskEnd>((resolve) => (this.stopAsking = resolve));
    return Promise.race([cancelled, this.ask?.(question)]);
  }

  /** Writes down what it is about to do. @returns how the call ends where that can't be done */
  async begin(about: Intended): Promise<CallEnd | undefined> {
    const { audit, log } = this.deps;
    const { agent, tool, args, callId: sent, sessionId, sessionTitle } = this.call;
    const { operation, path, real, dryRun = false, decision } = about;
    const { verdict, why, rule: decider } = decision;
    this.dryRun = dryRun;
    try {
      // One literal here and below: put together of spreads it takes a hundred times as long to make.
      await audit.append({
        kind: 'intent',
        callId: this.id,
        agent,
        tool,
        args: args ?? null,
        operation,
        dryRun,
        verdict,
        why,
        sent,
        sessionId: sessionId?.slice(0, MAX_ID),
        sessionTitle,
        task: this.deps.taskOf?.(this.call)?.slice(0, MAX_ID),
        path,
        real: real === path ? undefined : real,
        decider,
      });
    } catch (error) {
      const hint =
        'Look whether the disk is full, and who may write in .opencode/agent-task-boards/audit.';
      const why = {
        at: 'audit.write',
        severity: 'critical',
        hint,
        error: faultWords(error),
      } as const;
      log.note('The audit cannot be written, so nothing is done.', why);
      const message = `Nothing was done, because it could not be written to the audit: ${faultWords(error)}. Tell the person; try again once that is fixed.`;
      return failedCall({ code: 'audit', message });
    }
    this.begun = true;
    return undefined;
  }

  /** Ends what the rules needn't be asked about; why it couldn't be done stands in the intent. */
  refuse({ code, message }: ToolFault): Promise<CallEnd> {
    return this.endRefused(message, { outcome: refusal(code, message), result: 'failed' });
  }

  /** Ends what is about a place that no call reaches. */
  refusePlace(fault: ToolFault): Promise<CallEnd> {
    return this.endRefused(fault.message, unreachable(fault));
  }

  private async endRefused(why: string, end: CallEnd): Promise<CallEnd> {
    const decision = { verdict: 'deny', why } as const;
    return (await this.begin({ operation: 'run', ...this.about, decision })) ?? end;
  }

  /** @param ms that the person took */
  answered(end: AskEnd, ms: number): void {
    this.waited += ms;
    const { reply } = end;
    if (reply === 'cancelled' || reply === 'changed') return;
    this.answer = { reply, answeredAt: this.deps.clock.now() };
  }

  /** Writes down how it ended. What was done stays done and is answered, whether that succeeds or not. */
  async end({ outcome, result, more = {} }: CallEnd): Promise<void> {
    const { audit, log } = this.deps;
    if (!this.begun) return;
    const code = outcome.ok ? undefined : outcome.error.code;
    const { reply, answeredAt } = this.answer;
    const { title, refusals, message, before, after } = more;
    try {
      await audit.append({
        kind: 'outcome',
        callId: this.id,
        result,
        reply,
        answeredAt,
        ms: this.ms,
        title,
        refusals,
        code,
        message,
        before,
        after,
      });
    } catch (error) {
      const why = {
        at: 'audit.outcome',
        severity: 'critical',
        callId: this.id,
        error: faultWords(error),
      } as const;
      log.note('How a call ended is missing in the audit.', why);
    }
  }
}

/** How a call ended, for the caller and for the audit. */
export interface CallEnd {
  readonly outcome: ToolOutcome;
  readonly result: AuditOutcome['result'];
  /** for the audit alone, besides the code of a failure */
  readonly more?: Partial<
    Pick<AuditOutcome, 'message' | 'title' | 'before' | 'after' | 'refusals'>
  >;
}

/**
 * Of a tool that ran: unless it says what it did, its answer's title is what there is to say. One
 * that did nothing of what it was called for failed.
 */
export function ranTo({ did, refusals, ...outcome }: BoardOutcome): CallEnd {
  if (!outcome.ok) return failedCall(outcome.error);
  const title = did ?? outcome.title;
  if (refusals === undefined) return { outcome, result: 'done', more: { title } };
  const { done, refused, reason: message } = refusals;
  const result = done === 0 ? 'failed' : 'done';
  return { outcome, result, more: { title, refusals: { done, refused }, message } };
}

export function failedCall({ code, message }: ToolFault): CallEnd {
  return { outcome: refusal(code, message), result: 'failed', more: { message } };
}

/** Of a place that no call reaches; why stands in the intent. */
export function unreachable({ code, message }: ToolFault): CallEnd {
  return { outcome: refusal(code, `Nothing was done. ${message}`), result: 'denied' };
}

/** By the rules. */
export function deniedBy({ why }: Decision): CallEnd {
  return { outcome: refusal('denied', `Nothing was done. ${why}`), result: 'denied' };
}

/** By the person, or since nobody answered. */
export function denied(message: string, said?: string): CallEnd {
  const more = said === undefined || said === '' ? {} : { message: said };
  return { outcome: refusal('denied', message), result: 'denied', more };
}

export function cancelled(): CallEnd {
  const message = 'Nothing was done: the call was cancelled before it took effect.';
  return { outcome: refusal('cancelled', message), result: 'cancelled' };
}

function refusal(code: string, message: string): ToolOutcome {
  return { ok: false, error: { code, message } };
}

/** What the one path of a call goes through. */
export interface ToolHostDeps {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly permitting: Permitting;
  /** brings the rules up to date: before each call, and after the person's answer */
  refresh?(): Promise<void>;
  /** resolves once the entry is on disk */
  readonly audit: { append(entry: AuditEntry): Promise<void> };
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** where the boards are, relative to the vault */
  boardRoot(): string;
  readonly notes: NoteDeps;
  /** where a person can be asked; absent: the call itself may bring a way */
  readonly asks?: Pick<PendingAsks, 'ask' | 'end'> | undefined;
  /** tells the person what they would not learn otherwise */
  tell?(message: string): void;
  /** minutes after which what nobody answered is denied; 0: never */
  askMinutes?(): number;
  /** id of the task that the caller is at */
  taskOf?(call: ToolCall): string | undefined;
  /** who takes part before and after a call */
  readonly hooks?: HookRunner | undefined;
}

/** The notes of a vault, for the tools that read and write them. */
export interface NoteDeps {
  readonly store: NoteStore;
  readonly resolver: PathResolver;
  readonly digest: Digest;
  /** What is in a folder of the vault, so that a note of the same name can be named; absent: none is. */
  readonly list?: (folder: string) => Promise<readonly VaultEntry[] | undefined>;
  /**
   * Keeps what a note says before and after a change, so that this can be shown and undone.
   * @returns its hash, as the audit has it
   * @throws StoreError where it can't be kept; then nothing is written
   */
  keep?(text: string): Promise<string>;
}

/** What was thrown, in words for a model or the log, without a full stop at the end. */
export function faultWords(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
}

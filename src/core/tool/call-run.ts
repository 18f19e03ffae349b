import type {
  ToolPermissionRequest,
  ToolPermissionOutcome,
  PendingPermissions,
} from '../permission/ask';
import type { AuditEntry, AuditIntent, AuditOutcome } from '../permission/audit/audit-entry';
import type { AccessRequest, Decision } from '../permission/decide';
import { ruleTarget, type AccessKind } from '../permission/rule';
import type { VaultTarget } from '../permission/vault-target';
import type { CallContext } from '../board/call-plan';
import {
  callContext,
  type BoardOutcome,
  type CallAudit,
  type Tool,
  type ToolCall,
  type ToolFault,
  type ToolOutcome,
} from './tool';
import type { VaultEntry } from './note/vault-notes';
import type { Digest } from '../permission/audit/audit-chain';
import type { HookRunner } from '../hook/hooks';
import type { PathResolver } from '../permission/path-resolver';
import type { AccessRules } from '../permission/access-rules';
import type { Clock, Ids, Log, NoteStore } from '../ports';

/** Longest id that the audit accepts, in characters. */
const MAX_ID = 256;

/** What a call is about to do. `path` is resolved, or as sent if it can't be resolved. */
interface CallIntent extends Partial<Pick<AuditIntent, 'path' | 'real' | 'dryRun'>> {
  /** `run` if the call ended before there was a plan */
  readonly operation: AccessKind | 'run';
  readonly decision: Pick<Decision, 'verdict' | 'why'> & Partial<Decision>;
}

/** The permission request that a call is waiting for. */
export interface AwaitedPermission {
  readonly requestId: string;
  /** the note to be written and its text before; undefined if nothing is written */
  readonly note: { readonly target: VaultTarget; readonly before: string | undefined } | undefined;
}

/** A question to the person about a call. */
export interface Question {
  readonly request: AccessRequest;
  readonly decision: Decision;
  /** the change to be written; undefined if nothing is written */
  readonly change?: ToolPermissionRequest['change'];
  /**
   * the note and the text that the change is based on; if the note changes, the person is asked
   * again
   */
  readonly note?: AwaitedPermission['note'];
  /** the request that this one replaces because the note changed */
  readonly replaces?: EarlierRequest | undefined;
}

/** An earlier request of the same call: ended, or answered for a text that has changed since. */
export interface EarlierRequest {
  readonly requestId: string;
  readonly expiresAt: number | undefined;
  /** whether the person had answered; if so, the new request gets a new deadline */
  readonly answered: boolean;
}

/**
 * Asks a person when no view can. The answer covers only the change that was shown.
 * @returns undefined if nobody can be asked
 */
export type AskPerson = (question: Question) => Promise<ToolPermissionOutcome | undefined>;

/** A running call. Writes its intent and its outcome to the audit, each once. */
export class CallRun {
  /** our own unique id; models reuse theirs */
  readonly id: string;
  waiting: AwaitedPermission | undefined;
  approved = false;
  /** known facts about the call, for the audit if it ends before a decision */
  knownIntent: Partial<Omit<CallIntent, 'decision'>> = {};
  private stopped = false;
  private stopAsking: ((end: ToolPermissionOutcome) => void) | undefined;
  private isIntentWritten = false;
  private dryRun = false;
  private answer: Pick<AuditOutcome, 'reply' | 'answeredAt'> = {};
  private personMs = 0;
  private readonly startedAt: number;

  constructor(
    private readonly deps: Pick<
      ToolHostDeps,
      'audit' | 'clock' | 'ids' | 'log' | 'asks' | 'taskOf'
    >,
    public call: ToolCall,
    private readonly ask?: AskPerson,
  ) {
    this.id = deps.ids.unique();
    this.startedAt = deps.clock.now();
  }

  get audited(): boolean {
    return this.isIntentWritten;
  }

  get audit(): CallAudit {
    return { approved: this.approved, dryRun: this.dryRun, ms: this.ms };
  }

  private get ms(): number {
    return Math.max(0, Math.round(this.deps.clock.now() - this.startedAt - this.personMs));
  }

  /** Whether the caller stopped waiting. A cancelled call must not have any further effect. */
  isCancelled(): boolean {
    return this.stopped;
  }

  cancel(): void {
    this.stopped = true;
    this.stopAsking?.({ reply: 'cancelled' });
    if (this.waiting === undefined) return;
    this.deps.asks?.end(this.waiting.requestId, { reply: 'cancelled' });
  }

  /**
   * Asks in the way that came with the call. Returns undefined if there is none, or nobody is there
   * to answer.
   */
  askElsewhere(question: Question): Promise<ToolPermissionOutcome | undefined> {
    const cancelled = new Promise<ToolPermissionOutcome>((resolve) => (this.stopAsking = resolve));
    return Promise.race([cancelled, this.ask?.(question)]);
  }

  /**
   * Writes the intent to the audit.
   * @returns how the call ends if that fails; undefined on success
   */
  async writeIntent(about: CallIntent): Promise<CallEnd | undefined> {
    const { audit, log } = this.deps;
    const { agent, tool, args, callId: sent, sessionId, sessionTitle } = this.call;
    const { operation, path, real, dryRun = false, decision } = about;
    const { verdict, why, rule: decider, decided } = decision;
    this.dryRun = dryRun;
    const task = await this.deps.taskOf?.(callContext(this.call));
    try {
      // A single object literal here and below: building it from spreads takes a hundred times
      // as long.
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
        task: task?.slice(0, MAX_ID),
        path,
        real: real === path ? undefined : real,
        decider,
        rule: decided && {
          target: ruleTarget(decided),
          agent: decided.agent,
          session: decided.session,
        },
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
    this.isIntentWritten = true;
    return undefined;
  }

  /** Ends a call that needs no decision. The intent records the reason. */
  refuse({ code, message }: ToolFault): Promise<CallEnd> {
    return this.endRefused(message, { outcome: refusal(code, message), result: 'failed' });
  }

  /** Ends a call to a place that no call can reach. */
  refusePlace(fault: ToolFault): Promise<CallEnd> {
    return this.endRefused(fault.message, unreachableTarget(fault));
  }

  private async endRefused(why: string, end: CallEnd): Promise<CallEnd> {
    const decision = { verdict: 'deny', why } as const;
    return (await this.writeIntent({ operation: 'run', ...this.knownIntent, decision })) ?? end;
  }

  /** @param ms how long the person took */
  recordAnswer(end: ToolPermissionOutcome, ms: number): void {
    this.personMs += ms;
    const { reply } = end;
    if (reply === 'cancelled' || reply === 'changed') return;
    this.answer = { reply, answeredAt: this.deps.clock.now() };
  }

  /**
   * Writes the outcome to the audit. If that fails, the call is still answered, since its effect
   * stays.
   */
  async writeOutcome({ outcome, result, more = {} }: CallEnd): Promise<void> {
    const { audit, log } = this.deps;
    if (!this.isIntentWritten) return;
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
  /** for the audit only, in addition to the error code */
  readonly more?: Partial<
    Pick<AuditOutcome, 'message' | 'title' | 'before' | 'after' | 'refusals'>
  >;
}

/**
 * The end of a call whose tool ran. The audit gets the tool's description of its effect, or else
 * the title of its answer. A call of which every operation was refused counts as failed.
 */
export function completedCall({ did, refusals, ...outcome }: BoardOutcome): CallEnd {
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

/** The end of a call to a place that no call can reach. The intent records the reason. */
export function unreachableTarget({ code, message }: ToolFault): CallEnd {
  return { outcome: refusal(code, `Nothing was done. ${message}`), result: 'denied' };
}

/** The end of a call that the rules denied. */
export function deniedBy({ why }: Decision): CallEnd {
  return { outcome: refusal('denied', `Nothing was done. ${why}`), result: 'denied' };
}

/**
 * The end of a call that the person denied, or that nobody answered.
 * @param personMessage the person's message
 */
export function denied(message: string, personMessage?: string): CallEnd {
  const more =
    personMessage === undefined || personMessage === '' ? {} : { message: personMessage };
  return { outcome: refusal('denied', message), result: 'denied', more };
}

export function cancelled(): CallEnd {
  const message = 'Nothing was done: the call was cancelled before it took effect.';
  return { outcome: refusal('cancelled', message), result: 'cancelled' };
}

function refusal(code: string, message: string): ToolOutcome {
  return { ok: false, error: { code, message } };
}

/** What a tool host needs. */
export interface ToolHostDeps {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly permitting: AccessRules;
  /** updates the rules; called before each call and after the person's answer */
  refresh?(): Promise<void>;
  /** resolves once the entry is on disk */
  readonly audit: { append(entry: AuditEntry): Promise<void> };
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** board folder, relative to the vault */
  boardRoot(): string;
  readonly notes: NoteDeps;
  /** shows requests to the person; without it, a call may bring its own way to ask */
  readonly asks?: Pick<PendingPermissions, 'ask' | 'end'> | undefined;
  /** shows the person a message */
  notifyPerson?(message: string): void;
  /** minutes after which an unanswered request is denied; 0: never */
  askMinutes?(): number;
  /** id of the task that the caller is working on */
  taskOf?(caller: CallContext): Promise<string | undefined>;
  /** hooks to run before and after each call */
  readonly hooks?: HookRunner | undefined;
}

/** The notes of a vault, for the tools that read and write them. */
export interface NoteDeps {
  readonly store: NoteStore;
  readonly resolver: PathResolver;
  readonly digest: Digest;
  /**
   * Lists a folder of the vault, to suggest a note of the same name. If absent, none is suggested.
   */
  readonly list?: (folder: string) => Promise<readonly VaultEntry[] | undefined>;
  /**
   * Stores a note's text from before or after a change, so that the change can be shown and undone.
   * @returns its hash, for the audit
   * @throws StoreError if it can't be stored; then nothing is written
   */
  keep?(text: string): Promise<string>;
}

/** The message of anything thrown, without a full stop at the end. For a model or the log. */
export function faultWords(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
}

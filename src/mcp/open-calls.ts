import { sha256 } from '../node/audit/open-audit';
import type { ToolPermissionOutcome } from '../core/permission/ask';
import { VAULT_ROOT } from '../core/permission/vault-target';
import type { Clock, Ids, Log } from '../core/ports';
import { faultWords, type Question } from '../core/tool/call-run';
import type { ToolOutcome } from '../core/tool/tool';

/** The next step of a call: its end, or a question to the person at the client. */
export type CallStep =
  | { readonly kind: 'done'; readonly outcome: ToolOutcome }
  | { readonly kind: 'ask'; readonly state: string; readonly message: string };

/** How a question ended: the person's answer, or why there is none. */
export type ClientAnswer = 'yes' | 'no' | 'expired' | 'cancelled';

/** Asks the person at the client. */
export type AskClient = (message: string) => Promise<ClientAnswer>;

interface OpenCallsDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  /** ms after which an unanswered question counts as denied; 0: never */
  readonly askMs: () => Promise<number>;
  readonly log: Log;
}

/** A question of a call. `state` identifies it uniquely. */
interface OpenQuestion {
  readonly state: string;
  readonly message: string;
  readonly settle: (said: ClientAnswer) => void;
}

/** A running call. Its questions may take several requests of the client. */
class OpenCall {
  private question: OpenQuestion | undefined;
  private questionCount = 0;
  private readonly waiting = new Set<() => void>();
  private readonly abort = new AbortController();
  private outcome: ToolOutcome | undefined;

  constructor(
    readonly id: string,
    readonly key: string,
  ) {}

  get stop(): AbortSignal {
    return this.abort.signal;
  }

  /** Asks a question. There is at most one at a time. */
  ask(message: string): { readonly state: string; readonly said: Promise<ClientAnswer> } {
    this.questionCount += 1;
    const state = `${this.id}.${this.questionCount}`;
    if (this.stop.aborted) return { state, said: Promise.resolve('cancelled') };
    const said = new Promise<ClientAnswer>(
      (settle) => (this.question = { state, message, settle }),
    );
    this.wake();
    return { state, said };
  }

  /** Answers a question. Ignored if the question is no longer open. */
  answer(state: string, said: ClientAnswer): void {
    if (this.question?.state === state) this.settle(said);
  }

  /** Cancels the call when nobody waits for it. It must not have any further effect. */
  readonly cancel = (): void => {
    this.abort.abort();
    this.settle('cancelled');
  };

  finish(outcome: ToolOutcome): void {
    this.outcome = outcome;
    this.wake();
  }

  /** Resolves with the call's end or its open question. Several callers may wait. */
  async next(): Promise<CallStep> {
    for (;;) {
      if (this.outcome !== undefined) return { kind: 'done', outcome: this.outcome };
      if (this.question !== undefined) return { kind: 'ask', ...this.question };
      await new Promise<void>((resolve) => this.waiting.add(resolve));
    }
  }

  private settle(said: ClientAnswer): void {
    const { question } = this;
    this.question = undefined;
    question?.settle(said);
  }

  private wake(): void {
    for (const wake of this.waiting) wake();
    this.waiting.clear();
  }
}

/**
 * The running calls. If the client asks the person, its request is answered with the question, and
 * it sends the request again with the answer; the same call then continues. An answer counts only
 * once, for its question and for the tool and arguments that were asked about.
 */
export class OpenCalls {
  private readonly open = new Map<string, OpenCall>();
  private readonly running = new Set<Promise<void>>();

  constructor(private readonly deps: OpenCallsDeps) {}

  /**
   * Starts a call.
   * @param sent tool and arguments as one text
   * @param work runs the call; if it rejects, the call ends with the failure `internal`
   */
  async begin(
    sent: string,
    work: (call: { id: string; ask: AskClient; stop: AbortSignal }) => Promise<ToolOutcome>,
  ): Promise<OpenCallHandle> {
    const call = new OpenCall(this.deps.ids.unique(), await sha256(sent));
    this.open.set(call.id, call);
    const { id, stop } = call;
    const run = work({ id, ask: (message) => this.askWithTimeout(call, message), stop })
      .catch((error: unknown) => this.failedOutcome(error))
      .then((outcome) => {
        this.open.delete(id);
        this.running.delete(run);
        call.finish(outcome);
      });
    this.running.add(run);
    return call;
  }

  /**
   * The call that a client continues; undefined if there is none, or its tool or arguments differ.
   */
  async find(state: string, sent: string): Promise<OpenCallHandle | undefined> {
    const call = this.open.get(state.replace(/\.\d+$/, ''));
    return call !== undefined && call.key === (await sha256(sent)) ? call : undefined;
  }

  /** Cancels all running calls. Resolves when they have ended. */
  async close(): Promise<void> {
    for (const call of this.open.values()) call.cancel();
    await Promise.all(this.running);
  }

  private failedOutcome(error: unknown): ToolOutcome {
    const words = faultWords(error);
    this.deps.log.note('A call failed unexpectedly.', {
      at: 'mcp.call',
      severity: 'error',
      error: words,
    });
    const message = `The call failed: ${words}. It may have been done: look before you repeat it.`;
    return { ok: false, error: { code: 'internal', message } };
  }

  private async askWithTimeout(call: OpenCall, message: string): Promise<ClientAnswer> {
    const ms = await this.deps.askMs();
    const { state, said } = call.ask(message);
    if (ms === 0) return said;
    const undo = this.deps.clock.after(ms, () => call.answer(state, 'expired'));
    return said.finally(undo);
  }
}

export type OpenCallHandle = Pick<OpenCall, 'answer' | 'next' | 'cancel'>;

/** UTF-16 units of a change that are shown to the person; the vault's audit has all of it. */
const MAX_SHOWN_CHANGE = 4_000;

/**
 * The question as shown to the person.
 * @param agent the agent that wants to do it
 */
export function questionText(agent: string, question: Question, diff: string): string {
  const { request, decision } = question;
  const what =
    request.operation === 'tasks'
      ? 'use its task board'
      : `${VERBS.get(request.operation) ?? request.operation} ${request.target.path === VAULT_ROOT ? 'the notes of the vault' : request.target.path}`;
  const cut =
    diff.length > MAX_SHOWN_CHANGE ? `${diff.slice(0, MAX_SHOWN_CHANGE)}\n… (more follows)` : diff;
  return [`${agent} wants to ${what}. ${decision.why}`, ...(cut === '' ? [] : ['', cut])].join(
    '\n',
  );
}

const VERBS: ReadonlyMap<string, string> = new Map([
  ['read', 'read'],
  ['search', 'search in'],
  ['list', 'list'],
  ['create', 'make'],
  ['update', 'change'],
]);

/** Converts the result of a question to that of a permission request. */
export function toAskEnd(said: ClientAnswer): ToolPermissionOutcome {
  if (said === 'yes') return { reply: 'once' };
  return { reply: said === 'no' ? 'reject' : said };
}

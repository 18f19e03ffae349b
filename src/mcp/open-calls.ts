import { sha256 } from '../node/audit/open-audit';
import type { AskEnd } from '../core/permission/ask';
import type { Clock, Ids, Undo } from '../core/ports';
import type { Question } from '../core/tool/call-run';
import type { ToolOutcome } from '../core/tool/tool';

/** What a call waits for: its end, or the word of the person in front of the client. */
export type CallStep =
  | { readonly kind: 'done'; readonly outcome: ToolOutcome }
  | { readonly kind: 'ask'; readonly callId: string; readonly message: string };

/** Asks the person in front of the client; true where they allow it. */
export type AskClient = (message: string) => Promise<boolean | 'expired'>;

interface OpenCallsDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  /** after which what nobody answered is denied, ms; 0: never */
  readonly askMs: () => Promise<number>;
}

/** A call that was begun: it may be asked about over several requests of its client. */
class OpenCall {
  private waiting: { message: string; settle: (answer: boolean | 'expired') => void } | undefined;
  private wake: () => void = () => undefined;
  outcome: ToolOutcome | undefined;

  constructor(
    readonly id: string,
    readonly key: string,
    readonly abort: AbortController,
  ) {}

  readonly ask: AskClient = (message) =>
    new Promise((resolve) => {
      this.waiting = { message, settle: resolve };
      this.wake();
    });

  answer(said: boolean | 'expired'): void {
    const { waiting } = this;
    this.waiting = undefined;
    waiting?.settle(said);
  }

  ended(outcome: ToolOutcome): void {
    this.outcome = outcome;
    this.wake();
  }

  async next(): Promise<CallStep> {
    for (;;) {
      if (this.outcome !== undefined) return { kind: 'done', outcome: this.outcome };
      if (this.waiting !== undefined) {
        return { kind: 'ask', callId: this.id, message: this.waiting.message };
      }
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}

/**
 * Calls under way. Where the person is asked by the client, the request is answered with the question,
 * and the client sends it again with their word; the same call goes on then. The word holds for the
 * tool and the arguments that were asked about, and once.
 */
export class OpenCalls {
  private readonly open = new Map<string, OpenCall>();

  constructor(private readonly deps: OpenCallsDeps) {}

  /** @param work carries the call out; never rejects */
  async begin(
    tool: string,
    args: unknown,
    work: (call: { id: string; ask: AskClient; stop: AbortSignal }) => Promise<ToolOutcome>,
  ): Promise<OpenCallHandle> {
    const key = await keyOf(tool, args);
    const call = new OpenCall(this.deps.ids.unique(), key, new AbortController());
    this.open.set(call.id, call);
    const { id, ask, abort } = call;
    const asked = async (message: string): Promise<boolean | 'expired'> => {
      const ms = await this.deps.askMs();
      let undo: Undo | undefined;
      if (ms > 0) undo = this.deps.clock.after(ms, () => call.answer('expired'));
      return ask(message).finally(() => undo?.());
    };
    void work({ id, ask: asked, stop: abort.signal }).then((outcome) => {
      this.open.delete(id);
      call.ended(outcome);
    });
    return call;
  }

  /** The call that a client goes on with; undefined where it is none, or another was asked about. */
  async resumed(id: string, tool: string, args: unknown): Promise<OpenCallHandle | undefined> {
    const call = this.open.get(id);
    return call !== undefined && call.key === (await keyOf(tool, args)) ? call : undefined;
  }

  /** All that run are given up; settles when each has ended. */
  async close(): Promise<void> {
    const all = [...this.open.values()];
    for (const call of all) {
      call.abort.abort();
      call.answer(false);
    }
    for (const call of all) while (call.outcome === undefined) await call.next();
  }
}

export type OpenCallHandle = Pick<OpenCall, 'id' | 'answer' | 'next' | 'abort'>;

function keyOf(tool: string, args: unknown): Promise<string> {
  return sha256(`${tool} ${JSON.stringify(args)}`);
}

/** UTF-16 units of a change that a person is shown; the vault's audit has all of it. */
const LONGEST_SHOWN = 4_000;

/** What a person is asked, in words. @param agent who wants it */
export function questionText(agent: string, question: Question, diff: string): string {
  const { request, decision } = question;
  const what =
    request.operation === 'tasks'
      ? 'use its task board'
      : `${VERBS.get(request.operation) ?? request.operation} ${request.target.path}`;
  const cut =
    diff.length > LONGEST_SHOWN ? `${diff.slice(0, LONGEST_SHOWN)}\n… (more follows)` : diff;
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

export function askEnd(answer: boolean | 'expired'): AskEnd {
  if (answer === 'expired') return { reply: 'expired' };
  return answer ? { reply: 'once' } : { reply: 'reject' };
}

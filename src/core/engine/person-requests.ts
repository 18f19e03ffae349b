import type { PermissionReply } from '../../protocol/fields';
import type { PermissionRequest, QuestionRequest } from '../../protocol/snapshot';
import { WireError } from '../../protocol/wire-error';
import type { Log } from '../ports';
import type { FromDraft } from './engine';

/** Maximum pending requests of a session; further ones are refused. */
export const MAX_ASKED = 1_000;
export const TOO_MANY_ASKED =
  'Nobody was asked: 1,000 requests of this session wait for an answer already.';

export type PersonAsk = Extract<FromDraft, { type: 'permission.request' | 'question.request' }>;

/** Undefined as answers: nobody answers any more. */
interface Waiting {
  readonly ask: PersonAsk;
  settle(reply: PermissionAnswer | readonly (readonly string[])[] | undefined): void;
}

export interface PermissionAnswer {
  readonly reply: PermissionReply;
  readonly message?: string | undefined;
}

/** A session's pending requests to the person. Only the first answer to a request counts. */
export class PersonRequests {
  readonly #waiting = new Map<string, Waiting>();

  constructor(
    private readonly tell: (draft: FromDraft) => void,
    private readonly log: Log,
  ) {}

  /** In the order in which they were made. */
  get all(): readonly PersonAsk[] {
    return [...this.#waiting.values()].map(({ ask }) => ask);
  }

  /** Waits without a time limit. Rejects the request when `stop` is aborted or too many are pending. */
  permission(
    sessionId: string,
    payload: PermissionRequest,
    stop: AbortSignal,
  ): Promise<PermissionAnswer> {
    const { requestId } = payload;
    return new Promise((resolve) => {
      this.#wait({ type: 'permission.request', sessionId, payload }, stop, (given) => {
        const answer: PermissionAnswer =
          given !== undefined && 'reply' in given ? given : { reply: 'reject' };
        const resolved = { requestId, reply: answer.reply };
        this.tell({ type: 'permission.resolved', sessionId, payload: resolved });
        resolve(answer);
      });
    });
  }

  /** @returns undefined when `stop` is aborted or too many are pending */
  question(
    sessionId: string,
    payload: QuestionRequest,
    stop: AbortSignal,
  ): Promise<readonly (readonly string[])[] | undefined> {
    const { requestId } = payload;
    return new Promise((resolve) => {
      this.#wait({ type: 'question.request', sessionId, payload }, stop, (given) => {
        const answers = given !== undefined && !('reply' in given) ? given : undefined;
        const told = answers && { answers: answers.map((one) => [...one]) };
        this.tell({ type: 'question.resolved', sessionId, payload: { requestId, ...told } });
        resolve(answers);
      });
    });
  }

  /** @throws WireError `conflict` if the request is no longer pending */
  answer(requestId: string, reply: PermissionAnswer | readonly (readonly string[])[]): void {
    const waiting = this.#waiting.get(requestId);
    if (waiting === undefined) {
      throw new WireError('conflict', 'It was answered, or is no longer asked.');
    }
    waiting.settle(reply);
  }

  has(requestId: string): boolean {
    return this.#waiting.has(requestId);
  }

  #wait(ask: PersonAsk, stop: AbortSignal, done: Waiting['settle']): void {
    const { requestId } = ask.payload;
    const end = (): void => settle(undefined);
    const settle: Waiting['settle'] = (reply) => {
      if (!this.#waiting.delete(requestId)) return;
      stop.removeEventListener('abort', end);
      done(reply);
    };
    const { sessionId } = ask;
    if (this.all.filter((one) => one.sessionId === sessionId).length >= MAX_ASKED) {
      this.log.note(TOO_MANY_ASKED, { at: 'session.ask', sessionId });
      done(undefined);
      return;
    }
    this.#waiting.set(requestId, { ask, settle });
    this.tell(ask);
    stop.addEventListener('abort', end);
    if (stop.aborted) end();
  }
}

import type { PermissionReply } from '../../protocol/fields';
import type { PermissionRequest, QuestionRequest } from '../../protocol/snapshot';
import { WireError } from '../../protocol/wire-error';
import type { Log } from '../ports';
import type { FromDraft } from './engine';

/** Maximum pending requests of a session; further ones are refused. */
export const MAX_PENDING_REQUESTS = 1_000;
export const TOO_MANY_REQUESTS =
  'Nobody was asked: 1,000 requests of this session wait for an answer already.';

export type PersonRequest = Extract<FromDraft, { type: 'permission.request' | 'question.request' }>;

/** Undefined as answers: nobody answers any more. */
interface PendingRequest {
  readonly request: PersonRequest;
  settle(reply: PermissionAnswer | readonly (readonly string[])[] | undefined): void;
}

export interface PermissionAnswer {
  readonly reply: PermissionReply;
  readonly message?: string | undefined;
}

/** A session's pending requests to the person. Only the first answer to a request counts. */
export class PersonRequests {
  readonly #pending = new Map<string, PendingRequest>();

  constructor(
    private readonly publish: (draft: FromDraft) => void,
    private readonly log: Log,
  ) {}

  /** In the order in which they were made. */
  get all(): readonly PersonRequest[] {
    return [...this.#pending.values()].map(({ request }) => request);
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
        this.publish({ type: 'permission.resolved', sessionId, payload: resolved });
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
        this.publish({ type: 'question.resolved', sessionId, payload: { requestId, ...told } });
        resolve(answers);
      });
    });
  }

  /** @throws WireError `conflict` if the request is no longer pending */
  answer(requestId: string, reply: PermissionAnswer | readonly (readonly string[])[]): void {
    const pending = this.#pending.get(requestId);
    if (pending === undefined) {
      throw new WireError('conflict', 'It was answered, or is no longer asked.');
    }
    pending.settle(reply);
  }

  has(requestId: string): boolean {
    return this.#pending.has(requestId);
  }

  #wait(request: PersonRequest, stop: AbortSignal, done: PendingRequest['settle']): void {
    const { requestId } = request.payload;
    const end = (): void => settle(undefined);
    const settle: PendingRequest['settle'] = (reply) => {
      if (!this.#pending.delete(requestId)) return;
      stop.removeEventListener('abort', end);
      done(reply);
    };
    const { sessionId } = request;
    if (this.all.filter((one) => one.sessionId === sessionId).length >= MAX_PENDING_REQUESTS) {
      this.log.note(TOO_MANY_REQUESTS, { at: 'session.ask', sessionId });
      done(undefined);
      return;
    }
    this.#pending.set(requestId, { request, settle });
    this.publish(request);
    stop.addEventListener('abort', end);
    if (stop.aborted) end();
  }
}

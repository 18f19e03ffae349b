import type { Draft } from '../../protocol/draft';
import type { FromBridge } from '../../protocol/from-bridge';
import type { ToBridge, ToBridgeOf } from '../../protocol/to-bridge';

type Answer = ToBridgeOf<'permission.response' | 'question.response'>;

/**
 * A person's answers that a bridge may not have heard before it began anew. One is sent again only
 * once the bridge shows that its request still waits; everything else is the person's to repeat.
 */
export class UnheardAnswers {
  readonly #answers = new Map<string, Answer>();

  /** Of messages that won't be sent again by themselves; those of before are forgotten. */
  keep(messages: readonly ToBridge[]): void {
    this.#answers.clear();
    for (const message of messages) {
      if (message.type !== 'permission.response' && message.type !== 'question.response') continue;
      this.#answers.set(message.payload.requestId, message);
    }
  }

  /** What to send where the bridge shows a request that was answered already; once. */
  draftFor(message: FromBridge): Draft<Answer> | undefined {
    if (message.type !== 'permission.request' && message.type !== 'question.request') return;
    const { requestId } = message.payload;
    const answer = this.#answers.get(requestId);
    if (answer?.sessionId !== message.sessionId) return undefined;
    this.#answers.delete(requestId);
    const { sessionId } = answer;
    return answer.type === 'permission.response'
      ? { type: answer.type, sessionId, payload: answer.payload }
      : { type: answer.type, sessionId, payload: answer.payload };
  }
}

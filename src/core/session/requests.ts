import type { Draft } from '../../protocol/draft';
import type { FromBridge } from '../../protocol/from-bridge';
import type { ToBridge } from '../../protocol/to-bridge';
import type { ClientLink } from './client-link';
import type { PendingRequests } from './pending-requests';

/** A message that was sent and wants an answer. */
export interface Asked {
  /** of the message */
  readonly id: string;
  readonly draft: Draft<ToBridge>;
  readonly timeoutMs: number;
}

/** What counts as the answer to a message, and what becomes of it where none comes. */
export class Requests {
  constructor(
    private readonly pending: PendingRequests,
    private readonly link: Pick<ClientLink, 'withdraw'>,
  ) {}

  /**
   * The message whose `replyTo` names it, or the first for which `answers` holds. One about a
   * session outlives its connection; where the time is over, it is not sent again any more.
   */
  request(
    { id, draft: { sessionId }, timeoutMs }: Asked,
    answers: (message: FromBridge) => boolean = () => false,
  ): Promise<FromBridge> {
    const isAnswer = (message: FromBridge): boolean => message.replyTo === id || answers(message);
    const wait = { timeoutMs, answers: isAnswer };
    if (sessionId === undefined) return this.pending.wait(id, { ...wait, outlives: false });
    const onTimeout = (): void => this.link.withdraw(sessionId, id);
    return this.pending.wait(id, { ...wait, outlives: true, onTimeout });
  }

  /** All messages that reply to it, in order, up to the one that `isLast`. */
  async collect(
    { id, timeoutMs }: Asked,
    isLast: (message: FromBridge) => boolean,
  ): Promise<readonly FromBridge[]> {
    const replies: FromBridge[] = [];
    const answers = (message: FromBridge): boolean => {
      if (message.replyTo !== id) return false;
      replies.push(message);
      return isLast(message);
    };
    await this.pending.wait(id, { timeoutMs, answers, outlives: false });
    return replies;
  }
}

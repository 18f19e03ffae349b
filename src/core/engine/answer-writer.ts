import type { Clock, Ids } from '../ports';
import type { FromDraft } from './engine';
import { partIdOf, loggedText, type LiveAnswer } from './live-answer';
import type { LiveSession } from './live-session';
import {
  unfinishedAnswer,
  newestPrompt,
  type LoggedAnswer,
  type LoggedCall,
  type LoggedPrompt,
} from './session-log';
import { finalDraft } from './session-view';

export interface AnswerWriterServices {
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<Ids, 'unique'>;
  readonly publish: (draft: FromDraft) => void;
}

type CallState = Omit<Extract<FromDraft, { type: 'tool.update' }>['payload'], 'callId' | 'tool'>;

/** Reports the answer that is being written to the session's clients, in pieces and as a whole. */
export class AnswerWriter {
  #live: LiveAnswer | undefined;
  /** that `#live` answers */
  #prompt: LoggedPrompt | undefined;

  constructor(
    private readonly session: LiveSession,
    private readonly services: AnswerWriterServices,
  ) {}

  /** The answer that is being written. */
  get live(): LiveAnswer | undefined {
    return this.#live;
  }

  begin(prompt: LoggedPrompt): LiveAnswer {
    const { clock, ids } = this.services;
    this.#prompt = prompt;
    this.#live = {
      ...{ id: `msg_${ids.unique()}`, prompt: prompt.id, at: clock.now() },
      ...{ text: '', thinking: '', thinkingPublished: 0, signed: [], calls: [] },
    };
    return this.#live;
  }

  /** Call when the answer is in the log, or is discarded. */
  end(): void {
    this.#live = undefined;
  }

  grow(live: LiveAnswer, type: 'text' | 'thinking', delta: string): void {
    if (delta === '') return;
    const isText = type === 'text';
    // Thinking is reported as a whole when text follows; some models continue to think after it.
    if (isText) this.#publishThinking(live);
    live[type] += delta;
    const payload = { messageId: live.id, partId: partIdOf(live.id, type), delta };
    const sessionId = this.session.facts.id;
    this.services.publish({
      type: isText ? 'stream.token' : 'stream.thinking',
      sessionId,
      payload,
    });
  }

  publishWhole(live: LiveAnswer): void {
    this.#publishThinking(live);
    if (live.text !== '') this.#publishPart(live, 'text');
  }

  publishCall({ id: callId, name: tool }: Pick<LoggedCall, 'id' | 'name'>, state: CallState): void {
    const sessionId = this.session.facts.id;
    this.services.publish({ type: 'tool.update', sessionId, payload: { callId, tool, ...state } });
  }

  /**
   * Ends the turn with what was written of its answer, or with an empty answer, and stores that.
   * @param prompt the newest that it answers
   */
  endUnfinished(
    how: Pick<LoggedAnswer, 'end' | 'error' | 'sent'>,
    prompt = newestPrompt(this.session.records),
  ): LoggedAnswer | undefined {
    const { session, services } = this;
    if (prompt === undefined) return undefined;
    const live = this.#live;
    const id = live?.id ?? `msg_${services.ids.unique()}`;
    const answer = {
      ...unfinishedAnswer(prompt, id, services.clock.now(), how),
      ...(live && loggedText(live)),
    };
    if (live !== undefined) this.publishWhole(live);
    this.end();
    // A failure to store it has been noted already.
    session.record(answer).catch(() => undefined);
    return answer;
  }

  #publishThinking(live: LiveAnswer): void {
    if (live.thinking.length === live.thinkingPublished) return;
    live.thinkingPublished = live.thinking.length;
    this.#publishPart(live, 'thinking');
  }

  #publishPart(live: LiveAnswer, kind: 'text' | 'thinking'): void {
    const by = { agent: this.#prompt?.agent, model: this.#prompt?.model };
    const part = { messageId: live.id, partId: partIdOf(live.id, kind), kind, text: live[kind] };
    this.services.publish(finalDraft(this.session.facts.id, 'assistant', part, by));
  }
}

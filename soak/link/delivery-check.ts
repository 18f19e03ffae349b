import type { SessionEvent } from '../../src/core/session/session-event-bus';
import type { SentEvent } from './turn-writer';

/**
 * Compares what one session sent with what arrived. Words must arrive in order, each once; after a
 * lost connection the whole text of a part may replace words that did not arrive one by one.
 * Everything else must arrive once, in order, and a turn must end after its words.
 */
export class DeliveryCheck {
  readonly #expectedFacts: string[] = [];
  #sentFacts = 0;
  #receivedFacts = 0;
  #sentWords = 0;
  #receivedWords = 0;
  #lastWordOfTurn = 0;
  #lastStatus = '';
  /** number of messages that arrived */
  receivedCount = 0;

  constructor(private readonly lose: (what: string) => void) {}

  /** Records an event; call it before the event is sent. */
  recordSent({ facts, words }: SentEvent): void {
    this.#expectedFacts.push(...facts);
    this.#sentFacts += facts.length;
    this.#sentWords = words;
  }

  /** Number of words and facts that were sent and have not arrived yet. */
  get missing(): number {
    return this.#sentFacts - this.#receivedFacts + (this.#sentWords - this.#receivedWords);
  }

  /** Describes what is missing. */
  get state(): string {
    const next = this.#expectedFacts[0] ?? 'nothing';
    return `heard words to ${this.#receivedWords} of ${this.#sentWords}, ${this.#receivedFacts} of ${this.#sentFacts} other facts; next is ${next}`;
  }

  recordReceived(event: SessionEvent): void {
    this.receivedCount += 1;
    if (event.type === 'stream.token') this.#token(event.payload.delta);
    else this.#fact(factOf(event));
    if (event.type === 'message.final') this.#wholeText(event.payload.text);
    if (event.type === 'turn.end' && this.#receivedWords < this.#lastWordOfTurn) {
      this.lose(
        `The turn ended after word ${this.#receivedWords}, and has ${this.#lastWordOfTurn}.`,
      );
    }
  }

  #token(delta: string): void {
    for (const word of wordsOf(delta)) {
      if (word !== this.#receivedWords + 1)
        this.lose(`Word ${word} came after ${this.#receivedWords}.`);
      this.#receivedWords = word;
    }
  }

  #wholeText(text: string): void {
    const last = wordsOf(text).at(-1) ?? 0;
    if (last < this.#receivedWords)
      this.lose(`A text ends with ${last} after ${this.#receivedWords}.`);
    this.#receivedWords = Math.max(last, this.#receivedWords);
    this.#lastWordOfTurn = last;
  }

  #fact(fact: string): void {
    // Each connection is sent the session's current status, so that it may repeat.
    if (fact === this.#lastStatus) return;
    if (fact === 'busy' || fact === 'idle') this.#lastStatus = fact;
    const expected = this.#expectedFacts.shift();
    this.#receivedFacts += 1;
    if (fact !== expected) this.lose(`"${fact}" came, and "${expected ?? 'nothing'}" was next.`);
  }
}

/** Names a fact as `TurnWriter` does. */
function factOf(event: SessionEvent): string {
  if (event.type === 'message.final') {
    const words = wordsOf(event.payload.text);
    const whole = words.every((word, at) => at === 0 || word === (words[at - 1] ?? 0) + 1);
    return whole ? `text of words ${words[0]} to ${words.at(-1)}` : 'a text with holes';
  }
  if (event.type === 'tool.update') return `${event.payload.callId} ${event.payload.status}`;
  if (event.type === 'progress.update') return event.payload.kind;
  if (event.type === 'turn.end') return `end of ${event.payload.messageId ?? 'nothing'}`;
  return event.type;
}

function wordsOf(text: string): number[] {
  return text.trim().split(' ').map(Number);
}

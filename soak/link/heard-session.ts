import type { SessionEvent } from '../../src/core/session/session-event-bus';
import type { Told } from './turn-writer';

/**
 * Compares what one session sent with what arrived. Words must arrive in order, each once; after a
 * lost connection the whole text of a part may replace words that did not arrive one by one.
 * Everything else must arrive once, in order, and a turn must end after its words.
 */
export class HeardSession {
  readonly #facts: string[] = [];
  #told = 0;
  #heardFacts = 0;
  #words = 0;
  #heardWords = 0;
  #lastWordOfTurn = 0;
  #standing = '';
  /** number of messages that arrived */
  heard = 0;

  constructor(private readonly lose: (what: string) => void) {}

  /** Records an event; call it before the event is sent. */
  tell({ facts, words }: Told): void {
    this.#facts.push(...facts);
    this.#told += facts.length;
    this.#words = words;
  }

  /** Number of words and facts that were sent and have not arrived yet. */
  get missing(): number {
    return this.#told - this.#heardFacts + (this.#words - this.#heardWords);
  }

  /** Describes what is missing. */
  get state(): string {
    const next = this.#facts[0] ?? 'nothing';
    return `heard words to ${this.#heardWords} of ${this.#words}, ${this.#heardFacts} of ${this.#told} other facts; next is ${next}`;
  }

  hear(event: SessionEvent): void {
    this.heard += 1;
    if (event.type === 'stream.token') this.#token(event.payload.delta);
    else this.#fact(factOf(event));
    if (event.type === 'message.final') this.#wholeText(event.payload.text);
    if (event.type === 'turn.end' && this.#heardWords < this.#lastWordOfTurn) {
      this.lose(`The turn ended after word ${this.#heardWords}, and has ${this.#lastWordOfTurn}.`);
    }
  }

  #token(delta: string): void {
    for (const word of wordsOf(delta)) {
      if (word !== this.#heardWords + 1) this.lose(`Word ${word} came after ${this.#heardWords}.`);
      this.#heardWords = word;
    }
  }

  #wholeText(text: string): void {
    const last = wordsOf(text).at(-1) ?? 0;
    if (last < this.#heardWords) this.lose(`A text ends with ${last} after ${this.#heardWords}.`);
    this.#heardWords = Math.max(last, this.#heardWords);
    this.#lastWordOfTurn = last;
  }

  #fact(fact: string): void {
    // Each connection is sent the session's current status, so that it may repeat.
    if (fact === this.#standing) return;
    if (fact === 'busy' || fact === 'idle') this.#standing = fact;
    const expected = this.#facts.shift();
    this.#heardFacts += 1;
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

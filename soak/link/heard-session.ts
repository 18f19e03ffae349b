import type { SessionEvent } from '../../src/core/session/session-event-bus';
import type { Told } from './turn-writer';

/**
 * What one session told and what of it was heard. Words must come in their order, each once; where
 * a connection was away, the whole text of a part may stand for words that did not come by
 * themselves. Everything else must come once, in order, and a turn ends after its words.
 */
export class HeardSession {
  readonly #facts: string[] = [];
  #told = 0;
  #heardFacts = 0;
  #words = 0;
  #heardWords = 0;
  #lastWordOfTurn = 0;
  #standing = '';
  /** messages that were heard */
  heard = 0;

  constructor(private readonly lose: (what: string) => void) {}

  /** Before it is told. */
  tell({ facts, words }: Told): void {
    this.#facts.push(...facts);
    this.#told += facts.length;
    this.#words = words;
  }

  /** What was told and not heard yet. */
  get missing(): number {
    return this.#told - this.#heardFacts + (this.#words - this.#heardWords);
  }

  /** Says what is missing. */
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
    // Who attaches is told how the session stands, at each connection.
    if (fact === this.#standing) return;
    if (fact === 'busy' || fact === 'idle') this.#standing = fact;
    const expected = this.#facts.shift();
    this.#heardFacts += 1;
    if (fact !== expected) this.lose(`"${fact}" came, and "${expected ?? 'nothing'}" was next.`);
  }
}

/** In the words of `TurnWriter`. */
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

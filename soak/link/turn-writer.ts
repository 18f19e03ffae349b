import type { SeededRandom } from '../seeded';

/** An event of OpenCode, and what a client must receive because of it. */
export interface SentEvent {
  readonly event: { readonly type: string; readonly properties: object };
  /** facts that must arrive once, in order, besides the words */
  readonly facts: readonly string[];
  /** number of words in the session so far; the first is 1 */
  readonly words: number;
}

/**
 * Generates the events of a session that works without pause: turns of text and tool calls. The
 * words of its texts are numbers. The expected facts are written by hand next to the events,
 * without the code under test.
 */
export class TurnWriter {
  #turn = 0;
  #word = 0;
  #call = 0;
  #stepsLeft = 0;
  /** first word of the turn */
  #first = 1;
  #text = '';

  constructor(
    private readonly sessionID: string,
    private readonly random: SeededRandom,
  ) {}

  /** The next events. */
  next(): readonly SentEvent[] {
    if (this.#stepsLeft === 0) return this.#begin();
    this.#stepsLeft -= 1;
    if (this.#stepsLeft === 0) return this.#end();
    return this.random.next() < 0.05 ? this.#toolCall() : [this.#token()];
  }

  get #message(): string {
    return `msg_${this.sessionID}_${this.#turn}`;
  }

  get #part(): string {
    return `prt_${this.sessionID}_${this.#turn}`;
  }

  #begin(): readonly SentEvent[] {
    this.#turn += 1;
    this.#stepsLeft = 20 + this.random.below(200);
    this.#text = '';
    this.#first = this.#word + 1;
    const user = { id: `usr_${this.sessionID}_${this.#turn}`, role: 'user', time: this.#time() };
    return [
      this.#sentEvent('message.updated', { info: user }),
      this.#sentEvent('session.status', { status: { type: 'busy' } }, 'busy'),
      this.#sentEvent('message.updated', { info: this.#answer() }),
      this.#sentEvent('message.part.updated', { part: this.#textPart('') }),
    ];
  }

  #token(): SentEvent {
    const delta = `${(this.#word += 1)} `;
    this.#text += delta;
    const { sessionID } = this;
    const [messageID, partID] = [this.#message, this.#part];
    const properties = { sessionID, messageID, partID, field: 'text', delta };
    return { event: { type: 'message.part.delta', properties }, facts: [], words: this.#word };
  }

  #toolCall(): readonly SentEvent[] {
    const callID = `call_${this.sessionID}_${(this.#call += 1)}`;
    const common = {
      id: `prt_${callID}`,
      messageID: this.#message,
      type: 'tool',
      tool: 'bash',
      callID,
    };
    return ['running', 'completed'].map((status) => {
      const state = { status, input: { command: 'x' }, output: 'y' };
      return this.#sentEvent(
        'message.part.updated',
        { part: { ...common, state } },
        `${callID} ${status}`,
      );
    });
  }

  #end(): readonly SentEvent[] {
    const ended = { ...this.#textPart(this.#text), time: { end: this.#turn } };
    return [
      this.#sentEvent(
        'message.part.updated',
        { part: ended },
        `text of words ${this.#first} to ${this.#word}`,
      ),
      this.#sentEvent('message.updated', { info: { ...this.#answer(), time: this.#time(true) } }),
      this.#sentEvent(
        'session.status',
        { status: { type: 'idle' } },
        `end of ${this.#message}`,
        'idle',
      ),
    ];
  }

  #answer() {
    const parentID = `usr_${this.sessionID}_${this.#turn}`;
    return { id: this.#message, role: 'assistant', parentID, time: this.#time(), mode: 'build' };
  }

  #textPart(text: string) {
    return { id: this.#part, messageID: this.#message, type: 'text', text };
  }

  /** A time object; each turn is later than the one before. */
  #time(completed = false) {
    const created = this.#turn * 10;
    return { created, ...(completed && { completed: created + 5 }) };
  }

  #sentEvent(type: string, properties: object, ...facts: string[]): SentEvent {
    const event = { type, properties: { sessionID: this.sessionID, ...properties } };
    return { event, facts, words: this.#word };
  }
}

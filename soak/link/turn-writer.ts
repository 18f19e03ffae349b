import type { Seeded } from '../seeded';

/** An event of OpenCode, and what a client must receive because of it. */
export interface Told {
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
  #left = 0;
  /** first word of the turn */
  #first = 1;
  #text = '';

  constructor(
    private readonly sessionID: string,
    private readonly random: Seeded,
  ) {}

  /** The next events. */
  next(): readonly Told[] {
    if (this.#left === 0) return this.#begin();
    this.#left -= 1;
    if (this.#left === 0) return this.#end();
    return this.random.next() < 0.05 ? this.#toolCall() : [this.#token()];
  }

  get #message(): string {
    return `msg_${this.sessionID}_${this.#turn}`;
  }

  get #part(): string {
    return `prt_${this.sessionID}_${this.#turn}`;
  }

  #begin(): readonly Told[] {
    this.#turn += 1;
    this.#left = 20 + this.random.below(200);
    this.#text = '';
    this.#first = this.#word + 1;
    const user = { id: `usr_${this.sessionID}_${this.#turn}`, role: 'user', time: this.#time() };
    return [
      this.#told('message.updated', { info: user }),
      this.#told('session.status', { status: { type: 'busy' } }, 'busy'),
      this.#told('message.updated', { info: this.#answer() }),
      this.#told('message.part.updated', { part: this.#textPart('') }),
    ];
  }

  #token(): Told {
    const delta = `${(this.#word += 1)} `;
    this.#text += delta;
    const { sessionID } = this;
    const [messageID, partID] = [this.#message, this.#part];
    const properties = { sessionID, messageID, partID, field: 'text', delta };
    return { event: { type: 'message.part.delta', properties }, facts: [], words: this.#word };
  }

  #toolCall(): readonly Told[] {
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
      return this.#told(
        'message.part.updated',
        { part: { ...common, state } },
        `${callID} ${status}`,
      );
    });
  }

  #end(): readonly Told[] {
    const ended = { ...this.#textPart(this.#text), time: { end: this.#turn } };
    return [
      this.#told(
        'message.part.updated',
        { part: ended },
        `text of words ${this.#first} to ${this.#word}`,
      ),
      this.#told('message.updated', { info: { ...this.#answer(), time: this.#time(true) } }),
      this.#told('session.status', { status: { type: 'idle' } }, `end of ${this.#message}`, 'idle'),
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

  #told(type: string, properties: object, ...facts: string[]): Told {
    const event = { type, properties: { sessionID: this.sessionID, ...properties } };
    return { event, facts, words: this.#word };
  }
}

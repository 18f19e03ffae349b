import type { ConnectionManager } from '../../src/core/session/connection-manager';
import type { SessionEvent } from '../../src/core/session/session-event-bus';
import type { FromBridge, FromBridgeOf } from '../../src/protocol/from-bridge';
import { WireError } from '../../src/protocol/wire-error';
import { withTimeout } from '../link/with-timeout';
import type { ServedEngine } from './served-engine';

/** ms after which a step counts as hanging; programs are restarted in the meantime */
const STEP_TIMEOUT_MS = 240_000;
/** ms to wait for an answer of the bridge */
const ANSWER_TIMEOUT_MS = 60_000;
/** ms without an event after which the session's state is fetched */
const POLL_INTERVAL_MS = 2_000;
/**
 * Times that a session must be seen idle without an end of its turn before the turn counts as lost
 * with its process.
 */
const MAX_IDLE_POLLS = 3;

/** How a step ended; `gone`: the session is idle, and its answer was lost with a process. */
export type StepEnd = 'completed' | 'interrupted' | 'error' | 'gone' | 'never';

type SessionStatus = FromBridgeOf<'session.stands'>['payload'];

/** A session that is prompted step by step, each prompt with a key; records all events it gets. */
export class StepSession {
  id = '';
  /** keys of the prompts that were sent */
  readonly keys: string[] = [];
  /** its answer stalled: the step interrupts it */
  isStalled = false;
  #ends = 0;
  #isBusy = false;
  #wake: () => void = () => undefined;

  constructor(
    readonly tag: string,
    readonly engine: ServedEngine,
    private readonly lose: (what: string) => void,
  ) {}

  async start(): Promise<void> {
    const payload = { requestId: this.tag, title: this.tag, key: `start-${this.tag}` };
    const isAnswer = (one: FromBridge): boolean =>
      one.type === 'session.created' && one.payload.requestId === this.tag;
    const created = await this.#link.request(
      { type: 'session.start', payload },
      ANSWER_TIMEOUT_MS,
      isAnswer,
    );
    if (created.type !== 'session.created') throw new Error(`${this.tag} was not started.`);
    this.id = created.sessionId;
  }

  handleEvent({ type, payload }: SessionEvent): void {
    for (const [other] of JSON.stringify(payload).matchAll(/\bs\d+\b/g)) {
      if (other !== this.tag) this.lose(`${type} of ${other} came in ${this.tag}.`);
    }
    if (type === 'progress.update' && (payload.kind === 'busy' || payload.kind === 'idle')) {
      this.#isBusy = payload.kind === 'busy';
    }
    if (type !== 'turn.end') return;
    this.#isBusy = false;
    this.#ends += 1;
    if (payload.reason === 'error' && !payload.error?.message) {
      this.lose(`A turn of ${this.tag} failed without words.`);
    }
    this.#wake();
  }

  /** Marks the answer as stalled. */
  markStalled(): void {
    this.isStalled = true;
    this.#wake();
  }

  async step(number: number): Promise<StepEnd> {
    const key = `${this.tag}-${number}`;
    this.keys.push(key);
    this.isStalled = false;
    const until = Date.now() + STEP_TIMEOUT_MS;
    let [isTaken, rests] = [false, 0];
    while (Date.now() < until) {
      isTaken = isTaken || (await this.#sendPrompt(`${this.tag} step ${number}`, key));
      await this.#waitForTurnEnd();
      if (!isTaken) continue;
      this.#interruptStalled();
      const stand = await this.#fetchStatus();
      if (stand?.status !== 'idle') {
        rests = 0;
        continue;
      }
      const { answer } = stand;
      if (answer?.key === key && answer.end !== 'open') {
        if (answer.end === 'error' && answer.error === '') {
          this.lose(`${this.tag} step ${number} failed without words.`);
        }
        return answer.end;
      }
      if ((rests += 1) === MAX_IDLE_POLLS) return 'gone';
    }
    this.lose(
      `${this.tag} step ${number} waits for ever: ${JSON.stringify(await this.#fetchStatus())}`,
    );
    return 'never';
  }

  /**
   * Checks the session at the end: each prompt is stored exactly once, and there are no more ends
   * than turns.
   */
  async check(ownerOfText: Map<string, string>): Promise<void> {
    const { tag, keys, id: sessionId } = this;
    await withTimeout(this.#waitUntilIdle(), POLL_INTERVAL_MS);
    if (this.#isBusy) this.lose(`${tag} rests, and was told to work.`);
    if (this.#ends > keys.length) {
      this.lose(`${keys.length} prompts of ${tag} had ${this.#ends} ends.`);
    }
    const payload = { limit: 1_000 };
    const pages = await this.#link.collect(
      { type: 'session.history', sessionId, payload },
      ANSWER_TIMEOUT_MS,
      (one) => one.type === 'snapshot' && !one.payload.more,
    );
    const messages = pages.flatMap((page) =>
      page.type === 'snapshot' ? page.payload.state.messages : [],
    );
    const texts = (role: string): readonly string[] =>
      messages
        .filter((one) => one.role === role)
        .flatMap(({ parts }) => parts.flatMap((part) => (part.kind === 'text' ? part.text : [])));
    const said = texts('user');
    for (const [at, key] of keys.entries()) {
      const count = said.filter((one) => one === `${tag} step ${at + 1}`).length;
      if (count !== 1) this.lose(`The prompt ${key} is kept ${count} times.`);
    }
    for (const answer of texts('assistant')) {
      for (const [words, other] of answer.matchAll(/(s\d+) says \d+\./g)) {
        const before = ownerOfText.get(words);
        if (before !== undefined) this.lose(`“${words}” is kept in ${before} and in ${tag}.`);
        if (other !== tag) this.lose(`“${words}” is kept in ${tag}.`);
        ownerOfText.set(words, tag);
      }
    }
  }

  get #link(): ConnectionManager {
    return this.engine.link.connection;
  }

  /** @returns whether the prompt was accepted; if that is uncertain, the caller sends it again */
  async #sendPrompt(text: string, key: string): Promise<boolean> {
    const message = {
      type: 'session.message',
      ...{ sessionId: this.id, payload: { text, key } },
    } as const;
    return (await this.#request(message))?.type === 'prompt.taken';
  }

  #interruptStalled(): void {
    if (!this.isStalled) return;
    this.#link.send({ type: 'session.interrupt', sessionId: this.id, payload: {} });
  }

  async #fetchStatus(): Promise<SessionStatus | undefined> {
    const sessionId = this.id;
    const stands = await this.#request({ type: 'session.look', sessionId, payload: {} });
    return stands?.type === 'session.stands' ? stands.payload : undefined;
  }

  /** Returns undefined if there was no answer, or a temporary refusal. */
  async #request(
    message: Parameters<ConnectionManager['request']>[0],
  ): Promise<FromBridge | undefined> {
    try {
      return await this.#link.request(message, ANSWER_TIMEOUT_MS);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      if (!error.retryable && error.code !== 'timeout' && error.code !== 'cancelled') {
        this.lose(`${message.type} of ${this.tag} was refused: ${error.message}`);
      }
      return undefined;
    }
  }

  /** Waits until a turn ends, at most for a while. */
  async #waitForTurnEnd(): Promise<void> {
    await withTimeout(new Promise<void>((resolve) => (this.#wake = resolve)), POLL_INTERVAL_MS);
  }

  async #waitUntilIdle(): Promise<void> {
    while (this.#isBusy) await this.#waitForTurnEnd();
  }
}

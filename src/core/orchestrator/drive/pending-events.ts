import {
  MAX_ANSWER_CHARS,
  RUN_SENTENCES,
  runSentence,
  turnsOf,
  type RunState,
  type Stage,
  type Turn,
  type WorkingTurn,
} from '../state';
import { StoreError } from '../../ports';
import type { RunAnswer } from '../runs';
import { SupersededError } from './run-files';
import type { DrivenRun, PendingEvent } from './driven-run';
import type { SessionStatus } from '../../session/bridge-runtime';
import { lastChars } from '../run-text';

export function stageOf(state: RunState): Stage | undefined {
  return 'stage' in state ? state.stage : undefined;
}

export function turnsIn(state: RunState): readonly Turn[] {
  return 'stage' in state ? turnsOf(state.stage) : [];
}

/** The running turn of a session. */
export function workingTurnOf(state: RunState, session: string): WorkingTurn | undefined {
  return turnsIn(state).find(
    (turn): turn is WorkingTurn => turn.kind === 'working' && turn.session === session,
  );
}

/** An entry of a run's event queue. */
export interface QueuedEvent {
  /** when it was added, ms since the epoch */
  readonly at: number;
  readonly event: PendingEvent;
  /** name of the action, if it came through the inbox */
  readonly action?: string;
  /** set if a caller waits: the event is then refused, not kept, if it can't be stored */
  readonly settle?: (answer: RunAnswer<undefined>) => void;
}

/** Shortest and longest pause between tries to store, ms. */
const FIRST_RETRY = 500;

const LONGEST_RETRY = 30_000;

/**
 * Processes a run's events one after another. If storing fails, the queue stops and tries again; no
 * event is lost.
 */
export class EventQueue {
  readonly #items: QueuedEvent[] = [];
  #busy = false;
  #running: Promise<void> = Promise.resolve();
  #tries = 0;
  #fault: string | null = null;

  /**
   * @param take processes and stores one event; if it throws, the event has had no effect
   * @param onIdle called when the queue is empty, or has stopped because of a fault
   */
  constructor(
    private readonly run: DrivenRun,
    private readonly take: (item: QueuedEvent) => Promise<void>,
    private readonly onIdle: () => void,
    private readonly onSuperseded: () => void,
  ) {}

  /** Why the queue has stopped, for the person; null if it runs. */
  get fault(): string | null {
    return this.#fault;
  }

  get empty(): boolean {
    return this.#items.length === 0 && !this.#busy;
  }

  put(item: QueuedEvent): void {
    if (this.run.backoff.closed) {
      item.settle?.({ ok: false, message: RUN_SENTENCES.rests });
      return;
    }
    this.#items.push(item);
    // An event with a waiting caller is tried at once; all others wait for the next try.
    if (this.#fault === null || item.settle !== undefined) void this.#drain();
  }

  /**
   * Refuses events with waiting callers. Resolves when the current event is stored, or has failed.
   */
  close(): Promise<void> {
    this.#refuse(RUN_SENTENCES.rests);
    this.#items.length = 0;
    return this.#running;
  }

  #drain(): Promise<void> {
    if (!this.#busy) this.#running = this.#drainAll();
    return this.#running;
  }

  async #drainAll(): Promise<void> {
    this.#busy = true;
    for (let item = this.#items[0]; item !== undefined; item = this.#items[0]) {
      if (this.run.backoff.closed || !(await this.#take(item))) break;
    }
    this.#busy = false;
    if (!this.run.backoff.closed) this.onIdle();
  }

  async #take(item: QueuedEvent): Promise<boolean> {
    try {
      await this.take(item);
    } catch (error) {
      if (error instanceof SupersededError) this.onSuperseded();
      else this.#failed(error);
      return false;
    }
    if (this.#items[0] === item) this.#items.shift();
    this.#tries = 0;
    if (this.#fault !== null) {
      this.#fault = null;
      this.run.changed();
    }
    item.settle?.({ ok: true, value: undefined });
    return true;
  }

  #failed(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    const name = error instanceof StoreError ? 'filesFail' : 'programFails';
    this.#fault = runSentence(name, { why: message });
    this.#refuse(this.#fault);
    this.run.changed();
    this.#tries += 1;
    const ms = Math.min(LONGEST_RETRY, FIRST_RETRY * 2 ** Math.min(this.#tries, 10));
    void this.run.backoff.wait(ms).then((goes) => {
      if (goes && this.#fault !== null) void this.#drain();
    });
  }

  #refuse(message: string): void {
    const asked = this.#items.filter(({ settle }) => settle !== undefined);
    const rest = this.#items.filter(({ settle }) => settle === undefined);
    this.#items.splice(0, this.#items.length, ...rest);
    for (const { settle } of asked) settle?.({ ok: false, message });
  }
}

/**
 * The events that a look at a session implies, if it is still the turn that was looked at: the
 * answer's text, and its end if that event was missed, or `at_rest` if the turn ended without one.
 */
export function eventsFromStatus(
  session: string,
  current: SessionStatus,
  isCurrent: () => boolean,
): PendingEvent[] {
  if (current.status !== 'idle') return [];
  return [
    (state) => {
      const turn = isCurrent() ? workingTurnOf(state, session) : undefined;
      const answer = turn && answerOfTurn(current, turn);
      return answer === undefined || answer.text.trim() === ''
        ? undefined
        : { type: 'said', sessionId: session, text: lastChars(answer.text, MAX_ANSWER_CHARS) };
    },
    (state) => {
      if (!isCurrent()) return undefined;
      const turn = workingTurnOf(state, session);
      if (turn === undefined) {
        const stops = 'stops' in state && state.stops.some((stop) => stop.session === session);
        return stops ? { type: 'at_rest', sessionId: session } : undefined;
      }
      const answer = answerOfTurn(current, turn);
      if (answer === undefined) return { type: 'at_rest', sessionId: session };
      const { messageId, end, error, code } = answer;
      return {
        ...{ type: 'turn_ended', sessionId: session },
        ...{ message: messageId, reason: end, error: end === 'error' ? error : '' },
        ...(end === 'error' && code !== undefined && { code }),
      };
    },
  ];
}

/**
 * The event for a prompt that an earlier try had sent: its turn runs or has ended with an answer
 * (`done`), or ended without one (`over`).
 */
export function repeatedPromptEvent(
  key: string,
  session: string,
  current: SessionStatus,
): PendingEvent {
  return (state) => {
    if (current.status !== 'idle') return { type: 'done', key };
    const turn = turnsIn(state).find(
      (one) => (one.kind === 'sending' || one.kind === 'working') && one.session === session,
    );
    const last = turn !== undefined && 'last' in turn ? turn.last : null;
    return { type: answerOfTurn(current, { key, last }) === undefined ? 'over' : 'done', key };
  };
}

/**
 * The newest answer, if it is complete and belongs to this turn as far as its key or message id
 * shows.
 */
function answerOfTurn(
  { answer }: SessionStatus,
  { key, last }: { readonly key: string; readonly last: string | null },
) {
  if (answer === undefined || answer.end === null) return undefined;
  const own = answer.key === undefined ? answer.messageId !== last : answer.key === key;
  return own ? { ...answer, end: answer.end } : undefined;
}

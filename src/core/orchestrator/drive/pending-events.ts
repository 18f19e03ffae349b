import type { RunEvent } from '../event';
import { MOST_SAID, turnsOf, type RunState, type Stage, type Working } from '../state';
import { StoreError } from '../../ports';
import type { RunAnswer } from '../runs';
import { Superseded } from './run-files';
import type { Backoff } from './timers';
import type { SessionLook } from '../../session/session-runtime';
import { ending } from '../run-words';

/**
 * What a run is to hear. What was asked some time ago is judged when its turn comes, by the state as it
 * is then; undefined where it says nothing any more.
 */
export type PendingEvent = RunEvent | ((state: RunState) => RunEvent | undefined);

export function eventIn(word: PendingEvent, state: RunState): RunEvent | undefined {
  return typeof word === 'function' ? word(state) : word;
}

export function stageOf(state: RunState): Stage | undefined {
  return 'stage' in state ? state.stage : undefined;
}

/** The turn that runs in a session. */
export function workingIn(state: RunState, session: string): Working | undefined {
  const stage = stageOf(state);
  const turns = stage === undefined ? [] : turnsOf(stage);
  return turns.find((turn) => turn.kind === 'working' && turn.session === session) as
    Working | undefined;
}

/** Something that a run is to hear, in its turn. */
export interface Item {
  /** when it came, ms since the epoch */
  readonly at: number;
  readonly word: PendingEvent;
  /** name of the action that it is, where it came through the inbox */
  readonly action?: string;
  /** a person waits for it: refused where it can't be stored, else it is kept */
  readonly settle?: (answer: RunAnswer<undefined>) => void;
}

interface QueuePort {
  /** Hears and stores one. @throws StoreError where it could not be stored: it is as if it never came */
  take(item: Item): Promise<void>;
  /** the queue is empty, or stands still for a fault */
  rests(): void;
  superseded(): void;
  changed(): void;
}

/** Pauses between tries to store, ms. */
const FIRST_RETRY = 500;

const LONGEST_RETRY = 30_000;

/** What a run hears, one after another. Where storing fails it stands still, and loses nothing. */
export class EventQueue {
  readonly #items: Item[] = [];
  #busy = false;
  #running: Promise<void> = Promise.resolve();
  #tries = 0;
  #fault: string | null = null;

  constructor(
    private readonly port: QueuePort,
    private readonly waits: Backoff,
  ) {}

  /** Why nothing is heard now, for the person. */
  get fault(): string | null {
    return this.#fault;
  }

  get empty(): boolean {
    return this.#items.length === 0 && !this.#busy;
  }

  put(item: Item): void {
    if (this.waits.closed) {
      item.settle?.({ ok: false, message: RESTS });
      return;
    }
    this.#items.push(item);
    // Who asks wants to know now whether it can be stored; all else waits for the next try.
    if (this.#fault === null || item.settle !== undefined) void this.#drain();
  }

  /** Refuses those who wait. Resolves when what is being heard is stored, or not. */
  close(): Promise<void> {
    this.#refuse(RESTS);
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
      if (this.waits.closed || !(await this.#take(item))) break;
    }
    this.#busy = false;
    if (!this.waits.closed) this.port.rests();
  }

  async #take(item: Item): Promise<boolean> {
    try {
      await this.port.take(item);
    } catch (error) {
      if (error instanceof Superseded) this.port.superseded();
      else this.#failed(error);
      return false;
    }
    if (this.#items[0] === item) this.#items.shift();
    this.#tries = 0;
    if (this.#fault !== null) {
      this.#fault = null;
      this.port.changed();
    }
    item.settle?.({ ok: true, value: undefined });
    return true;
  }

  #failed(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    const passes = error instanceof StoreError;
    this.#fault = passes
      ? `The run stands still until its files can be read and written: ${message}`
      : `The run met a fault of this program and stands still: ${message}`;
    this.#refuse(this.#fault);
    this.port.changed();
    this.#tries += 1;
    const ms = Math.min(LONGEST_RETRY, FIRST_RETRY * 2 ** Math.min(this.#tries, 10));
    void this.waits.time(ms).then((goes) => {
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

const RESTS = 'The run rests: this program carries it out no more.';

/**
 * What a look at a session tells of the turn that runs in it, if it still is the one that was looked
 * at: its end where that was not heard, else that it is over without one.
 */
export function lookWords(
  session: string,
  look: SessionLook,
  still: () => boolean,
): PendingEvent[] {
  if (look.status !== 'idle') return [];
  return [
    (state) => {
      const turn = still() ? workingIn(state, session) : undefined;
      const answer = turn && freshAnswer(look, turn);
      return answer === undefined || answer.text.trim() === ''
        ? undefined
        : { type: 'said', sessionId: session, text: ending(answer.text, MOST_SAID) };
    },
    (state) => {
      if (!still()) return undefined;
      const turn = workingIn(state, session);
      if (turn === undefined) {
        return isStop(state, session) ? { type: 'at_rest', sessionId: session } : undefined;
      }
      const answer = freshAnswer(look, turn);
      if (answer === undefined) return { type: 'at_rest', sessionId: session };
      const { messageId, end, error } = answer;
      return {
        ...{ type: 'turn_ended', sessionId: session },
        ...{ message: messageId, reason: end, error: end === 'error' ? error : '' },
      };
    },
  ];
}

/** A prompt was there before: its turn runs, is over with an end, or without one. */
export function sentBefore(key: string, session: string, look: SessionLook): PendingEvent {
  return (state) => {
    if (look.status !== 'idle') return { type: 'done', key };
    const stage = stageOf(state);
    const turn = (stage === undefined ? [] : turnsOf(stage)).find(
      (one) => (one.kind === 'sending' || one.kind === 'working') && one.session === session,
    );
    const last = turn !== undefined && 'last' in turn ? turn.last : null;
    const fresh = freshAnswer(look, { key, last });
    return { type: fresh === undefined ? 'over' : 'done', key };
  };
}

/** The newest answer where it was written to its end and is that of this turn, as far as is told. */
function freshAnswer(
  { answer }: SessionLook,
  { key, last }: { readonly key: string; readonly last: string | null },
) {
  if (answer === undefined || answer.end === null) return undefined;
  const { end, key: of } = answer;
  const own = of === undefined ? answer.messageId !== last : of === key;
  return own ? { ...answer, end } : undefined;
}

function isStop(state: RunState, session: string): boolean {
  return 'stops' in state && state.stops.some((stop) => stop.session === session);
}

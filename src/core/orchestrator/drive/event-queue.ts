import { StoreError } from '../../ports';
import type { RunAnswer } from '../runs';
import { Superseded } from './run-files';
import type { Waits } from './waits';
import type { Word } from './word';

/** Something that a run is to hear, in its turn. */
export interface Item {
  /** when it came, ms since the epoch */
  readonly at: number;
  readonly word: Word;
  /** name of the action that it is, where it came through the inbox */
  readonly action?: string;
  /** a person waits for it: refused where it can't be stored, else it is kept */
  readonly settle?: (answer: RunAnswer<undefined>) => void;
}

export interface QueuePort {
  /** Hears and stores one. @throws StoreError where it could not be stored: it is as if it never came */
  take(item: Item): Promise<void>;
  /** the queue is empty, or stands still for a fault */
  rests(): void;
  superseded(): void;
  changed(): void;
}

/** Pauses between tries to store, ms. */
const FIRST = 500;
const LONGEST = 30_000;

/** What a run hears, one after another. Where storing fails it stands still, and loses nothing. */
export class EventQueue {
  readonly #items: Item[] = [];
  #busy = false;
  #running: Promise<void> = Promise.resolve();
  #tries = 0;
  #fault: string | null = null;

  constructor(
    private readonly port: QueuePort,
    private readonly waits: Waits,
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
    const ms = Math.min(LONGEST, FIRST * 2 ** Math.min(this.#tries, 10));
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

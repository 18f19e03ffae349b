import { createParser } from 'eventsource-parser';
import { parseJson } from '../../core/json';
import type { Clock, Ids, Log } from '../../core/ports';
import { readEvent, type OpencodeEvent } from '../opencode/opencode-event';
import { tooDeep } from '../../protocol/frame-limits';
import { MAX_JSON_DEPTH, ServerError, type OpencodeServer } from './opencode-server';

/** ms without data after which a stream counts as dead. OpenCode sends a heartbeat every 10 s. */
const SILENCE_TIMEOUT = 30_000;

/** ms before the first attempt to reconnect, doubled each time, and the maximum. */
const MIN_RECONNECT_DELAY = 250;
const MAX_RECONNECT_DELAY = 15_000;

/** ms that a request waits for a lost stream to return. */
const RECONNECT_TIMEOUT = 2_000;

/** Largest event in UTF-16 units; more than the output of a tool. */
const MAX_EVENT = 16_000_000;

interface EventFeedServices {
  readonly server: Pick<OpencodeServer, 'events' | 'name'>;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'random'>;
  readonly log: Log;
  /** Called first whenever a stream opens. Rejects if a different server answers now. */
  readonly check: () => Promise<void>;
  /** Called next, before the first event, to ask for events that were missed. */
  readonly onOpen: () => Promise<void>;
  readonly onEvent: (event: OpencodeEvent) => void;
  /** Called when the server has lost what was registered at run time. */
  readonly onDisposed: () => void;
  readonly stop: AbortSignal;
}

/** OpenCode's events for a folder, in order. A stream that breaks is reopened until `stop`. */
export class EventFeed {
  #isConnected = false;
  /** functions that wake requests waiting for the stream */
  readonly #waiting = new Set<() => void>();

  constructor(private readonly services: EventFeedServices) {}

  /**
   * Resolves when the stream is open; waits while it is lost, since a different server may be
   * answering.
   * @throws ServerError if that takes too long
   */
  async untilConnected(): Promise<void> {
    if (this.#isConnected) return;
    await this.#pause(RECONNECT_TIMEOUT, (wake) => this.#waiting.add(wake));
    if (this.#isOpen()) return;
    const { name } = this.services.server;
    const what = `The connection to OpenCode at ${name} is lost. It is tried again until it answers.`;
    throw new ServerError('unreachable', what);
  }

  /**
   * Starts the feed. Resolves when the first stream is open.
   * @throws ServerError if the first stream can't be opened
   */
  start(): Promise<void> {
    return new Promise((resolve, reject) => void this.#follow(resolve, reject));
  }

  #isOpen(): boolean {
    return this.#isConnected;
  }

  async #follow(resolve: () => void, reject: (error: unknown) => void): Promise<void> {
    const { clock, log, server } = this.services;
    let [isFirst, tries] = [true, 0];
    let openedAt: number | undefined;
    /** the last reported reason for the loss of the stream */
    let lostReason: ServerError['trouble'] | undefined;
    while (!this.#isOver()) {
      try {
        await this.#stream(() => {
          if (lostReason !== undefined)
            log.note('OpenCode is there again.', { at: 'bridge.stream', severity: 'info' });
          [isFirst, lostReason, openedAt] = [false, undefined, clock.now()];
          resolve();
        });
      } catch (thrown) {
        const error = serverError(server.name, thrown);
        if (isFirst) return reject(error);
        if (this.#isOver()) return;
        // Logged once, and again only for a different problem: another server may have this address
        // now.
        const { trouble } = error;
        if (lostReason !== trouble && (lostReason === undefined || trouble !== 'unreachable')) {
          const hint = 'It is tried again until it answers.';
          const about = { server: server.name, error: String(error), hint };
          log.note('The connection to OpenCode is lost.', { at: 'bridge.stream', ...about });
          lostReason = trouble;
        }
        // A stream that breaks as soon as it opens must not reset the delay.
        if (openedAt !== undefined && clock.now() - openedAt > MAX_RECONNECT_DELAY) tries = 0;
        openedAt = undefined;
        // A random delay, so that clients which lost the stream together don't all reconnect at the
        // same time.
        await this.#pause(
          this.services.ids.random() *
            Math.min(MAX_RECONNECT_DELAY, MIN_RECONNECT_DELAY * 2 ** tries),
        );
        tries += 1;
      }
    }
  }

  #isOver(): boolean {
    return this.services.stop.aborted;
  }

  /** Reads one stream. Never returns; throws when it ends. */
  async #stream(onOpened: () => void): Promise<never> {
    const { server, clock, stop, check, onOpen: opened } = this.services;
    const over = new AbortController();
    const end = (): void => over.abort();
    stop.addEventListener('abort', end, { once: true });
    let undo = clock.after(SILENCE_TIMEOUT, end);
    try {
      const events: unknown[] = [];
      const onEvent = ({ data }: { data: string }): void => {
        if (!tooDeep(data, MAX_JSON_DEPTH)) events.push(parseJson(data));
      };
      const onError = ({ type }: { type: string }): void => {
        if (type !== 'max-buffer-size-exceeded') return;
        const most = `${MAX_EVENT / 1_000_000} million characters`;
        throw new ServerError('too_large', `${server.name} sent an event of more than ${most}.`);
      };
      const parser = createParser({ onEvent, onError, maxBufferSize: MAX_EVENT });
      const decoder = new TextDecoder();
      let isNew = true;
      for await (const part of await server.events(over.signal)) {
        undo();
        parser.feed(decoder.decode(part, { stream: true }));
        if (isNew && events.length > 0) {
          isNew = false;
          // Events that arrive meanwhile stay in the connection's buffer.
          await check();
          this.#isConnected = true;
          for (const wake of this.#waiting) wake();
          this.#waiting.clear();
          await opened();
          onOpened();
        }
        for (const event of events.splice(0)) this.#handle(event);
        undo = clock.after(SILENCE_TIMEOUT, end);
      }
      throw new ServerError('unreachable', 'OpenCode closed the stream of events.');
    } finally {
      this.#isConnected = false;
      undo();
      end();
      stop.removeEventListener('abort', end);
    }
  }

  #handle(value: unknown): void {
    const isDisposed =
      typeof value === 'object' && value !== null && 'type' in value && DISPOSED.has(value.type);
    if (isDisposed) return this.services.onDisposed();
    const event = readEvent(value);
    if (event !== undefined) this.services.onEvent(event);
  }

  /** Resolves after `ms`, when the feed stops, or when `wake` is called. */
  #pause(ms: number, register: (wake: () => void) => void = () => undefined): Promise<void> {
    const { clock, stop } = this.services;
    return new Promise((resolve) => {
      const done = (): void => {
        undo();
        stop.removeEventListener('abort', done);
        resolve();
      };
      const undo = clock.after(ms, done);
      stop.addEventListener('abort', done);
      register(done);
    });
  }
}

function serverError(name: string, error: unknown): ServerError {
  if (error instanceof ServerError) return error;
  const why = error instanceof Error ? error.message : String(error);
  return new ServerError('unreachable', `The OpenCode at ${name} can’t be followed: ${why}`);
}

const DISPOSED = new Set<unknown>(['server.instance.disposed', 'global.disposed']);

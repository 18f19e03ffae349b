import { createParser } from 'eventsource-parser';
import { parseJson } from '../../core/json';
import type { Clock, Ids, Log } from '../../core/ports';
import { readEvent, type OpencodeEvent } from '../opencode/opencode-event';
import { ServerError, type OpencodeServer } from './opencode-server';

/** ms without a word after which a stream is taken for dead: OpenCode sends a beat every 10 s. */
const SILENCE = 30_000;

/** ms before the first try to connect again, doubled each time, and at most. */
const WAIT = 250;
const LONGEST_WAIT = 15_000;

/** UTF-16 units of one event: the output of a tool, and more. */
const MAX_EVENT = 16_000_000;

interface EventFeedServices {
  readonly server: Pick<OpencodeServer, 'events' | 'name'>;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'random'>;
  readonly log: Log;
  /** Called whenever a stream begins, before its first event: what came before it is to be asked for. */
  readonly opened: () => Promise<void>;
  readonly heard: (event: OpencodeEvent) => void;
  /** The server forgot what it was told at run time. */
  readonly disposed: () => void;
  readonly stop: AbortSignal;
}

/** OpenCode's events of a folder, in order; a stream that breaks is opened again until `stop`. */
export class EventFeed {
  constructor(private readonly services: EventFeedServices) {}

  /**
   * Settles when the first stream is open; the feed goes on by itself.
   * @throws ServerError where the first stream can't be opened
   */
  start(): Promise<void> {
    return new Promise((resolve, reject) => void this.#follow(resolve, reject));
  }

  async #follow(resolve: () => void, reject: (error: unknown) => void): Promise<void> {
    const { log, server } = this.services;
    let [isFirst, isLost, tries] = [true, false, 0];
    while (!this.#isOver()) {
      try {
        await this.#stream(() => {
          if (isLost)
            log.note('OpenCode is there again.', { at: 'bridge.stream', severity: 'info' });
          [isFirst, isLost, tries] = [false, false, 0];
          resolve();
        });
      } catch (error) {
        if (isFirst) return reject(error);
        if (this.#isOver()) return;
        if (!isLost) {
          const hint = 'It is tried again until it answers.';
          const about = { server: server.name, error: String(error), hint };
          log.note('The connection to OpenCode is lost.', { at: 'bridge.stream', ...about });
        }
        isLost = true;
        await this.#pause(Math.min(LONGEST_WAIT, WAIT * 2 ** tries));
        tries += 1;
      }
    }
  }

  #isOver(): boolean {
    return this.services.stop.aborted;
  }

  /** Never returns: throws when the stream ends. */
  async #stream(isOpen: () => void): Promise<never> {
    const { server, clock, stop, opened } = this.services;
    const over = new AbortController();
    const end = (): void => over.abort();
    stop.addEventListener('abort', end, { once: true });
    let undo = clock.after(SILENCE, end);
    try {
      const events: unknown[] = [];
      const onEvent = ({ data }: { data: string }): void => void events.push(parseJson(data));
      const parser = createParser({ onEvent, maxBufferSize: MAX_EVENT });
      const decoder = new TextDecoder();
      let isNew = true;
      for await (const part of await server.events(over.signal)) {
        undo();
        parser.feed(decoder.decode(part, { stream: true }));
        if (isNew && events.length > 0) {
          isNew = false;
          // What comes meanwhile waits in the connection.
          await opened();
          isOpen();
        }
        for (const event of events.splice(0)) this.#heard(event);
        undo = clock.after(SILENCE, end);
      }
      throw new ServerError('unreachable', 'OpenCode closed the stream of events.');
    } finally {
      undo();
      end();
      stop.removeEventListener('abort', end);
    }
  }

  #heard(value: unknown): void {
    const isDisposed =
      typeof value === 'object' && value !== null && 'type' in value && DISPOSED.has(value.type);
    if (isDisposed) return this.services.disposed();
    const event = readEvent(value);
    if (event !== undefined) this.services.heard(event);
  }

  /** Between nothing and `most`: servers that went all at once are not asked all at once. */
  #pause(most: number): Promise<void> {
    const { clock, ids, stop } = this.services;
    return new Promise((resolve) => {
      const done = (): void => {
        undo();
        stop.removeEventListener('abort', done);
        resolve();
      };
      const undo = clock.after(ids.random() * most, done);
      stop.addEventListener('abort', done);
    });
  }
}

const DISPOSED = new Set<unknown>(['server.instance.disposed', 'global.disposed']);

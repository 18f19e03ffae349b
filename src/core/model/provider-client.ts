import { createParser } from 'eventsource-parser';
import type { Clock, Ids, Undo } from '../ports';
import { anthropicMessages } from './anthropic-messages';
import type { AnswerReader, Dialect } from './dialect';
import {
  ModelError,
  type Http,
  type HttpResponse,
  type ModelClient,
  type ModelEvent,
  type ModelInfo,
  type ModelRequest,
  type ModelRetry,
} from './model-client';
import { ModelErrorFactory } from './model-error-factory';
import { ModelLists, modelsIn } from './model-list';
import { openaiChat } from './openai-chat';
import { checkProvider, type Provider, type ProviderConfig } from './provider';

/** Maximum retries of a request. */
const MAX_RETRIES = 5;

/** Pause before the first retry, doubled each time, and its maximum, ms. */
const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 30_000;

/** Longest wait that a provider may ask for, ms; if it asks for more, the request fails. */
const LONGEST_ASKED_WAIT = 60_000;

/**
 * Longest silence, ms: a model that sends no thinking, or is loaded from disk first, takes minutes.
 */
const SILENCE_TIMEOUT = 5 * 60_000;

/** Time limit for an answer that is not streamed, ms. */
const ANSWER_TIMEOUT = 10 * 60_000;

/** Time limit for a list of models, ms. */
const LIST_TIMEOUT = 30_000;

/**
 * Maximum UTF-16 units of one event: some servers send a call that writes a long note as one event.
 */
const MAX_EVENT = 4_000_000;

/** Maximum bytes of an answer: 128,000 tokens at 400 bytes each. */
const MAX_ANSWER = 50_000_000;

/**
 * Maximum UTF-16 units of text, thinking and calls in an answer: a session keeps them, and holds many
 * answers.
 */
const MAX_ANSWER_TEXT = MAX_EVENT;

/** UTF-16 units after which text that arrived together is split into another event. */
const MAX_TOGETHER = 8_000;

/** Maximum bytes of the body of an error. */
const MAX_ERROR = 64_000;

/** What a client needs besides its configuration. */
interface ProviderClientDeps {
  readonly http: Http;
  readonly clock: Clock;
  readonly ids: Ids;
  /**
   * shared by all clients of a program, so that a new client of the same provider reuses the list
   */
  readonly lists?: ModelLists;
}

/** The only place where clients are made. An invalid configuration fails at the first request. */
export function createProviderClient(
  config: ProviderConfig,
  deps: ProviderClientDeps,
): ModelClient {
  return new ProviderClient(config, deps);
}

class ProviderClient implements ModelClient {
  readonly #lists: ModelLists;

  constructor(
    private readonly config: ProviderConfig,
    private readonly deps: ProviderClientDeps,
  ) {
    this.#lists = deps.lists ?? new ModelLists(deps.clock);
  }

  async models(): Promise<readonly ModelInfo[]> {
    const endpoint = this.#endpoint();
    const { url, key } = endpoint.provider;
    return this.#lists.get(JSON.stringify([url, key]), () => this.#list(endpoint));
  }

  async *stream(
    request: ModelRequest,
    signal: AbortSignal,
    retrying?: (retry: ModelRetry) => void,
  ): AsyncGenerator<ModelEvent> {
    signal.throwIfAborted();
    const endpoint = this.#endpoint();
    for (let tries = 0; ; tries += 1) {
      let hasBegun = false;
      try {
        for await (const event of this.#answer(endpoint, request, signal)) {
          hasBegun = true;
          yield event;
        }
        return;
      } catch (error) {
        signal.throwIfAborted();
        if (hasBegun || tries === MAX_RETRIES || !(error instanceof ModelError)) throw error;
        const wait = this.#wait(error, tries);
        if (wait === undefined) throw error;
        retrying?.({ attempt: tries + 1, why: error, wait });
        await pause(this.deps.clock, wait, signal);
      }
    }
  }

  /** How long to wait before a retry, ms; undefined if a retry is of no use. */
  #wait({ retryable: passing, retryAfter }: ModelError, tries: number): number | undefined {
    if (!passing) return undefined;
    if (retryAfter !== undefined) return retryAfter > LONGEST_ASKED_WAIT ? undefined : retryAfter;
    const most = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** tries);
    return (most / 2) * (1 + this.deps.ids.random());
  }

  #endpoint(): ProviderEndpoint {
    const provider = checkProvider(this.config);
    const dialect = provider.dialect === 'anthropic' ? anthropicMessages : openaiChat;
    return { provider, dialect, failures: new ModelErrorFactory(provider) };
  }

  async #list({ provider, dialect, failures }: ProviderEndpoint): Promise<readonly ModelInfo[]> {
    const { http, clock } = this.deps;
    const exchange = new Exchange(http, clock, failures, LIST_TIMEOUT);
    try {
      const answer = await exchange.send('GET', provider, dialect.modelsPath, dialect);
      const models = modelsIn(await exchange.text(answer.body));
      if (models !== undefined) return models;
      throw failures.badAnswer(`${provider.url}${dialect.modelsPath} is no list of models`);
    } finally {
      exchange.end();
    }
  }

  /** Yields the events of one answer, from one request. */
  async *#answer(
    { provider, dialect, failures }: ProviderEndpoint,
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent> {
    const { http, clock, ids } = this.deps;
    const exchange = new Exchange(
      http,
      clock,
      failures,
      http.streams ? SILENCE_TIMEOUT : ANSWER_TIMEOUT,
      signal,
    );
    try {
      const body = wellFormedJson(dialect.body(request, provider, http.streams));
      const sent = { body, of: request };
      const answer = await exchange.send('POST', provider, dialect.path, dialect, sent);
      const reader = dialect.reader(failures, () => `call_${ids.unique()}`);
      const type = answer.headers['content-type'] ?? '';
      const isStream = /event-stream/i.test(type) || (http.streams && !/json|html/i.test(type));
      const events = isStream
        ? exchange.events(answer.body, reader)
        : reader.readWhole(await exchange.text(answer.body));
      let textLength = 0;
      for await (const event of events) {
        textLength += lengthOf(event);
        if (textLength > MAX_ANSWER_TEXT) throw failures.badAnswer('its answer has no end');
        yield event;
      }
    } finally {
      exchange.end();
    }
  }
}

/**
 * JSON without halves of surrogate pairs, which are left where a text was cut, and for which
 * providers refuse the whole request.
 */
function wellFormedJson(value: object): string {
  const json = JSON.stringify(value);
  // The expression looks at each character of a long conversation; nearly none has such a half.
  if (!json.includes('\\ud')) return json;
  return json.replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, '$1\ufffd');
}

/**
 * UTF-16 units of the event that a session keeps; the text of signed thinking was counted in its
 * pieces.
 */
function lengthOf(event: ModelEvent): number {
  if (event.type === 'text' || event.type === 'thinking') return event.delta.length;
  if (event.type === 'signed') return JSON.stringify(event.blocks).length;
  return event.type === 'call' ? event.call.args.length : 0;
}

/** Joins two events if they are text of the same kind and not too long; otherwise undefined. */
function joinText(event: ModelEvent | undefined, more: ModelEvent): ModelEvent | undefined {
  if (event?.type !== 'text' && event?.type !== 'thinking') return undefined;
  if (more.type !== event.type || event.delta.length > MAX_TOGETHER) return undefined;
  return { type: event.type, delta: event.delta + more.delta };
}

/** The events in a chunk of a stream. */
interface ChunkEvents {
  readonly told: readonly ModelEvent[];
  /** false if it only shows that the connection is alive */
  readonly isNew: boolean;
  readonly fault?: { readonly why: unknown };
}

/** A provider and its dialect. */
interface ProviderEndpoint {
  readonly provider: Provider;
  readonly dialect: Dialect;
  readonly failures: ModelErrorFactory;
}

/** One request and its answer, with limits of time and size. */
class Exchange {
  readonly #ended = new AbortController();
  readonly #deadline: Deadline;

  constructor(
    private readonly http: Http,
    private readonly clock: Clock,
    private readonly failures: ModelErrorFactory,
    ms: number,
    signal?: AbortSignal,
  ) {
    this.#deadline = new Deadline(clock, ms, () => failures.silent(ms), signal);
  }

  /** Aborts what still runs. May be called twice. */
  end(): void {
    this.#deadline.end();
    this.#ended.abort();
  }

  /** @throws ModelError for any status but 200 */
  async send(
    method: 'GET' | 'POST',
    { url, key }: Provider,
    path: string,
    dialect: Dialect,
    sent?: { readonly body: string; readonly of: Pick<ModelRequest, 'session' | 'parent'> },
  ): Promise<HttpResponse> {
    const { session, parent } = sent?.of ?? {};
    const headers = {
      accept: 'application/json, text/event-stream',
      ...(sent && { 'content-type': 'application/json' }),
      ...(session !== undefined && { 'x-session-id': session }),
      ...(parent !== undefined && { 'x-parent-session-id': parent }),
    };
    const answer = await this.#deadline.within(
      this.http
        .request({
          ...{ url: `${url}${path}`, method, body: sent?.body, signal: this.#ended.signal },
          headers: { ...headers, ...dialect.headers(key) },
        })
        .catch((error: unknown) => {
          throw this.failures.network(error);
        }),
    );
    if (answer.status === 200) {
      if (!/html/i.test(answer.headers['content-type'] ?? '')) return answer;
      throw this.failures.badAnswer(`${url}${path} is a web page`);
    }
    const errorBody = await this.text(answer.body, MAX_ERROR).catch(() => '');
    throw this.failures.fromStatus(answer.status, answer.headers, errorBody, this.clock.now());
  }

  /** Reads a whole body. @throws ModelError if it exceeds `most` bytes */
  async text(body: HttpResponse['body'], most = MAX_ANSWER): Promise<string> {
    let text = '';
    for await (const piece of this.#pieces(body, most)) text += piece;
    return text;
  }

  /** Yields the model events of a stream as they arrive, up to the end of the answer. */
  async *events(body: HttpResponse['body'], reader: AnswerReader): AsyncGenerator<ModelEvent> {
    const events: string[] = [];
    const faults: string[] = [];
    const parser = createParser({
      maxBufferSize: MAX_EVENT,
      onEvent: ({ data }) => void events.push(data),
      onError: ({ type }) => void (type === 'max-buffer-size-exceeded' && faults.push(type)),
    });
    for await (const piece of this.#pieces(body, MAX_ANSWER)) {
      parser.feed(piece);
      const { told, isNew, fault } = this.#read(events.splice(0), reader);
      yield* told;
      if (fault !== undefined) throw fault.why;
      if (reader.isOver) return;
      if (faults.length > 0) throw this.#endlessPart();
      // Keep-alive events alone don't extend the deadline.
      if (isNew) this.#deadline.restart();
    }
    yield* reader.end();
  }

  /**
   * Parses events that arrived together, up to the first fault. Joins pieces of text, since each
   * event costs a message.
   */
  #read(events: readonly string[], reader: AnswerReader): ChunkEvents {
    const told: ModelEvent[] = [];
    let isNew = false;
    try {
      for (const data of events) {
        if (data.length > MAX_EVENT) throw this.#endlessPart();
        const some = reader.readEvent(data);
        isNew ||= some !== undefined;
        for (const event of some ?? []) {
          const joined = joinText(told.at(-1), event);
          if (joined === undefined) told.push(event);
          else told[told.length - 1] = joined;
        }
        if (reader.isOver) break;
      }
    } catch (why) {
      return { told, isNew, fault: { why } };
    }
    return { told, isNew };
  }

  #endlessPart(): ModelError {
    return this.failures.badAnswer('one part of its answer has no end');
  }

  async *#pieces(body: HttpResponse['body'], most: number): AsyncGenerator<string> {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    const pieces: AsyncIterator<Uint8Array, unknown> = body[Symbol.asyncIterator]();
    let bytes = 0;
    for (;;) {
      const next = await this.#deadline.within(
        pieces.next().catch(() => {
          throw this.failures.cutOff();
        }),
      );
      if (next.done === true) return;
      bytes += next.value.length;
      if (bytes > most) throw this.failures.badAnswer('its answer has no end');
      yield this.#decode(decoder, next.value);
    }
  }

  #decode(decoder: TextDecoder, bytes: Uint8Array): string {
    try {
      return decoder.decode(bytes, { stream: true });
    } catch {
      throw this.failures.badAnswer('its answer is no text');
    }
  }
}

/** A time limit; it also ends when the signal is aborted. */
class Deadline {
  #cancelTimer: Undo;
  #failure: { readonly why: unknown } | undefined;
  #reject: ((why: unknown) => void) | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly ms: number,
    private readonly makeError: () => Error,
    private readonly signal?: AbortSignal,
  ) {
    this.#cancelTimer = this.#startTimer();
    signal?.addEventListener('abort', this.#aborted, { once: true });
    if (signal?.aborted === true) this.#aborted();
  }

  /**
   * Waits for `work` within the limit; one call at a time.
   * @throws the error of `makeError`, or the signal's reason
   */
  within<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      if (this.#failure !== undefined) this.#fail(this.#failure.why);
      work.then(resolve, reject);
    });
  }

  /** Restarts the countdown. */
  restart(): void {
    this.#cancelTimer();
    if (this.signal?.aborted !== true) this.#failure = undefined;
    this.#cancelTimer = this.#startTimer();
  }

  /** May be called twice. */
  end(): void {
    this.#cancelTimer();
    this.signal?.removeEventListener('abort', this.#aborted);
  }

  #startTimer(): Undo {
    return this.clock.after(this.ms, () => this.#fail(this.makeError()));
  }

  #fail(why: unknown): void {
    this.#failure = { why };
    this.#reject?.(why);
  }

  readonly #aborted = (): void => this.#fail(this.signal?.reason);
}

/** @throws the signal's reason, if it is aborted */
async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  const waited = new Deadline(clock, LONGEST_ASKED_WAIT * 2, () => new Error('late'), signal);
  try {
    await waited.within(new Promise<void>((resolve) => void clock.after(ms, resolve)));
  } finally {
    waited.end();
  }
}

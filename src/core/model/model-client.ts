/** A tool call by the model. */
export interface ModelCall {
  readonly id: string;
  readonly name: string;
  /** as the model wrote it: usually valid JSON */
  readonly args: string;
  /** data to send back unchanged with the call: Google signs its calls */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * A block of thinking that goes back unchanged: the next `length` UTF-16 units of the thinking with
 * their signature, or one that the provider encrypted.
 */
export type SignedBlock =
  { readonly length: number; readonly signature: string } | { readonly data: string };

export type ModelMessage =
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly calls: readonly ModelCall[];
      readonly thinking?:
        { readonly text: string; readonly signed: readonly SignedBlock[] } | undefined;
    }
  | {
      readonly role: 'tool';
      readonly callId: string;
      readonly output: string;
      readonly failed: boolean;
    };

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments */
  readonly schema: object;
}

export interface ModelRequest {
  /** the provider's id of the model */
  readonly model: string;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  /** maximum tokens of the answer */
  readonly maxOutput?: number | undefined;
  /** the maximum for a provider that requires one, if `maxOutput` is absent */
  readonly answerLimit?: number | undefined;
  /** id of the session, sent as `x-session-id`, by which providers find their caches again */
  readonly session?: string | undefined;
  /** id of the session that started this one, sent as `x-parent-session-id` */
  readonly parent?: string | undefined;
}

/** In tokens; `input` includes what was read from or written to the provider's cache. */
export interface ModelUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** `length`: the answer was cut; `refused`: by the provider's content filter. */
export type ModelStop = 'end' | 'calls' | 'length' | 'refused';

export type ModelEvent =
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'thinking'; readonly delta: string }
  /** All blocks of thinking, if the provider signs them and they come before all else. */
  | { readonly type: 'signed'; readonly blocks: readonly SignedBlock[] }
  /** A complete call; there may be several. */
  | { readonly type: 'call'; readonly call: ModelCall }
  | { readonly type: 'usage'; readonly usage: ModelUsage }
  /** The last event, exactly once. */
  | { readonly type: 'stop'; readonly reason: ModelStop };

export interface ModelInfo {
  readonly id: string;
  readonly name: string;
  /** tokens, if the provider reports them */
  readonly context?: number | undefined;
  readonly output?: number | undefined;
  readonly price?: ModelPrice | undefined;
}

/**
 * US dollars per million tokens, if the provider reports them; cache reads and writes have prices
 * of their own.
 */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** US dollars; undefined if a price of these tokens is unknown. */
export function costOf(usage: ModelUsage, price: ModelPrice | undefined): number | undefined {
  if (price === undefined) return undefined;
  const { input, output, cacheRead, cacheWrite } = usage;
  const parts = [
    [Math.max(0, input - cacheRead - cacheWrite), price.input],
    [cacheRead, price.cacheRead],
    [cacheWrite, price.cacheWrite],
    [output, price.output],
  ] as const;
  if (parts.some(([tokens, dollars]) => tokens > 0 && dollars === undefined)) return undefined;
  return parts.reduce((sum, [tokens, dollars = 0]) => sum + tokens * dollars, 0) / 1_000_000;
}

export type ModelErrorCode =
  | 'auth'
  | 'quota'
  | 'rate_limit'
  | 'context_too_long'
  | 'overloaded'
  | 'refused'
  | 'not_found'
  | 'network'
  | 'bad_answer';

/** A failed request to a provider; the message is for the person and never contains a key. */
export class ModelError extends Error {
  constructor(
    readonly code: ModelErrorCode,
    message: string,
    /** ms after which the provider allows another try, if it says so */
    readonly retryAfter?: number,
    /** whether a later try may succeed; the client has retried already, if it could */
    readonly retryable = false,
  ) {
    super(message);
    this.name = 'ModelError';
  }
}

/** A failed request that is about to be sent again. */
export interface ModelRetry {
  /** number of the retry, from 1 */
  readonly attempt: number;
  readonly why: ModelError;
  /** ms until the retry */
  readonly wait: number;
}

export interface ModelClient {
  /** @throws ModelError */
  models(): Promise<readonly ModelInfo[]>;
  /**
   * Requests one answer and yields its events as they arrive. A request that fails before the first
   * event is retried.
   * @param retrying called before each wait for a retry
   * @throws ModelError; if `signal` is aborted, its reason
   */
  stream(
    request: ModelRequest,
    signal: AbortSignal,
    retrying?: (retry: ModelRetry) => void,
  ): AsyncIterable<ModelEvent>;
}

export interface HttpRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  /** names in lower case */
  readonly headers: Readonly<Record<string, string>>;
  /** chunks as they arrive, UTF-8 split anywhere; a single chunk if the host can't stream */
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * How the core reaches a provider. Follows no redirects, and rejects certificates that can't be
 * verified.
 */
export interface Http {
  /** false if answers arrive only as a whole, as on the phone */
  readonly streams: boolean;
  /** @throws Error if there was no answer */
  request(request: HttpRequest): Promise<HttpResponse>;
}

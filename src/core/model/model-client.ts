/** A call of a tool by the model. */
export interface ModelCall {
  readonly id: string;
  readonly name: string;
  /** as the model wrote it: JSON, if it kept to it */
  readonly args: string;
  /** what the provider wants back unchanged with the call: Google signs its calls */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
}

export type ModelMessage =
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant';
      readonly text: string;
      readonly calls: readonly ModelCall[];
      /** what the provider wants back unchanged with the next request */
      readonly thinking?: { readonly text: string; readonly signature: string } | undefined;
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
  /** as the provider names it */
  readonly model: string;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  /** tokens of the answer */
  readonly maxOutput?: number | undefined;
  /** the conversation that it is of: told in the header `x-session-id`, by which caches are found again */
  readonly session?: string | undefined;
  /** the conversation that started it, in the header `x-parent-session-id` */
  readonly parent?: string | undefined;
}

/** Tokens; `input` holds what was read from the provider's cache too. */
export interface ModelUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** `length`: the answer was cut; `refused`: the provider's filter. */
export type ModelStop = 'end' | 'calls' | 'length' | 'refused';

export type ModelEvent =
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'thinking'; readonly delta: string }
  /** Thinking as a whole, where the provider signs it. */
  | { readonly type: 'signed'; readonly text: string; readonly signature: string }
  /** One call as a whole; several may come. */
  | { readonly type: 'call'; readonly call: ModelCall }
  | { readonly type: 'usage'; readonly usage: ModelUsage }
  /** The last event, exactly once. */
  | { readonly type: 'stop'; readonly reason: ModelStop };

export interface ModelInfo {
  readonly id: string;
  readonly name: string;
  /** tokens, where the provider tells */
  readonly context?: number | undefined;
  readonly output?: number | undefined;
  readonly price?: ModelPrice | undefined;
}

/** Dollars for a million tokens, where the provider tells: of input that a cache holds, or has to take, apart. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** Dollars; undefined where a price of these tokens is not known. */
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

/** What went wrong with a provider, in words for the person; it never holds a key. */
export class ModelError extends Error {
  constructor(
    readonly code: ModelErrorCode,
    message: string,
    /** ms, where the provider says when to try again */
    readonly retryAfter?: number,
    /** whether it may be over soon; the client tried again already, where it could */
    readonly passing = false,
  ) {
    super(message);
    this.name = 'ModelError';
  }
}

/** A request that failed and is sent again. */
export interface ModelRetry {
  /** from 1 */
  readonly attempt: number;
  readonly why: ModelError;
  /** ms until then */
  readonly wait: number;
}

export interface ModelClient {
  /** @throws ModelError */
  models(): Promise<readonly ModelInfo[]>;
  /**
   * Asks for one answer and tells it as it comes. What failed before the first event is tried again.
   * @param retrying called before each wait for another try
   * @throws ModelError; where `signal` is aborted, its reason
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

export interface HttpAnswer {
  readonly status: number;
  /** names in lower case */
  readonly headers: Readonly<Record<string, string>>;
  /** as it comes, UTF-8 cut anywhere; all at once where the host can't stream */
  readonly body: AsyncIterable<Uint8Array>;
}

/** How the core reaches a provider. It follows no redirect and accepts no certificate that can't be verified. */
export interface Http {
  /** false: an answer comes as a whole, on the phone */
  readonly streams: boolean;
  /** @throws Error where no answer came */
  request(request: HttpRequest): Promise<HttpAnswer>;
}

import type { ModelCall, ModelEvent, ModelRequest, ModelStop, ModelUsage } from './model-client';
import type { ModelErrorFactory } from './model-error-factory';
import type { Provider } from './provider';

/** The API of a kind of provider: how to write a request and read an answer. */
export interface Dialect {
  /** path of the endpoint for answers, below the provider's address */
  readonly path: string;
  /** path of the list of models */
  readonly modelsPath: string;
  headers(key: string | undefined): Readonly<Record<string, string>>;
  body(request: ModelRequest, provider: Provider, streams: boolean): object;
  reader(failures: ModelErrorFactory, newId: () => string): AnswerReader;
}

/** Parses one answer. */
export interface AnswerReader {
  /** whether the end of the answer has been read */
  readonly isOver: boolean;
  /**
   * Parses one event of the stream.
   * @returns its model events; undefined if it has no content, as a ping
   * @throws ModelError
   */
  readEvent(data: string): readonly ModelEvent[] | undefined;
  /** Parses an answer that was not streamed. @throws ModelError */
  readWhole(text: string): readonly ModelEvent[];
  /** Call when the stream ends. @throws ModelError if the answer is not complete */
  end(): readonly ModelEvent[];
}

/**
 * The last events of an answer. If it was cut or refused it has no calls: the last one may be
 * incomplete, even if it looks whole.
 */
export function lastEvents(
  calls: readonly ModelCall[],
  stop: ModelStop,
  usage: ModelUsage | undefined,
): readonly ModelEvent[] {
  const isWhole = stop === 'end' || stop === 'calls';
  const sent = isWhole ? calls : [];
  const reason = !isWhole ? stop : sent.length > 0 ? 'calls' : 'end';
  return [
    ...sent.map((call) => ({ type: 'call', call }) as const),
    ...(usage === undefined ? [] : [{ type: 'usage', usage } as const]),
    { type: 'stop', reason },
  ];
}

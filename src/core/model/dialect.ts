import type { ModelEvent, ModelRequest } from './model-client';
import type { Failures } from './model-failure';
import type { Provider } from './provider';

/** How a kind of provider is asked, and understood. */
export interface Dialect {
  /** below the provider's address */
  readonly path: string;
  /** of its list of models */
  readonly models: string;
  headers(key: string | undefined): Readonly<Record<string, string>>;
  body(request: ModelRequest, provider: Provider, streams: boolean): object;
  reader(failures: Failures, newId: () => string): AnswerReader;
}

/** Reads one answer. */
export interface AnswerReader {
  /** whether it told that the answer is over */
  readonly isOver: boolean;
  /**
   * One event of the stream.
   * @returns what it tells; undefined where it says nothing, as a ping
   * @throws ModelError
   */
  take(data: string): readonly ModelEvent[] | undefined;
  /** An answer that came as a whole. @throws ModelError */
  whole(text: string): readonly ModelEvent[];
  /** The stream ended. @throws ModelError where the answer did not */
  end(): readonly ModelEvent[];
}

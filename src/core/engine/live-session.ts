import { MAX_ID } from '../../protocol/fields';
import type { ModelCall } from '../model/model-client';
import { StoreError, type Log } from '../ports';
import type { FromDraft } from './engine';
import type { EngineRule } from './engine-agent';
import type { LiveAnswer } from './live-answer';
import { PersonRequests } from './person-requests';
import type { LoggedCall, LoggedPrompt, SessionFacts, LogRecord } from './session-log';
import { FULL_MESSAGE, type EngineSessionStore } from './session-store';

interface LiveSessionServices {
  readonly store: Pick<EngineSessionStore, 'add'>;
  readonly log: Log;
  readonly publish: (draft: FromDraft) => void;
  /**
   * Resolves after the other pending tasks of the event loop. Records added until then share one
   * write.
   */
  readonly pause?: (() => Promise<void>) | undefined;
}

/** Maximum characters of a tool's name that all providers accept. */
const MAX_TOOL_NAME = 64;

interface Batch {
  readonly records: LogRecord[];
  readonly done: Promise<void>;
}

export interface EngineTurnEnd {
  readonly messageId?: string | undefined;
  readonly reason: 'completed' | 'interrupted' | 'error';
  readonly error?: { readonly code: string; readonly message: string } | undefined;
}

export type TurnProgress = Extract<
  Extract<FromDraft, { type: 'progress.update' }>['payload'],
  { kind: 'busy' | 'retry' }
>;

/** A running turn. */
export interface RunningTurn {
  readonly kind: 'prompt' | 'compaction';
  /** the answer that is being written */
  readonly live: LiveAnswer | undefined;
  /** ids of the running calls, each with the session of the subagent that it started */
  readonly running: ReadonlyMap<string, string | undefined>;
  /** its status; `retry`: it waits to ask the model again */
  readonly progress: TurnProgress;
  /** Runs the turn to its end; never rejects. */
  run(): Promise<void>;
  /** Stops the turn now; later results are ignored. @returns the end to report */
  interrupt(): EngineTurnEnd;
}

/** A session in memory, with all its records. New records are written in order. */
export class LiveSession {
  readonly requests: PersonRequests;
  readonly allowed: EngineRule[] = [];
  readonly records: LogRecord[];
  turn: RunningTurn | undefined;
  /** called at the end of the turn */
  onTurnEnd: ((end: EngineTurnEnd) => void) | undefined;
  #writing: Promise<unknown> = Promise.resolve();
  /** the next write, which can still take records */
  #batch: Batch | undefined;
  #open = 0;
  /** ids of all calls that were made here */
  readonly #calls: Set<string>;

  /**
   * @param size bytes of its file that were read or written here; if the file has another size,
   *   another program wrote to it
   */
  constructor(
    public facts: SessionFacts,
    records: readonly LogRecord[],
    public size: number,
    private readonly services: LiveSessionServices,
  ) {
    this.records = [...records];
    const made = records.flatMap((one) => (one.kind === 'answer' ? one.calls : []));
    this.#calls = new Set(made.map(({ id }) => id));
    this.requests = new PersonRequests(services.publish, services.log);
  }

  /** Runs `task`; until it settles, the session is not idle. */
  async keep<T>(task: () => Promise<T>): Promise<T> {
    this.#open += 1;
    try {
      return await task();
    } finally {
      this.#open -= 1;
    }
  }

  /** Whether no turn, no write and no task is under way. */
  isIdle(): boolean {
    return this.turn === undefined && this.#open === 0;
  }

  /** Resolves when the record is on disk. @throws StoreError */
  record(record: LogRecord): Promise<void> {
    this.records.push(record);
    return this.#write(record);
  }

  /** Adds a prompt once it is on disk. @throws StoreError */
  async addPrompt(prompt: LoggedPrompt): Promise<void> {
    await this.#write(prompt);
    this.records.push(prompt);
  }

  /** Resolves when all records are written, or have failed to be. */
  async whenWritten(): Promise<void> {
    await this.#writing;
  }

  /**
   * The call with an id that is unique in the session: some providers number the calls of each
   * answer anew.
   */
  toLoggedCall(call: ModelCall, messageId: string): LoggedCall {
    const { args, extra } = call;
    // Providers refuse a request in which an earlier call has another kind of name.
    const name = call.name.replace(/[^\w-]/g, '_').slice(0, MAX_TOOL_NAME);
    const isFit = call.id !== '' && call.id.length <= MAX_ID && !this.#calls.has(call.id);
    const id = isFit ? call.id : `${messageId}_call${this.#calls.size}`;
    this.#calls.add(id);
    return { id, name, args, ...(extra && { extra: { ...extra } }) };
  }

  /** Prompts are written alone, since the store refuses a prompt in a nearly full session. */
  #write(record: LogRecord): Promise<void> {
    const isPrompt = record.kind === 'prompt';
    const batch = (isPrompt ? undefined : this.#batch) ?? this.#newBatch();
    batch.records.push(record);
    this.#batch = isPrompt ? undefined : batch;
    return batch.done;
  }

  #newBatch(): Batch {
    const { store, log, pause } = this.services;
    const { id: sessionId } = this.facts;
    const records: LogRecord[] = [];
    this.#open += 1;
    const done = this.#writing.then(async () => {
      await pause?.();
      if (this.#batch?.records === records) this.#batch = undefined;
      const { bytes, fit } = await store.add(sessionId, records);
      this.size += bytes;
      if (!fit) throw new StoreError('too_large', FULL_MESSAGE);
    });
    this.#writing = done
      .catch((error: unknown) =>
        log.note('What was said in a session could not be kept.', {
          ...{ at: 'session.write', severity: 'error', sessionId, error: String(error) },
        }),
      )
      .finally(() => (this.#open -= 1));
    return { records, done };
  }
}

import { MAX_ID } from '../../protocol/fields';
import type { ModelCall } from '../model/model-client';
import type { Log } from '../ports';
import type { FromDraft } from './engine';
import type { EngineRule } from './engine-agent';
import type { LiveAnswer } from './live-answer';
import { PersonRequests } from './person-requests';
import type { LoggedCall, LoggedPrompt, SessionFacts, LogRecord } from './session-log';
import type { EngineSessionStore } from './session-store';

interface LiveSessionServices {
  readonly store: Pick<EngineSessionStore, 'add' | 'stamp'>;
  readonly log: Log;
  readonly tell: (draft: FromDraft) => void;
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

/** A turn that runs. */
export interface RunningTurn {
  readonly kind: 'prompt' | 'compaction';
  /** what is written at the moment */
  readonly live: LiveAnswer | undefined;
  /** the calls that run at the moment by their ids, with the session of the sub-agent that each started */
  readonly running: ReadonlyMap<string, string | undefined>;
  /** what it does; `retry`: it waits to ask the model again */
  readonly progress: TurnProgress;
  /** Runs it to its end; never rejects. */
  run(): Promise<void>;
  /** Breaks it off, now: nothing that comes later counts. @returns the end to tell */
  interrupt(): EngineTurnEnd;
}

/** A session in memory, with all that was said in it. What is added is written in that order. */
export class LiveSession {
  readonly requests: PersonRequests;
  readonly allowed: EngineRule[] = [];
  readonly records: LogRecord[];
  turn: RunningTurn | undefined;
  /** who waits for the end of the turn */
  waiting: ((end: EngineTurnEnd) => void) | undefined;
  #writing: Promise<unknown> = Promise.resolve();
  #open = 0;
  /** ids of all calls that were made here */
  readonly #calls: Set<string>;

  /** @param size bytes of its file, which somebody else wrote to where they are others later */
  constructor(
    public facts: SessionFacts,
    records: readonly LogRecord[],
    public size: number,
    private readonly services: LiveSessionServices,
  ) {
    this.records = [...records];
    const made = records.flatMap((one) => (one.kind === 'answer' ? one.calls : []));
    this.#calls = new Set(made.map(({ id }) => id));
    this.requests = new PersonRequests(services.tell);
  }

  /** Whether nothing of it is under way. */
  rests(): boolean {
    return this.turn === undefined && this.#open === 0;
  }

  /** Settles when it is on the disk. @throws StoreError */
  record(record: LogRecord): Promise<void> {
    this.records.push(record);
    return this.#write(record);
  }

  /** A prompt counts once it is on the disk. @throws StoreError */
  async take(prompt: LoggedPrompt): Promise<void> {
    await this.#write(prompt);
    this.records.push(prompt);
  }

  /** When all that was added is written, or could not be. */
  async written(): Promise<void> {
    await this.#writing;
  }

  /** A call under an id that no other has here: some providers number those of each answer anew. */
  ownCall(call: ModelCall, messageId: string): LoggedCall {
    const { name, args, extra } = call;
    const isFit = call.id !== '' && call.id.length <= MAX_ID && !this.#calls.has(call.id);
    const id = isFit ? call.id : `${messageId}_call${this.#calls.size}`;
    this.#calls.add(id);
    return { id, name, args, ...(extra && { extra: { ...extra } }) };
  }

  #write(record: LogRecord): Promise<void> {
    const { store, log } = this.services;
    const { id: sessionId } = this.facts;
    this.#open += 1;
    const done = this.#writing.then(async () => {
      await store.add(sessionId, record);
      this.size = (await store.stamp(sessionId)).size;
    });
    this.#writing = done
      .catch((error: unknown) =>
        log.note('What was said in a session could not be kept.', {
          ...{ at: 'session.write', severity: 'error', sessionId, error: String(error) },
        }),
      )
      .finally(() => (this.#open -= 1));
    return done;
  }
}

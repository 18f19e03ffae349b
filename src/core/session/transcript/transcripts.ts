import type { Log, Undo } from '../../ports';
import { Listeners } from '../listeners';
import type { SessionEventBus } from '../session-event-bus';
import type { SessionRuntime, SnapshotPage } from '../bridge-runtime';
import type { Block, TokenUse, Transcript } from './transcript';
import { snapshotBlocks, type BoardUpdate } from './message-blocks';
import { TranscriptBuilder } from './transcript-builder';

export interface TranscriptsDeps {
  readonly bus: SessionEventBus;
  readonly runtime: Pick<SessionRuntime, 'history'>;
  readonly log: Log;
}

/** A transcript as stored on disk. */
export interface StoredTranscript {
  readonly blocks: readonly Block[];
  readonly older: boolean;
  readonly tokens?: TokenUse | undefined;
}

/** Messages per request for history. */
const HISTORY_PAGE = 100;
/** Maximum requests of `catchUp`; a longer gap stays. */
const MAX_HISTORY_REQUESTS = 10;

/** The transcripts of sessions with events since the start, or restored from disk. */
export class Transcripts {
  readonly #builders = new Map<string, TranscriptBuilder>();
  readonly #listeners = new Map<string, Listeners<Transcript>>();
  readonly #changed: Listeners<string>;
  /** sessions whose listeners are called in the next microtask */
  readonly #scheduled = new Set<string>();
  readonly #loading = new Map<string, Promise<void>>();
  readonly #undo: Undo;

  constructor(private readonly deps: TranscriptsDeps) {
    this.#changed = new Listeners((error) => this.#fault(error));
    this.#undo = deps.bus.onAll((event) => {
      if (this.#builder(event.sessionId).apply(event)) this.#notify(event.sessionId);
    });
  }

  /** The session's transcript; empty if nothing is known of it. */
  get(sessionId: string): Transcript {
    return this.#builder(sessionId).transcript;
  }

  /** Ids of the sessions with a transcript in memory. */
  sessions(): readonly string[] {
    return [...this.#builders.keys()];
  }

  /** Whether the session's transcript is in memory. */
  has(sessionId: string): boolean {
    return this.#builders.has(sessionId);
  }

  /** Whether anyone listens to the session's transcript. */
  isWatched(sessionId: string): boolean {
    return this.#listeners.get(sessionId)?.isEmpty === false;
  }

  /** Calls the listener at most once per microtask, with the transcript as it is then. */
  onChange(sessionId: string, listener: (transcript: Transcript) => void): Undo {
    let listeners = this.#listeners.get(sessionId);
    if (listeners === undefined) {
      listeners = new Listeners((error) => this.#fault(error));
      this.#listeners.set(sessionId, listeners);
    }
    return listeners.add(listener);
  }

  /**
   * Calls the listener synchronously with the id of a session whose transcript changed; it must be
   * cheap.
   */
  onAny(listener: (sessionId: string) => void): Undo {
    return this.#changed.add(listener);
  }

  /** Adds a change of one of the session's boards. */
  boardChanged(sessionId: string, news: BoardUpdate): void {
    this.#builder(sessionId).board(news);
    this.#notify(sessionId);
  }

  /** Restores a stored transcript; its blocks are merged with those received since the start. */
  restore(sessionId: string, kept: StoredTranscript): void {
    this.#builder(sessionId).addPast(kept.blocks, kept.older, kept.tokens);
    this.#notify(sessionId);
  }

  /** Drops a session's transcript from memory that is stored; `restore` brings it back. */
  release(sessionId: string): void {
    this.#builders.delete(sessionId);
  }

  /** Drops the session's transcript. */
  forget(sessionId: string): void {
    if (this.#builders.delete(sessionId)) this.#notify(sessionId);
  }

  /**
   * Requests the messages before the oldest known one.
   * @throws WireError like `SessionRuntime.history`
   */
  loadOlder(sessionId: string): Promise<void> {
    const loading = this.#loading.get(sessionId);
    if (loading !== undefined) return loading;
    const load = this.#loadOlder(sessionId).finally(() => this.#loading.delete(sessionId));
    this.#loading.set(sessionId, load);
    return load;
  }

  /**
   * Requests the newest messages, and earlier ones until they meet a known one: for a session that
   * continued while the plugin was not connected.
   * @throws WireError like `SessionRuntime.history`
   */
  async catchUp(sessionId: string): Promise<void> {
    const known = new Set(this.get(sessionId).blocks.flatMap(messageOf));
    let before: string | undefined;
    for (let looks = 0; looks < MAX_HISTORY_REQUESTS; looks++) {
      const pages = await this.deps.runtime.history(sessionId, before, HISTORY_PAGE);
      const messages = pages.flatMap(({ state }) => state.messages);
      const older = messages.length >= HISTORY_PAGE;
      const met = messages.some(({ messageId }) => known.has(messageId));
      this.#addPast(sessionId, pages, met ? this.get(sessionId).older : older);
      if (met || !older || known.size === 0) return;
      before = messages[0]?.messageId;
    }
  }

  close(): void {
    this.#undo();
    this.#changed.clear();
    for (const listeners of this.#listeners.values()) listeners.clear();
  }

  async #loadOlder(sessionId: string): Promise<void> {
    const before = this.get(sessionId).blocks.flatMap(messageOf)[0];
    const pages = await this.deps.runtime.history(sessionId, before, HISTORY_PAGE);
    const count = pages.reduce((sum, { state }) => sum + state.messages.length, 0);
    this.#addPast(sessionId, pages, count >= HISTORY_PAGE);
  }

  #addPast(sessionId: string, pages: readonly SnapshotPage[], older: boolean): void {
    const past = pages.flatMap(({ state: { messages } }) => {
      return snapshotBlocks({ messages, status: 'idle' });
    });
    this.#builder(sessionId).addPast(past, older);
    this.#notify(sessionId);
  }

  #builder(sessionId: string): TranscriptBuilder {
    let builder = this.#builders.get(sessionId);
    if (builder === undefined) {
      builder = new TranscriptBuilder(sessionId);
      this.#builders.set(sessionId, builder);
    }
    return builder;
  }

  #notify(sessionId: string): void {
    this.#changed.call(sessionId);
    if (this.#scheduled.has(sessionId) || !this.#listeners.has(sessionId)) return;
    this.#scheduled.add(sessionId);
    void Promise.resolve().then(() => {
      this.#scheduled.delete(sessionId);
      this.#listeners.get(sessionId)?.call(this.get(sessionId));
    });
  }

  #fault(error: unknown): void {
    this.deps.log.note('A listener of a transcript threw.', {
      at: 'session.listener',
      severity: 'error',
      error: String(error),
    });
  }
}

function messageOf(block: Block): readonly string[] {
  return 'messageId' in block ? [block.messageId] : [];
}

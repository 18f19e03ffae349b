import { WireError } from '../../protocol/wire-error';
import type { Clock, Log, Undo } from '../ports';
import type { FromDraft } from './engine';
import { LiveSession } from './live-session';
import {
  isTurnOpen,
  newestAnswer,
  newestPrompt,
  unfinishedAnswer,
  unsentPrompts,
  type SessionFacts,
} from './session-log';
import type { EngineSessionStore } from './session-store';

/** Maximum sessions in memory, unless more of them are working. */
const MAX_IN_MEMORY = 50;

/**
 * Time after which an idle session is dropped from memory, and time between two checks for those,
 * ms.
 */
const MAX_IDLE_TIME = 30 * 60_000;
const CLEAN_EVERY = 5 * 60_000;

interface LiveSessionsServices {
  readonly store: EngineSessionStore;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly log: Log;
  readonly publish: (draft: FromDraft) => void;
  readonly pause?: (() => Promise<void>) | undefined;
}

/** The sessions in memory, the most recently used last; read from disk on first use. */
export class LiveSessions {
  readonly #sessions = new Map<string, { readonly session: LiveSession; readonly used: number }>();
  readonly #reading = new Map<string, Promise<LiveSession>>();
  #undo: Undo | undefined;

  constructor(private readonly services: LiveSessionsServices) {}

  get all(): readonly LiveSession[] {
    return [...this.#sessions.values()].map(({ session }) => session);
  }

  loaded(id: string): LiveSession | undefined {
    return this.#sessions.get(id)?.session;
  }

  /** @throws WireError `unknown_session`; StoreError */
  async get(id: string): Promise<LiveSession> {
    const known = this.loaded(id);
    if (known !== undefined && !(await this.#isStale(known))) return this.#used(id, known);
    const reading = this.#reading.get(id) ?? this.#read(id);
    this.#reading.set(id, reading);
    return reading.finally(() => this.#reading.delete(id));
  }

  /** Adds a session that was just stored and has no records yet. */
  add(facts: SessionFacts): void {
    this.#used(facts.id, new LiveSession(facts, [], 0, this.services));
  }

  async drop(id: string): Promise<void> {
    await this.loaded(id)?.whenWritten();
    this.#sessions.delete(id);
  }

  close(): void {
    this.#undo?.();
    this.#undo = undefined;
  }

  /** Whether another program that works on the same vault has written to the session or deleted it. */
  async #isStale(session: LiveSession): Promise<boolean> {
    if (!session.isIdle()) return false;
    const { size, mtime } = await this.services.store.stamp(session.facts.id);
    return session.isIdle() && (size !== session.size || mtime === 0);
  }

  async #read(id: string): Promise<LiveSession> {
    const { store, clock } = this.services;
    const facts = await store.facts(id);
    if (facts === undefined) throw new WireError('unknown_session', `There is no session ${id}.`);
    const { size } = await store.stamp(id);
    const records = await store.records(id);
    const prompt = isTurnOpen(records) ? newestPrompt(records) : undefined;
    const last = newestAnswer(records);
    // The prompt that began the turn was sent; those that arrived during it were not.
    const sent = last?.end === 'calls' ? last.prompt : (unsentPrompts(records)[0]?.id ?? '');
    const how = { end: 'interrupted', sent } as const;
    // The program of the turn died, or still runs elsewhere, so the end is not written to disk.
    const ended = prompt && unfinishedAnswer(prompt, `${prompt.id}_end`, clock.now(), how);
    const whole = ended === undefined ? records : [...records, ended];
    const now = this.loaded(id);
    if (now?.isIdle() === false) return now;
    const session = new LiveSession(facts, whole, size, this.services);
    return this.#used(id, session);
  }

  #used(id: string, session: LiveSession): LiveSession {
    this.#sessions.delete(id);
    this.#sessions.set(id, { session, used: this.services.clock.now() });
    this.#clean(MAX_IN_MEMORY);
    this.#undo ??= this.services.clock.after(CLEAN_EVERY, () => this.#cleanLater());
    return session;
  }

  #cleanLater(): void {
    this.#undo = undefined;
    const since = this.services.clock.now() - MAX_IDLE_TIME;
    for (const [id, { session, used }] of this.#sessions) {
      if (used > since) break;
      if (session.isIdle()) this.#sessions.delete(id);
    }
    if (this.#sessions.size > 0) {
      this.#undo = this.services.clock.after(CLEAN_EVERY, () => this.#cleanLater());
    }
  }

  #clean(max: number): void {
    for (const [id, { session }] of this.#sessions) {
      if (this.#sessions.size <= max) return;
      if (session.isIdle()) this.#sessions.delete(id);
    }
  }
}

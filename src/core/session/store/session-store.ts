import { StoreError, type Clock, type Undo } from '../../ports';
import { Listeners } from '../listeners';
import type { Session } from '../session';
import type { Transcripts } from '../transcript/transcripts';
import {
  NEW_HEAD,
  planPages,
  SessionFiles,
  type StoredHead,
  type StoredSession,
  type Page,
  type SessionFilesDeps,
} from './session-files';

export interface SessionStoreDeps extends SessionFilesDeps {
  readonly clock: Clock;
  readonly transcripts: Transcripts;
  /** the current state of a session */
  readonly session: (id: string) => Session | undefined;
}

/** Time between two saves, ms. */
export const SAVE_EVERY = 5_000;
/** If only `lastActive` changed, the head is saved after this time, ms. */
const ACTIVITY_EVERY = 60_000;
/** Maximum transcripts in memory that are stored and that nobody needs; the oldest uses go first. */
const MAX_AT_REST = 50;
const DAY = 86_400_000;

/** The files of a session, as last read or written. */
interface Saved {
  readonly pages: readonly Page[];
  readonly free: number;
}

/**
 * Sessions and their transcripts on disk. Changes are saved at most every 5 s, page by page, each
 * write atomic; a transcript is read when it is opened, or when something is added to it.
 */
export class SessionStore {
  readonly files: SessionFiles;
  #heads = new Map<string, StoredHead>();
  /** of the sessions whose transcripts are in memory, in order of their last use */
  readonly #saved = new Map<string, Saved>();
  readonly #dirty = new Set<string>();
  readonly #changed: Listeners<void>;
  readonly #undos: Undo[];
  #undoTimer: Undo | undefined;
  /** serializes all operations */
  #work: Promise<unknown> = Promise.resolve();
  #failureReported = false;

  constructor(private readonly deps: SessionStoreDeps) {
    this.files = new SessionFiles(deps);
    this.#changed = new Listeners((error) => deps.notify(String(error)));
    this.#undos = [deps.transcripts.onAny((id) => this.markDirty(id))];
  }

  /** Reads the heads of all stored sessions. Those that can't be read are reported and skipped. */
  load(): Promise<void> {
    return this.#run(async () => {
      for (const id of await this.files.ids()) await this.#loadHead(id);
      this.#changed.call();
    });
  }

  /** Reads one head; a failure does not affect the other sessions. */
  async #loadHead(id: string): Promise<void> {
    try {
      const head = await this.files.head(id);
      if (head !== undefined && !this.#heads.has(id)) this.#heads.set(id, head);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.deps.notify(`What is kept of session ${id} can't be read: ${error.message}`);
    }
  }

  /** By activity, the most recent last. */
  list(): readonly StoredSession[] {
    return [...this.#heads]
      .map(([id, head]) => ({ id, ...head }))
      .sort((a, b) => a.lastActive - b.lastActive);
  }

  onChange(listener: () => void): Undo {
    return this.#changed.add(listener);
  }

  /** Restores a session's transcript, unless it is in memory; does nothing if none is stored. */
  open(sessionId: string): Promise<void> {
    return this.#run(() => this.#open(sessionId));
  }

  /** Call when the session changed; it is saved within 5 s. */
  markDirty(sessionId: string): void {
    if (!this.files.fits(sessionId)) return;
    this.#dirty.add(sessionId);
    this.#scheduleFlush(SAVE_EVERY);
  }

  /**
   * Saves all changes at once. A failure of the disk does not affect the other sessions; it is
   * reported, and retried later.
   */
  flush(): Promise<void> {
    this.#undoTimer?.();
    this.#undoTimer = undefined;
    return this.#run(async () => {
      let failure: StoreError | undefined;
      for (const id of [...this.#dirty]) {
        try {
          await this.#save(id);
        } catch (error) {
          if (!(error instanceof StoreError)) throw error;
          failure ??= error;
        }
      }
      if (failure !== undefined) throw failure;
    });
  }

  /** Stores the title that the person set. @param isSynced whether OpenCode has it too */
  rename(sessionId: string, title: string, isSynced: boolean): Promise<void> {
    return this.#run(async () => {
      const { renamed, ...head } = this.#heads.get(sessionId) ?? this.#headOf(sessionId);
      void renamed;
      await this.#writeHead(sessionId, { ...head, title, ...(!isSynced && { renamed: true }) });
    });
  }

  /** Removes a session with its files; its boards stay. */
  remove(sessionId: string): Promise<void> {
    return this.#run(() => this.#remove(sessionId));
  }

  /**
   * Removes stored sessions without activity for `days` days, except those for which `used` returns
   * true; 0 keeps all.
   * @returns the number removed
   */
  async cleanUp(days: number, used: (sessionId: string) => boolean): Promise<number> {
    if (days === 0) return 0;
    const since = this.deps.clock.now() - days * DAY;
    const old = this.list().filter(
      ({ id, lastActive }) => lastActive < since && !used(id) && !this.#dirty.has(id),
    );
    let removed = 0;
    for (const { id } of old) {
      await this.#run(async () => {
        // Another device that shares the vault may have continued it.
        const now = await this.files.head(id);
        if (now !== undefined && now.lastActive >= since) return void this.#heads.set(id, now);
        await this.#remove(id);
        removed += 1;
      });
    }
    return removed;
  }

  /** Stops listening; call `flush` before or after to save the last changes. */
  close(): void {
    for (const undo of this.#undos) undo();
    this.#undoTimer?.();
    this.#changed.clear();
  }

  #scheduleFlush(after: number): void {
    this.#undoTimer ??= this.deps.clock.after(after, () => void this.flush());
  }

  /** Runs tasks one after another. A failure of the disk is reported once until it works again. */
  #run(task: () => Promise<void>): Promise<void> {
    const run = this.#work.then(async () => {
      try {
        await task();
        this.#release();
        this.#failureReported = false;
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        if (!this.#failureReported)
          this.deps.notify(`Conversations are not kept now: ${error.message}`);
        this.#failureReported = true;
        if (this.#dirty.size > 0) this.#scheduleFlush(SAVE_EVERY);
      }
    });
    this.#work = run.catch(() => undefined); // the caller gets the error
    return run;
  }

  /** Takes transcripts out of memory that nobody needs. */
  #release(): void {
    const atRest = [...this.#saved.keys()].filter((id) => {
      const { kind } = this.deps.session(id)?.state ?? { kind: 'idle' };
      const isActive = kind === 'busy' || kind === 'retry' || this.#dirty.has(id);
      return !isActive && !this.deps.transcripts.isWatched(id);
    });
    for (const id of atRest.slice(0, -MAX_AT_REST)) {
      this.#saved.delete(id);
      this.deps.transcripts.release(id);
    }
  }

  #keep(sessionId: string, saved: Saved): void {
    this.#saved.delete(sessionId);
    this.#saved.set(sessionId, saved);
  }

  async #open(sessionId: string): Promise<void> {
    const known = this.#saved.get(sessionId);
    if (known !== undefined) return this.#keep(sessionId, known);
    if (!this.files.fits(sessionId)) return;
    const head = this.#heads.get(sessionId) ?? (await this.files.head(sessionId));
    const { pages, blocks, damaged, free } = await this.files.pages(sessionId, head?.pages ?? []);
    this.#keep(sessionId, { pages, free });
    if (head === undefined && blocks.length === 0) return;
    const { older, tokens } = head ?? NEW_HEAD;
    if (head !== undefined) this.#heads.set(sessionId, head);
    const dirty = this.#dirty.has(sessionId) || damaged;
    this.deps.transcripts.restore(sessionId, { blocks, older, tokens });
    if (!dirty) this.#dirty.delete(sessionId); // what was read need not be saved
  }

  async #save(sessionId: string): Promise<void> {
    await this.#open(sessionId);
    const { pages, free } = this.#saved.get(sessionId) ?? { pages: [], free: 1 };
    this.#dirty.delete(sessionId);
    const { blocks } = this.deps.transcripts.get(sessionId);
    const plan = planPages(pages, blocks, free);
    try {
      for (const page of plan.write) await this.files.savePage(sessionId, page);
      await this.#saveHead(sessionId, plan.pages);
      for (const number of plan.drop) await this.files.removePage(sessionId, number);
    } catch (error) {
      this.#dirty.add(sessionId);
      throw error;
    }
    const numbers = plan.pages.map(({ number }) => number + 1);
    this.#keep(sessionId, { pages: plan.pages, free: Math.max(free, ...numbers) });
  }

  async #saveHead(sessionId: string, pages: readonly Page[]): Promise<void> {
    const before = this.#heads.get(sessionId);
    const head = { ...this.#headOf(sessionId), pages: pages.map(({ number }) => number) };
    if (before !== undefined && sameHead(before, head)) return;
    await this.#writeHead(sessionId, head);
  }

  async #writeHead(sessionId: string, head: StoredHead): Promise<void> {
    await this.files.saveHead(sessionId, head);
    this.#heads.set(sessionId, head);
    this.#changed.call();
  }

  /** The head to save, from the current state and the stored one. */
  #headOf(sessionId: string): StoredHead {
    const before = this.#heads.get(sessionId) ?? NEW_HEAD;
    const session = this.deps.session(sessionId);
    const { blocks, older, tokens } = this.deps.transcripts.get(sessionId);
    const last = Math.max(before.lastActive, session?.lastActive ?? 0, blocks.at(-1)?.at ?? 0);
    const known = session !== undefined && session.title !== '' && before.renamed !== true;
    return {
      ...before,
      title: known ? session.title : before.title,
      parentId: session?.parentId ?? before.parentId,
      agent: session?.agent ?? before.agent,
      lastActive: last === 0 ? this.deps.clock.now() : last,
      older,
      ...(tokens !== undefined && { tokens }),
    };
  }

  async #remove(sessionId: string): Promise<void> {
    if (this.files.fits(sessionId)) await this.files.remove(sessionId);
    this.#heads.delete(sessionId);
    this.deps.transcripts.forget(sessionId);
    this.#saved.delete(sessionId);
    this.#dirty.delete(sessionId);
    this.#changed.call();
  }
}

/** Whether two heads are equal, apart from an activity that is less than a minute later. */
function sameHead(a: StoredHead, b: StoredHead): boolean {
  if (b.lastActive - a.lastActive >= ACTIVITY_EVERY) return false;
  return JSON.stringify({ ...a, lastActive: 0 }) === JSON.stringify({ ...b, lastActive: 0 });
}

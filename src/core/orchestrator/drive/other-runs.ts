import { StoreError, type Log, type NoteLock, type Stat, type Undo } from '../../ports';
import { IDLE } from '../state';
import type { RunFiles, StoredRun } from './run-files';

/** The stored state of a run that this program does not carry out. */
export interface OtherRun {
  /** undefined if its file can't be read */
  readonly stored: StoredRun | undefined;
  readonly fault: string | null;
  /** whether another program carries it out */
  readonly isLocked: boolean;
  readonly stat: Stat | undefined;
}

/** After so many scans, checks again which runs are locked by a program. */
const PROBE_EVERY = 5;

/** The vault's runs apart from this program's own; a file is read again when it changed. */
export class OtherRuns {
  readonly #runs = new Map<string, OtherRun>();
  #scans = 0;

  constructor(
    private readonly files: RunFiles,
    private readonly deps: { readonly lock: NoteLock; readonly log: Log },
  ) {}

  get(id: string): OtherRun | undefined {
    return this.#runs.get(id);
  }

  all(): ReadonlyMap<string, OtherRun> {
    return this.#runs;
  }

  /** Adds a run that this program has stopped carrying out. */
  put(id: string, stored: StoredRun): void {
    this.#runs.set(id, { stored, fault: null, isLocked: false, stat: undefined });
  }

  forget(id: string): void {
    this.#runs.delete(id);
  }

  /**
   * @param own ids of the runs that this program carries out
   * @returns the ids of the runs that changed
   */
  async scan(own: ReadonlySet<string>): Promise<readonly string[]> {
    const ids = (await this.files.ids()).filter((id) => !own.has(id));
    const there = new Set(ids);
    const gone = [...this.#runs.keys()].filter((id) => !there.has(id));
    for (const id of gone) this.#runs.delete(id);
    const probe = this.#scans % PROBE_EVERY === 0;
    this.#scans += 1;
    const moved: string[] = [];
    for (const id of ids) {
      if (await this.#refresh(id, probe)) moved.push(id);
    }
    return [...gone, ...moved];
  }

  /** Reads one run now. */
  async refresh(id: string): Promise<OtherRun | undefined> {
    await this.#refresh(id, true);
    return this.#runs.get(id);
  }

  async #refresh(id: string, probe: boolean): Promise<boolean> {
    const before = this.#runs.get(id);
    const over = before?.stored !== undefined && isOver(before.stored);
    if (over && !before.isLocked) return false;
    const after = await this.#read(id, before, probe || over);
    if (after === undefined) return this.#runs.delete(id);
    this.#runs.set(id, after);
    return (
      before === undefined ||
      before.isLocked !== after.isLocked ||
      before.fault !== after.fault ||
      before.stored !== after.stored
    );
  }

  async #read(
    id: string,
    before: OtherRun | undefined,
    probe: boolean,
  ): Promise<OtherRun | undefined> {
    try {
      const stat = await this.files.stat(id);
      if (stat === undefined) return undefined;
      const same = before?.stat?.mtime === stat.mtime && before.stat.size === stat.size;
      const isLocked =
        probe || before === undefined
          ? !(await isUnlocked(this.deps.lock, leaseKey(id)))
          : before.isLocked;
      if (same) return { ...before, isLocked };
      const read = await this.files.read(id);
      if (read === undefined) return undefined;
      return read.ok
        ? { stored: read.value, fault: null, isLocked, stat }
        : { stored: before?.stored, fault: read.message, isLocked, stat };
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.deps.log.note('A run could not be read.', {
        at: 'run.read',
        severity: 'error',
        run: id,
        error: error.message,
      });
      const { stored, isLocked = false } = before ?? { stored: undefined };
      return { stored, fault: error.message, isLocked, stat: undefined };
    }
  }
}

export function stateOf({ stored }: OtherRun): StoredRun['state'] {
  return stored?.state ?? IDLE;
}

/** Whether the run has ended for good. */
export function isOver({ state }: Pick<StoredRun, 'state'>): boolean {
  return state.kind === 'completed' || state.kind === 'failed' || state.kind === 'cancelled';
}

/**
 * Holds a lock for longer than one task.
 * @returns a function that releases it; undefined if another program holds it
 * @throws any other error of the lock
 */
export function takeLease(lock: NoteLock, key: string): Promise<Undo | undefined> {
  return unlessBusy(
    () =>
      new Promise<Undo>((taken, failed) => {
        const held = lock.hold(key, () => new Promise<void>((end) => taken(() => end())));
        held.catch(failed);
      }),
  );
}

/** Whether no program holds the lock. */
async function isUnlocked(lock: NoteLock, key: string): Promise<boolean> {
  return (await unlessBusy(() => lock.hold(key, () => Promise.resolve(true)))) ?? false;
}

async function unlessBusy<T>(take: () => Promise<T>): Promise<T | undefined> {
  try {
    return await take();
  } catch (error) {
    if (error instanceof StoreError && error.code === 'busy') return undefined;
    throw error;
  }
}

/** The key of a run's lock, the same for every program. */
export function leaseKey(run: string): string {
  return `run-${run}`;
}

import { StoreError, type Clock, type Ids, type Log, type Undo } from '../../ports';
import { jsonAs } from '../../json';
import { runAction, type RunAction } from '../event';
import { owedCommands } from '../command';
import type { RunAnswer } from '../runs';
import { IDLE, RUN_SENTENCES, runSentence, type RunOptions } from '../state';
import { isOver, leaseKey, takeLease, type OtherRuns } from './other-runs';
import type { OrchestratorDeps } from './orchestrator-deps';
import { RunDriver } from './run-driver';
import type { RunFiles } from './run-files';
import { RunJournal } from './run-journal';
import { isRetryableCode } from './command-executor';

interface OwnRun {
  readonly driver: RunDriver;
  readonly inbox: InboxReader;
  readonly release: Undo;
}

/** The runs that this program carries out. It holds the lock of each one meanwhile. */
export class OwnRuns {
  readonly #runs = new Map<string, OwnRun>();
  readonly #ending = new Map<string, Promise<void>>();
  #closed = false;

  constructor(
    private readonly deps: OrchestratorDeps,
    private readonly files: RunFiles,
    private readonly others: OtherRuns,
    private readonly changed: (id: string) => void,
  ) {}

  get(id: string): RunDriver | undefined {
    return this.#runs.get(id)?.driver;
  }

  all(): readonly RunDriver[] {
    return [...this.#runs.values()].map(({ driver }) => driver);
  }

  /** Starts a new run. @throws StoreError */
  async begin(options: RunOptions, session: string | null): Promise<RunAnswer<string>> {
    const { deps, files } = this;
    const id = randomId(deps.ids);
    const release = await takeLease(deps.lock, leaseKey(id));
    if (release === undefined) return { ok: false, message: RUN_SENTENCES.begunElsewhere };
    if (this.#isClosed()) {
      release();
      return CLOSED;
    }
    const journal = RunJournal.begin(files, id, {
      ...{ n: 0, created: deps.clock.now(), program: deps.program, driver: deps.ids.unique() },
      ...{ taken: [], note: null, state: IDLE },
    });
    const { driver } = this.#put(journal, release);
    const begun = await driver.act({ type: 'start', run: id, wish: options, session });
    if (begun.ok) return { ok: true, value: id };
    this.#runs.delete(id);
    await driver.close();
    release();
    return begun;
  }

  /**
   * Continues a run that no program carries out.
   * @param first an action of the person to apply first
   */
  async takeUp(id: string, first?: RunAction): Promise<RunAnswer<undefined>> {
    await this.#ending.get(id);
    const here = this.get(id);
    if (here !== undefined) return first === undefined ? DONE : here.act(first);
    const release = await takeLease(this.deps.lock, leaseKey(id));
    if (release === undefined) return CARRIED_ELSEWHERE;
    let taken = false;
    try {
      const read = await this.files.read(id);
      if (read === undefined) return { ok: false, message: runSentence('noRun', { id }) };
      if (!read.ok) return read;
      if (isOver(read.value) && owedCommands(read.value.state).length === 0) return OVER;
      if (this.#isClosed()) return CLOSED;
      const owner = { program: this.deps.program, driver: this.deps.ids.unique() };
      const journal = await RunJournal.open(this.files, id, read.value, owner);
      // A run added after `close` would never be released.
      if (this.#isClosed()) return CLOSED;
      this.others.forget(id);
      const own = this.#put(journal, release);
      taken = true;
      const acted = own.driver.resume(first);
      this.#readInbox(own);
      return await acted;
    } finally {
      if (!taken) release();
    }
  }

  tick(): void {
    for (const own of [...this.#runs.values()]) {
      own.driver.tick();
      this.#readInbox(own);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#runs.keys()].map((id) => this.#suspend(id)));
    await Promise.all(this.#ending.values());
  }

  /** A method, so that it is read again after each await. */
  #isClosed(): boolean {
    return this.#closed;
  }

  #put(journal: RunJournal, release: Undo): OwnRun {
    const { deps, files } = this;
    const { id } = journal;
    const driver: RunDriver = new RunDriver(deps, files, journal, {
      changed: () => this.changed(id),
      // Releases a run that is over.
      idle: () => {
        const over =
          isOver(driver) && owedCommands(driver.state).length === 0 && driver.fault === null;
        if (over && this.get(id) === driver) void this.#suspend(id);
      },
      superseded: () => void this.#suspend(id),
    });
    const own = { driver, release, inbox: new InboxReader(files, driver, deps.log) };
    this.#runs.set(id, own);
    return own;
  }

  #suspend(id: string): Promise<void> {
    const own = this.#runs.get(id);
    if (own === undefined) return this.#ending.get(id) ?? Promise.resolve();
    this.#runs.delete(id);
    this.others.put(id, own.driver.journal.current);
    const ending = this.#end(id, own).finally(() => this.#ending.delete(id));
    this.#ending.set(id, ending);
    return ending;
  }

  async #end(id: string, { driver, release }: OwnRun): Promise<void> {
    await driver.close();
    release();
    this.others.put(id, driver.journal.current);
    this.changed(id);
  }

  /** Not awaited: there may be many actions, or one may take long, and other runs must not wait. */
  #readInbox({ inbox }: OwnRun): void {
    void inbox.read().catch((error: unknown) => {
      this.deps.log.note('Actions for a run could not be read.', {
        at: 'run.actions',
        severity: 'error',
        error: String(error),
      });
    });
  }
}

/** Short enough to type; without letters that differ only in case. */
function randomId(ids: Ids): string {
  const letters = 'abcdefghjkmnpqrstuvwxyz23456789';
  const draw = (): string => letters.charAt(Math.floor(ids.random() * letters.length));
  return `r${Array.from({ length: 8 }, draw).join('')}`;
}

const DONE = { ok: true, value: undefined } as const;

/** Another program took the lock first. */
export const CARRIED_ELSEWHERE = { ok: false, message: RUN_SENTENCES.elsewhere } as const;

const OVER = { ok: false, message: RUN_SENTENCES.isOver } as const;

const CLOSED = { ok: false, message: RUN_SENTENCES.closed } as const;

/** Applies the actions that other programs put into a run's inbox, in order, each once. */
class InboxReader {
  #running: Promise<void> | undefined;
  /** names of files that can't be read or removed; skipped, and reported once */
  readonly #skipped = new Set<string>();

  constructor(
    private readonly files: RunFiles,
    private readonly driver: Pick<RunDriver, 'id' | 'act' | 'wasTaken'>,
    private readonly log: Log,
  ) {}

  /** Concurrent calls share one pass. */
  read(): Promise<void> {
    this.#running ??= this.#read().finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #read(): Promise<void> {
    for (const name of await this.files.inbox(this.driver.id)) {
      if (!this.#skipped.has(name) && !(await this.#take(name))) return;
    }
  }

  /**
   * @returns whether to continue with later actions.
   * @throws StoreError if this one may succeed later
   */
  async #take(name: string): Promise<boolean> {
    const { id } = this.driver;
    const reportSkipped = (why: string): void =>
      this.log.note('An action for a run is none, and was left out.', {
        at: 'run.actions',
        run: id,
        name,
        why,
      });
    try {
      if (!this.driver.wasTaken(name)) {
        const text = await this.files.readAction(id, name);
        const action =
          text === undefined || text.length > MAX_CHARS ? undefined : jsonAs(runAction(), text);
        if (action === undefined) reportSkipped('it is none');
        else if (!(await this.driver.act(action, name)).ok) return false;
      }
      await this.files.removeAction(id, name);
    } catch (error) {
      if (!(error instanceof StoreError) || isRetryableCode(error.code)) throw error;
      this.#skipped.add(name);
      reportSkipped(error.message);
    }
    return true;
  }
}

/** A longer file is not a valid action. */
const MAX_CHARS = 100_000;

/** Pause between two checks whether an action was applied, ms, and the number of checks. */
const INBOX_EVERY = 250;

const INBOX_TRIES = 40;

/**
 * Sends an action to the program that carries the run out; resolves when it has been applied, or
 * after 10 s.
 */
export async function forwardAction(
  { files, clock, ids }: { readonly files: RunFiles; readonly clock: Clock; readonly ids: Ids },
  id: string,
  action: RunAction,
): Promise<RunAnswer<undefined>> {
  const unique = ids.unique().replace(/[^A-Za-z0-9]/g, '');
  const name = `${String(clock.now()).padStart(15, '0')}-${unique}.json`;
  await files.writeAction(id, name, `${JSON.stringify(action)}\n`);
  for (let tries = 0; tries < INBOX_TRIES; tries += 1) {
    await new Promise<void>((resolve) => void clock.after(INBOX_EVERY, () => resolve()));
    if ((await files.readAction(id, name)) === undefined) return { ok: true, value: undefined };
  }
  await files.removeAction(id, name);
  // It may have been applied at the last moment.
  const read = await files.read(id);
  if (read?.ok === true && read.value.taken.includes(name)) return { ok: true, value: undefined };
  return { ok: false, message: RUN_SENTENCES.silent };
}

import { StoreError, type Clock, type Ids, type Log, type Undo } from '../../ports';
import { jsonAs } from '../../json';
import { runAction, type RunAction } from '../event';
import { owed } from '../command';
import type { RunAnswer } from '../runs';
import { IDLE, RUN_SENTENCES, type RunOptions } from '../state';
import { isOver, leaseKey, takeLease, type OtherRuns } from './other-runs';
import type { OrchestratorDeps } from './orchestrator-deps';
import { RunDriver } from './run-driver';
import type { RunFiles } from './run-files';
import { RunJournal } from './run-journal';
import { retryable } from './command-executor';

interface OwnRun {
  readonly driver: RunDriver;
  readonly inbox: InboxReader;
  readonly release: Undo;
}

/** The runs that this program carries out, each under its lock for as long as that lasts. */
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

  /** A new run. @throws StoreError */
  async begin(wish: RunOptions, session: string | null): Promise<RunAnswer<string>> {
    const { deps, files } = this;
    const id = drawId(deps.ids);
    const release = await takeLease(deps.lock, leaseKey(id));
    if (release === undefined) return { ok: false, message: RUN_SENTENCES.begunElsewhere };
    if (this.#ends()) {
      release();
      return CLOSED;
    }
    const journal = RunJournal.begin(files, id, {
      ...{ n: 0, created: deps.clock.now(), program: deps.program, driver: deps.ids.unique() },
      ...{ taken: [], note: null, state: IDLE },
    });
    const { driver } = this.#put(journal, release);
    const begun = await driver.act({ type: 'start', run: id, wish, session });
    if (begun.ok) return { ok: true, value: id };
    this.#runs.delete(id);
    await driver.close();
    release();
    return begun;
  }

  /** Goes on with a run that nobody carries out. @param first what the person wants of it then */
  async takeUp(id: string, first?: RunAction): Promise<RunAnswer<undefined>> {
    await this.#ending.get(id);
    const here = this.get(id);
    if (here !== undefined) return first === undefined ? DONE : here.act(first);
    const release = await takeLease(this.deps.lock, leaseKey(id));
    if (release === undefined) return ELSEWHERE;
    let taken = false;
    try {
      const read = await this.files.read(id);
      if (read === undefined) return { ok: false, message: `There is no run ${id}.` };
      if (!read.ok) return read;
      if (isOver(read.value) && owed(read.value.state).length === 0) return OVER;
      if (this.#ends()) return CLOSED;
      const mine = { program: this.deps.program, driver: this.deps.ids.unique() };
      const journal = await RunJournal.open(this.files, id, read.value, mine);
      // What was put there after the end would be let go by nobody.
      if (this.#ends()) return CLOSED;
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
    await Promise.all([...this.#runs.keys()].map((id) => this.#rest(id)));
    await Promise.all(this.#ending.values());
  }

  /** Asked anew after each wait. */
  #ends(): boolean {
    return this.#closed;
  }

  #put(journal: RunJournal, release: Undo): OwnRun {
    const { deps, files } = this;
    const { id } = journal;
    const driver: RunDriver = new RunDriver(deps, files, journal, {
      changed: () => this.changed(id),
      // One that is over is let go.
      rested: () => {
        const over = isOver(driver) && owed(driver.state).length === 0 && driver.fault === null;
        if (over && this.get(id) === driver) void this.#rest(id);
      },
      superseded: () => void this.#rest(id),
    });
    const own = { driver, release, inbox: new InboxReader(files, driver, deps.log) };
    this.#runs.set(id, own);
    return own;
  }

  #rest(id: string): Promise<void> {
    const own = this.#runs.get(id);
    if (own === undefined) return this.#ending.get(id) ?? Promise.resolve();
    this.#runs.delete(id);
    this.others.put(id, own.driver.journal.now);
    const ending = this.#end(id, own).finally(() => this.#ending.delete(id));
    this.#ending.set(id, ending);
    return ending;
  }

  async #end(id: string, { driver, release }: OwnRun): Promise<void> {
    await driver.close();
    release();
    this.others.put(id, driver.journal.now);
    this.changed(id);
  }

  /** Nobody waits for the actions of one run: there may be many, or what they ask may take its time. */
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

/** Short enough to be typed; no two that differ by case alone. */
function drawId(ids: Ids): string {
  const letters = 'abcdefghjkmnpqrstuvwxyz23456789';
  const draw = (): string => letters.charAt(Math.floor(ids.random() * letters.length));
  return `r${Array.from({ length: 8 }, draw).join('')}`;
}

const DONE = { ok: true, value: undefined } as const;

/** Another program was faster. */
export const ELSEWHERE = { ok: false, message: RUN_SENTENCES.elsewhere } as const;

const OVER = { ok: false, message: RUN_SENTENCES.isOver } as const;

const CLOSED = { ok: false, message: RUN_SENTENCES.closed } as const;

/** Takes the actions that other programs put down for a run, in order, each once. */
class InboxReader {
  #running: Promise<void> | undefined;
  /** names of files that can't be read or removed: no action of a program, and told once */
  readonly #left = new Set<string>();

  constructor(
    private readonly files: RunFiles,
    private readonly driver: Pick<RunDriver, 'id' | 'act' | 'wasTaken'>,
    private readonly log: Log,
  ) {}

  /** Calls at the same time share one run. */
  read(): Promise<void> {
    this.#running ??= this.#read().finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #read(): Promise<void> {
    for (const name of await this.files.inbox(this.driver.id)) {
      if (!this.#left.has(name) && !(await this.#take(name))) return;
    }
  }

  /** @returns whether those behind it may be taken. @throws StoreError where it may be taken later */
  async #take(name: string): Promise<boolean> {
    const { id } = this.driver;
    const left = (why: string): void =>
      this.log.note('An action for a run is none, and was left out.', {
        at: 'run.actions',
        run: id,
        name,
        why,
      });
    try {
      if (!this.driver.wasTaken(name)) {
        const text = await this.files.action(id, name);
        const action =
          text === undefined || text.length > MOST_CHARS ? undefined : jsonAs(runAction(), text);
        if (action === undefined) left('it is none');
        else if (!(await this.driver.act(action, name)).ok) return false;
      }
      await this.files.dropAction(id, name);
    } catch (error) {
      if (!(error instanceof StoreError) || retryable(error.code)) throw error;
      this.#left.add(name);
      left(error.message);
    }
    return true;
  }
}

/** Longer ones are no action of ours. */
const MOST_CHARS = 100_000;

/** Between two looks whether an action was taken, and how often it is looked, ms. */
const INBOX_EVERY = 250;

const INBOX_TRIES = 40;

/** Has another program carry an action out; resolves when it took it. */
export async function actElsewhere(
  { files, clock, ids }: { readonly files: RunFiles; readonly clock: Clock; readonly ids: Ids },
  id: string,
  action: RunAction,
): Promise<RunAnswer<undefined>> {
  const unique = ids.unique().replace(/[^A-Za-z0-9]/g, '');
  const name = `${String(clock.now()).padStart(15, '0')}-${unique}.json`;
  await files.putAction(id, name, `${JSON.stringify(action)}\n`);
  for (let tries = 0; tries < INBOX_TRIES; tries += 1) {
    await new Promise<void>((resolve) => void clock.after(INBOX_EVERY, () => resolve()));
    if ((await files.action(id, name)) === undefined) return { ok: true, value: undefined };
  }
  await files.dropAction(id, name);
  // It may have been taken at the last moment.
  const read = await files.read(id);
  if (read?.ok === true && read.value.taken.includes(name)) return { ok: true, value: undefined };
  return { ok: false, message: RUN_SENTENCES.silent };
}

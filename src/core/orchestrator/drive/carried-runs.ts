import type { Ids } from '../../ports';
import type { RunAction } from '../event';
import { owed } from '../owed';
import type { RunAnswer } from '../runs';
import { IDLE, type RunWish } from '../state';
import { InboxReader } from './inbox';
import { Lease, leaseKey } from './lease';
import type { OrchestratorDeps } from './orchestrator-deps';
import { isOver, type OtherRuns } from './other-runs';
import { RunDriver } from './run-driver';
import type { RunFiles } from './run-files';
import { RunJournal } from './run-journal';

interface Carried {
  readonly driver: RunDriver;
  readonly inbox: InboxReader;
  readonly lease: Lease;
}

/** The runs that this program carries out, each under its lock for as long as that lasts. */
export class CarriedRuns {
  readonly #runs = new Map<string, Carried>();
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

  each(task: (run: RunDriver) => void): void {
    for (const run of this.all()) task(run);
  }

  /** A new run. @throws StoreError */
  async begin(wish: RunWish, session: string | null): Promise<RunAnswer<string>> {
    const { deps, files } = this;
    const id = drawId(deps.ids);
    const lease = await Lease.take(deps.lock, leaseKey(id));
    if (lease === undefined) return { ok: false, message: 'Another program begins this run.' };
    if (this.#ends()) {
      lease.release();
      return CLOSED;
    }
    const journal = RunJournal.begin(files, id, {
      ...{ n: 0, created: deps.clock.now(), program: deps.program, driver: deps.ids.unique() },
      ...{ taken: [], note: null, state: IDLE },
    });
    const driver = this.#carry(journal, lease);
    const begun = await driver.act({ type: 'start', run: id, wish, session });
    if (begun.ok) return { ok: true, value: id };
    this.#runs.delete(id);
    await driver.close();
    lease.release();
    return begun;
  }

  /** Goes on with a run that nobody carries out. @param first what the person wants of it then */
  async takeUp(id: string, first?: RunAction): Promise<RunAnswer<undefined>> {
    await this.#ending.get(id);
    const here = this.get(id);
    if (here !== undefined) return first === undefined ? DONE : here.act(first);
    const lease = await Lease.take(this.deps.lock, leaseKey(id));
    if (lease === undefined) return ELSEWHERE;
    let taken = false;
    try {
      const read = await this.files.read(id);
      if (read === undefined) return { ok: false, message: `There is no run ${id}.` };
      if (!read.ok) return read;
      const { state } = read.value;
      if (isOver(read.value) && owed(state).length === 0) return OVER;
      if (this.#ends()) return CLOSED;
      const mine = { program: this.deps.program, driver: this.deps.ids.unique() };
      const journal = await RunJournal.open(this.files, id, read.value, mine);
      // What was put there after the end would be let go by nobody.
      if (this.#ends()) return CLOSED;
      this.others.forget(id);
      const { driver, inbox } = this.#put(journal, lease);
      taken = true;
      const acted = driver.resume(first);
      void inbox.read().catch((error: unknown) => this.#noted(error));
      return await acted;
    } finally {
      if (!taken) lease.release();
    }
  }

  /** Nobody waits for the actions of one run: there may be many, or what they ask may take its time. */
  tick(): void {
    for (const { driver, inbox } of [...this.#runs.values()]) {
      driver.tick();
      void inbox.read().catch((error: unknown) => this.#noted(error));
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

  #carry(journal: RunJournal, lease: Lease): RunDriver {
    return this.#put(journal, lease).driver;
  }

  #put(journal: RunJournal, lease: Lease): Carried {
    const { deps, files } = this;
    const { id } = journal;
    const driver = new RunDriver(
      {
        ...{ deps, files },
        changed: () => this.changed(id),
        rested: () => this.#rested(id),
        superseded: () => void this.#rest(id),
      },
      journal,
    );
    const carried = { driver, lease, inbox: new InboxReader(files, driver, deps.log) };
    this.#runs.set(id, carried);
    return carried;
  }

  /** One that is over is let go. */
  #rested(id: string): void {
    const driver = this.get(id);
    const over = driver !== undefined && isOver(driver) && owed(driver.state).length === 0;
    if (over && driver.fault === null) void this.#rest(id);
  }

  #rest(id: string): Promise<void> {
    const carried = this.#runs.get(id);
    if (carried === undefined) return this.#ending.get(id) ?? Promise.resolve();
    this.#runs.delete(id);
    this.others.put(id, carried.driver.stored);
    const ending = this.#end(id, carried).finally(() => this.#ending.delete(id));
    this.#ending.set(id, ending);
    return ending;
  }

  async #end(id: string, { driver, lease }: Carried): Promise<void> {
    await driver.close();
    lease.release();
    this.others.put(id, driver.stored);
    this.changed(id);
  }

  #noted(error: unknown): void {
    this.deps.log.note('Actions for a run could not be read.', { error: String(error) });
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
export const ELSEWHERE = { ok: false, message: 'Another program carries this run out.' } as const;
const OVER = { ok: false, message: 'This run is over.' } as const;
const CLOSED = { ok: false, message: 'This program ends.' } as const;

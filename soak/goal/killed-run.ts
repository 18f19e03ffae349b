import { setTimeout as pause } from 'node:timers/promises';
import type { ChildLines } from '../child-lines';
import type { Seeded } from '../seeded';
import { checkEnded } from './run-check';
import type { RunVault } from './run-vault';
import { checkSessions } from './session-check';
import { storedRuns, type RunOnDisk } from '../../workbench/demo/stored-runs';
import { GOAL, WALL, WALL_PROMPTS, WALL_SCRIPT } from './wall-goal';

/** longest delay of the model before an answer, in ms */
const THINKS = 500;
/** longest time between two kills, and between a death and the restart, in ms */
const LIVES = 4_000;
const DEAD = 600;
/** ms after the last kill within which the run has to end */
const PATIENCE = 120_000;

/** Number of concurrent tasks, and so the most turns that one kill can cut. */
const AT_ONCE = 2;
/**
 * Thresholds for a number below 10: below the first a kill hits OpenCode, below the second the
 * driver, else both.
 */
const OPENCODE = 5;
const DRIVER = 9;

export interface Tally {
  readonly count: (what: string, by?: number) => void;
  readonly lose: (what: string) => void;
}

/** One run from its start to its end, with kills of either side. */
export class KilledRun {
  #driver: ChildLines | undefined;
  #opencodeKills = 0;
  /** those of `#opencodeKills` that happened before the driver was started */
  #killsBefore = 0;
  #known: readonly string[] = [];

  constructor(
    private readonly vault: RunVault,
    private readonly random: Seeded,
    private readonly tally: Tally,
  ) {}

  /** @returns the number of kills; fewer than wanted if the run ended earlier */
  async run(kills: number): Promise<number> {
    const { vault, random } = this;
    this.#known = (await storedRuns(vault.folder)).map(({ id }) => id);
    vault.casting(WALL_SCRIPT, () => pause(random.below(THINKS)));
    if (vault.opencode === undefined) await vault.startOpencode();
    await this.#drive();
    let done = 0;
    for (; done < kills; done += 1) {
      if (await this.#endedIn(random.below(LIVES))) break;
      await this.#kill();
    }
    if (!(await this.#endedIn(PATIENCE))) {
      this.tally.lose(`The run does not end: ${JSON.stringify((await this.#mine())?.state)}`);
      await this.#driver?.kill();
    }
    await this.#look();
    return done;
  }

  async #kill(): Promise<void> {
    const { vault, random, tally } = this;
    const which = random.below(10);
    const opencode = which < OPENCODE || which >= DRIVER;
    const driver = which >= OPENCODE;
    const both = opencode && driver;
    if (opencode) this.#opencodeKills += 1;
    if (driver) vault.story.tell('driver', 'is killed');
    tally.count(both ? 'kills of both' : opencode ? 'kills of OpenCode' : 'kills of the driver');
    await Promise.all([opencode && vault.killOpencode(), driver && this.#driver?.kill()]);
    await pause(random.below(DEAD));
    if (opencode) await vault.startOpencode();
    if (driver) await this.#drive();
  }

  /** Starts the run, or resumes it if it is stored. */
  async #drive(): Promise<void> {
    const { vault } = this;
    const id = (await this.#mine())?.id;
    const options = [
      '--no-approve',
      '--parallel',
      String(AT_ONCE),
      '--turns',
      '500',
      '--tokens',
      '100000000',
    ];
    const words = id === undefined ? ['start', GOAL, ...options] : ['resume', id];
    this.#killsBefore = this.#opencodeKills;
    this.#driver = vault.driver(['run', ...words, '--json']);
    this.tally.count(id === undefined ? 'starts' : 'taken up');
  }

  /**
   * Whether the run ends within so many ms. A driver that exits earlier is restarted, and its exit
   * is reported as a loss, unless OpenCode was killed before the run existed: no run starts without
   * it.
   */
  async #endedIn(ms: number): Promise<boolean> {
    const until = Date.now() + ms;
    for (;;) {
      const driver = this.#driver;
      if (driver === undefined) return false;
      const left = Math.max(0, until - Date.now());
      const over = await Promise.race([driver.ended.then(() => true), pause(left, false)]);
      if (!over) return false;
      const run = await this.#mine();
      if (run !== undefined && isOver(run)) return true;
      if (run === undefined && this.#opencodeKills > this.#killsBefore) {
        this.tally.count('starts refused, as OpenCode was killed');
      } else {
        const said = `${driver.lines.slice(-3).join(' ')} ${driver.fault ?? ''}`;
        this.tally.lose(`The driver ended before its run: ${said}`);
      }
      if (Date.now() >= until) return false;
      await this.#drive();
    }
  }

  async #look(): Promise<void> {
    const { vault, tally } = this;
    const run = await this.#mine();
    if (run === undefined) return tally.lose('There is no run.');
    const lost = checkEnded(run, WALL);
    if (vault.opencode === undefined) await vault.startOpencode();
    lost.push(...(await checkSessions(vault, run)));
    const again = vault.cast.prompts.length - WALL_PROMPTS;
    // Only turns that were cut by a kill of OpenCode may be repeated.
    if (again < 0 || again > this.#opencodeKills * AT_ONCE) {
      lost.push(`${again} prompts too many after ${this.#opencodeKills} kills of OpenCode.`);
    }
    for (const what of lost) tally.lose(`${what} (run ${run.id})`);
    tally.count('runs');
    tally.count('events of runs', run.log.length);
    tally.count('prompts', WALL_PROMPTS);
    if (again > 0) tally.count('prompts made again after a kill of OpenCode', again);
  }

  async #mine(): Promise<RunOnDisk | undefined> {
    const all = await storedRuns(this.vault.folder);
    const fresh = all.filter(({ id }) => !this.#known.includes(id));
    if (fresh.length > 1) this.tally.lose(`There are ${fresh.length} runs instead of one.`);
    return fresh.at(-1);
  }
}

function isOver({ state }: RunOnDisk): boolean {
  return ['completed', 'failed', 'cancelled'].includes(state.kind);
}

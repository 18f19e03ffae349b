import { setTimeout as pause } from 'node:timers/promises';
import type { ChildLines } from '../child-lines';
import type { SeededRandom } from '../seeded';
import { checkFinishedRun } from './run-check';
import type { RunVault } from './run-vault';
import { checkSessions } from './session-check';
import { readStoredRuns, type StoredRun } from '../../workbench/demo/stored-runs';
import { GOAL, WALL_ATTEMPTS, WALL_PROMPTS, WALL_SCRIPT } from './wall-goal';

/** longest delay of the model before an answer, in ms */
const MAX_MODEL_DELAY_MS = 500;
/** longest time between two kills, and between a death and the restart, in ms */
const MAX_KILL_INTERVAL_MS = 4_000;
const MAX_DOWNTIME_MS = 600;
/** ms after the last kill within which the run has to end */
const RUN_TIMEOUT_MS = 120_000;

/** Number of concurrent tasks, and so the most turns that one kill can cut. */
const PARALLEL_TASKS = 2;
/**
 * Thresholds for a number below 10: below the first a kill hits OpenCode, below the second the
 * driver, else both.
 */
const OPENCODE_BELOW = 5;
const DRIVER_BELOW = 9;

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
  #earlierRuns: readonly string[] = [];

  constructor(
    private readonly vault: RunVault,
    private readonly random: SeededRandom,
    private readonly tally: Tally,
  ) {}

  /** @returns the number of kills; fewer than wanted if the run ended earlier */
  async run(kills: number): Promise<number> {
    const { vault, random } = this;
    this.#earlierRuns = (await readStoredRuns(vault.folder)).map(({ id }) => id);
    vault.setScript(WALL_SCRIPT, () => pause(random.below(MAX_MODEL_DELAY_MS)));
    if (vault.opencode === undefined) await vault.startOpencode();
    await this.#startDriver();
    let done = 0;
    for (; done < kills; done += 1) {
      if (await this.#endsWithin(random.below(MAX_KILL_INTERVAL_MS))) break;
      await this.#kill();
    }
    if (!(await this.#endsWithin(RUN_TIMEOUT_MS))) {
      this.tally.lose(`The run does not end: ${JSON.stringify((await this.#currentRun())?.state)}`);
      await this.#driver?.kill();
    }
    await this.#checkRun();
    return done;
  }

  async #kill(): Promise<void> {
    const { vault, random, tally } = this;
    const which = random.below(10);
    const opencode = which < OPENCODE_BELOW || which >= DRIVER_BELOW;
    const driver = which >= OPENCODE_BELOW;
    const both = opencode && driver;
    if (opencode) this.#opencodeKills += 1;
    if (driver) vault.eventLog.add('driver', 'is killed');
    tally.count(both ? 'kills of both' : opencode ? 'kills of OpenCode' : 'kills of the driver');
    await Promise.all([opencode && vault.killOpencode(), driver && this.#driver?.kill()]);
    await pause(random.below(MAX_DOWNTIME_MS));
    if (opencode) await vault.startOpencode();
    if (driver) await this.#startDriver();
  }

  /** Starts the run, or resumes it if it is stored. */
  async #startDriver(): Promise<void> {
    const { vault } = this;
    const id = (await this.#currentRun())?.id;
    const options = [
      '--no-approve',
      '--parallel',
      String(PARALLEL_TASKS),
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
  async #endsWithin(ms: number): Promise<boolean> {
    const until = Date.now() + ms;
    for (;;) {
      const driver = this.#driver;
      if (driver === undefined) return false;
      const left = Math.max(0, until - Date.now());
      const over = await Promise.race([driver.ended.then(() => true), pause(left, false)]);
      if (!over) return false;
      const run = await this.#currentRun();
      if (run !== undefined && isOver(run)) return true;
      if (run === undefined && this.#opencodeKills > this.#killsBefore) {
        this.tally.count('starts refused, as OpenCode was killed');
      } else {
        const said = `${driver.lines.slice(-3).join(' ')} ${driver.fault ?? ''}`;
        this.tally.lose(`The driver ended before its run: ${said}`);
      }
      if (Date.now() >= until) return false;
      await this.#startDriver();
    }
  }

  async #checkRun(): Promise<void> {
    const { vault, tally } = this;
    const run = await this.#currentRun();
    if (run === undefined) return tally.lose('There is no run.');
    const lost = checkFinishedRun(run, WALL_ATTEMPTS);
    if (vault.opencode === undefined) await vault.startOpencode();
    lost.push(...(await checkSessions(vault, run)));
    const again = vault.agents.prompts.length - WALL_PROMPTS;
    // Only turns that were cut by a kill of OpenCode may be repeated.
    if (again < 0 || again > this.#opencodeKills * PARALLEL_TASKS) {
      lost.push(`${again} prompts too many after ${this.#opencodeKills} kills of OpenCode.`);
    }
    for (const what of lost) tally.lose(`${what} (run ${run.id})`);
    tally.count('runs');
    tally.count('events of runs', run.log.length);
    tally.count('prompts', WALL_PROMPTS);
    if (again > 0) tally.count('prompts made again after a kill of OpenCode', again);
  }

  async #currentRun(): Promise<StoredRun | undefined> {
    const all = await readStoredRuns(this.vault.folder);
    const fresh = all.filter(({ id }) => !this.#earlierRuns.includes(id));
    if (fresh.length > 1) this.tally.lose(`There are ${fresh.length} runs instead of one.`);
    return fresh.at(-1);
  }
}

function isOver({ state }: StoredRun): boolean {
  return ['completed', 'failed', 'cancelled'].includes(state.kind);
}

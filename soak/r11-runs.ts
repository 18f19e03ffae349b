import { KilledRun } from './goal/killed-run';
import { findPrograms, type Programs } from './goal/programs';
import { RunVault } from './goal/run-vault';
import { WALL_SCRIPT } from './goal/wall-goal';
import type { Run, RunOptions, RunReport } from './report';
import { SeededRandom } from './seeded';

/** Number of kills, of either side. */
const FULL = 200;
const IN_ONE_RUN = 8;
/** Runs in one vault: what OpenCode reads at its start grows with them. */
const IN_ONE_VAULT = 3;
/** Number of vaults at the same time. */
const LANES = 2;

/**
 * R11: runs from a goal to its end, carried out by the command line with a real OpenCode; both are
 * killed at random moments and restarted. No step is lost or done twice, and each run completes.
 */
export const runRuns: Run = async ({ share, seed, progress }: RunOptions): Promise<RunReport> => {
  const wanted = Math.max(1, Math.ceil(FULL * share));
  const programs = findPrograms(process.cwd());
  const injected: Record<string, number> = {};
  const lost: string[] = [];
  const count = (what: string, by = 1): void => void (injected[what] = (injected[what] ?? 0) + by);
  let left = wanted;
  let vaults = 0;
  const lane = async (): Promise<void> => {
    while (left > 0) {
      const own = seed + (vaults += 1);
      const lose = (what: string, kept: string): void => {
        lost.push(`${what} (--seed ${seed}, vault ${own - seed}; kept in ${kept})`);
        progress(`R11 lost: ${what} Kept in ${kept}`);
      };
      await runInVault(programs, new SeededRandom(own), { count, lose }, (most) => {
        const kills = Math.min(most, left);
        left -= kills;
        return { kills, giveBack: (unused: number) => void (left += unused) };
      });
      progress(`R11 ${wanted - left} of ${wanted} kills, ${lost.length} lost`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(LANES, Math.ceil(wanted / IN_ONE_RUN)) }, lane));
  return { name: 'R11', what: 'runs of which OpenCode or the driver is killed', injected, lost };
};

interface Tally {
  readonly count: (what: string, by?: number) => void;
  /** @param kept the folder that is kept, with the vault, OpenCode's data and `story.log` */
  readonly lose: (what: string, kept: string) => void;
}

/** Takes from the remaining kills; unused ones are given back when a run ends early. */
type TakeKills = (most: number) => {
  readonly kills: number;
  readonly giveBack: (unused: number) => void;
};

async function runInVault(
  programs: Programs,
  random: SeededRandom,
  tally: Tally,
  take: TakeKills,
): Promise<void> {
  const vault = await RunVault.open(programs, WALL_SCRIPT);
  const lose = (what: string): void => {
    vault.eventLog.add('lost', what);
    tally.lose(what, vault.keep());
  };
  const own = { count: tally.count, lose };
  try {
    for (let run = 0; run < IN_ONE_VAULT; run += 1) {
      const { kills, giveBack } = take(IN_ONE_RUN);
      if (kills === 0) return;
      giveBack(kills - (await new KilledRun(vault, random, own).run(kills)));
    }
  } finally {
    await vault.close();
  }
}

import { runWriters } from './r1-writers';
import { runFaults } from './r2-faults';
import { runKills } from './r3-kills';
import { runCuts } from './r4-cuts';
import { runCalls } from './r5-calls';
import { runRace } from './r6-race';
import { runHostile } from './r7-hostile';
import { runFuzz } from './r8-fuzz';
import { runAudit } from './r9-audit';
import { runStreams } from './r10-streams';
import { runRuns } from './r11-runs';
import { runServers } from './r12-servers';
import { runBadStreams } from './r13-bad-streams';
import { runEngines } from './r13-engines';
import { runAppends } from './r14-appends';
import { runSwaps } from './r15-swaps';
import { runRenames } from './r16-renames';
import { runTests } from './r17-tests';
import type { Run, RunReport } from './report';

/** All goals by name. */
export const RUNS: ReadonlyMap<string, Run> = new Map<string, Run>([
  ['R1', runWriters],
  ['R2', runFaults],
  ['R3', runKills],
  ['R4', runCuts],
  ['R5', runCalls],
  ['R6', runRace],
  ['R7', runHostile],
  ['R8', runFuzz],
  ['R9', runAudit],
  ['R10', runStreams],
  ['R11', runRuns],
  ['R12', runServers],
  ['R13', inSequence(runBadStreams, runEngines)],
  ['R14', runAppends],
  ['R15', runSwaps],
  ['R16', runRenames],
  ['R17', runTests],
]);

/** Runs that only compute: each of two threads does half of the load. The others start processes. */
export const TWO_THREAD_RUNS: ReadonlySet<string> = new Set(['R1', 'R2', 'R4', 'R5', 'R7', 'R8']);

/** Two runs combined into one goal. */
function inSequence(first: Run, second: Run): Run {
  return async (options): Promise<RunReport> => {
    const [one, other] = [await first(options), await second(options)];
    return {
      name: one.name,
      what: `${one.what}; ${other.what}`,
      injected: { ...one.injected, ...other.injected },
      lost: [...one.lost, ...other.lost],
    };
  };
}

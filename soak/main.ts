/**
 * `npm run soak [-- --only R2,R3] [-- --share 0.01] [-- --seed 7]`: runs the goals in full, or a share
 * of them, says what was injected and what was lost, and exits with 1 where anything was.
 */
import { parseArgs } from 'node:util';
import { runWriters } from './r1-writers';
import { runFaults } from './r2-faults';
import { runKills } from './r3-kills';
import { runRace } from './r6-race';
import { runHostile } from './r7-hostile';
import type { Run, RunReport } from './report';

const RUNS: ReadonlyMap<string, Run> = new Map<string, Run>([
  ['R1', runWriters],
  ['R2', runFaults],
  ['R3', runKills],
  ['R6', runRace],
  ['R7', runHostile],
]);

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    share: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const only = values.only?.split(',') ?? [...RUNS.keys()];
const share = Number(values.share);
const seed = Number(values.seed);
const unknown = only.filter((name) => !RUNS.has(name));
if (unknown.length > 0 || !(share > 0 && share <= 1) || !Number.isSafeInteger(seed)) {
  process.stderr.write(
    `Usage: soak [--only ${[...RUNS.keys()].join(',')}] [--share 0.01 to 1] [--seed N]\n`,
  );
  process.exit(2);
}

const progress = (line: string): void => void process.stderr.write(`${line}\n`);
const reports: RunReport[] = [];
for (const name of only) {
  progress(`${name} begins, share ${share}, --seed ${seed}`);
  const run = RUNS.get(name);
  if (run !== undefined) reports.push(await run({ share, seed, progress }));
}
for (const { name, what, injected, lost } of reports) {
  const counts = Object.entries(injected).map(([kind, count]) => `${count} ${kind}`);
  process.stdout.write(`${name}  lost ${lost.length}  ${what}: ${counts.join(', ')}\n`);
  for (const loss of lost.slice(0, 20)) process.stdout.write(`    ${loss}\n`);
}
process.stdout.write(`--seed ${seed}, share ${share}\n`);
process.exit(reports.some(({ lost }) => lost.length > 0) ? 1 : 0);

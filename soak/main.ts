/**
 * `npm run soak [-- --only R2,R3] [-- --share 0.01] [-- --seed 7]`: runs the goals in full, or a
 * share of them, prints the injected faults and the losses, and exits with 1 if there were losses.
 */
import { parseArgs } from 'node:util';
import { isMainThread } from 'node:worker_threads';
import { runWorker, inTwoThreads } from './in-threads';
import type { RunReport } from './report';
import { TWO_THREAD_RUNS, RUNS } from './runs';

if (isMainThread) process.exit(await soak());
else await runWorker(RUNS);

/** @returns the exit code */
async function soak(): Promise<number> {
  const read = readOptions();
  if (read === undefined) {
    const names = [...RUNS.keys()].join(',');
    process.stderr.write(`Usage: soak [--only ${names}] [--share 0.01 to 1] [--seed N]\n`);
    return 2;
  }
  const { only, share, seed } = read;
  const progress = (line: string): void => void process.stderr.write(`${line}\n`);
  const reports: RunReport[] = [];
  for (const name of only) {
    progress(`${name} begins, share ${share}, --seed ${seed}`);
    const run = TWO_THREAD_RUNS.has(name) ? inTwoThreads(name) : RUNS.get(name);
    if (run === undefined) continue;
    const report = await run({ share, seed, progress });
    print(report);
    reports.push(report);
  }
  process.stdout.write(`--seed ${seed}, share ${share}\n`);
  return reports.some(({ lost }) => lost.length > 0) ? 1 : 0;
}

function readOptions() {
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
  const fits = only.every((name) => RUNS.has(name)) && share > 0 && share <= 1;
  return fits && Number.isSafeInteger(seed) ? { only, share, seed } : undefined;
}

function print({ name, what, injected, lost }: RunReport): void {
  const counts = Object.entries(injected).map(([kind, count]) => `${count} ${kind}`);
  process.stdout.write(`${name}  lost ${lost.length}  ${what}: ${counts.join(', ')}\n`);
  for (const loss of lost.slice(0, 20)) process.stdout.write(`    ${loss}\n`);
}

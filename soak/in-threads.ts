import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import type { Run, RunOptions, RunReport } from './report';

interface ThreadWork {
  readonly name: string;
  readonly share: number;
  readonly seed: number;
}

/** Offset between the seeds of the two halves. */
const SEED_OFFSET = 10_000_000;

/** A run whose two halves run concurrently in threads, each with its own seeds. */
export function inTwoThreads(name: string): Run {
  return async ({ share, seed, progress }: RunOptions): Promise<RunReport> => {
    const halves = [0, SEED_OFFSET].map((more) =>
      runInThread({ name, share: share / 2, seed: seed + more }, progress),
    );
    const [first, second] = (await Promise.all(halves)) as [RunReport, RunReport];
    const injected: Record<string, number> = { ...first.injected };
    for (const [kind, count] of Object.entries(second.injected)) {
      injected[kind] = (injected[kind] ?? 0) + count;
    }
    return { ...first, injected, lost: [...first.lost, ...second.lost] };
  };
}

async function runInThread(work: ThreadWork, progress: (line: string) => void): Promise<RunReport> {
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: work });
  let report: RunReport | undefined;
  worker.on('message', (message: RunReport | string) => {
    if (typeof message === 'string') progress(message);
    else report = message;
  });
  // Rejects with the error that the worker threw.
  await once(worker, 'exit');
  if (report === undefined) throw new Error(`The thread of ${work.name} gave no report.`);
  return report;
}

/** Entry point of the worker: runs the half that it was given. */
export async function runWorker(runs: ReadonlyMap<string, Run>): Promise<void> {
  const { name, share, seed } = workerData as ThreadWork;
  const run = runs.get(name);
  if (run === undefined) throw new Error(`There is no run ${name}.`);
  const progress = (line: string): void => parentPort?.postMessage(line);
  parentPort?.postMessage(await run({ share, seed, progress }));
}

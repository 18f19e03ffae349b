import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { NO_FAULTS, type LinkFaults } from './link/link-faults';
import { LinkLane } from './link/link-lane';
import type { Run, RunOptions, RunReport } from './report';
import { SeededRandom } from './seeded';

/** ms */
const FULL = 30 * 60_000;
const SESSIONS = 50;
/** Words per second in each session. */
const RATE = 200;
/** Fraction of the planned words that must be sent; a slow machine runs longer until then. */
const MIN_SENT_SHARE = 0.25;
/** Number of connections that must at least have been resumed more than once. */
const MIN_CONNECTIONS = 3;
/** ms between two cuts */
const CUT_INTERVAL_MS = 5_000;
/** ms between two steps of the work; timers of a busy machine are no finer */
const STEP_MS = 20;
/** Most words sent at once: nothing is received while they are sent. */
const BURST = 2_000;
/** Number of heap measurements. */
const HEAP_SAMPLES = 24;
/** Largest allowed growth of the heap, in bytes, from a quarter of the time to the end. */
const MAX_HEAP_GROWTH = 16 * 1024 * 1024;
/** Words and changes in flight above which the work waits. */
const MAX_MISSING = 10_000;
/**
 * Factor for the client's clock: both ends share a thread here, so the bridge's resends delay its
 * timers.
 */
const CLOCK_FACTOR = 2;

/** R10: fifty sessions that stream all the time, over a link that breaks every five seconds. */
export const runStreams: Run = async ({
  share,
  seed,
  progress,
}: RunOptions): Promise<RunReport> => {
  const lost: string[] = [];
  const lose = (what: string): void => {
    if (lost.length < 100) lost.push(`${what} (--seed ${seed})`);
  };
  const faults = (): LinkFaults => NO_FAULTS;
  const lane = await LinkLane.start(SESSIONS, new SeededRandom(seed), faults, lose, CLOCK_FACTOR);
  await lane.begin();
  const time = Math.max(2_000, FULL * share);
  const cut = setInterval(() => lane.proxy.cutAll(), Math.min(CUT_INTERVAL_MS, time / 4));
  const began = Date.now();
  const { words, heap } = await streamWords(lane, time, progress);
  clearInterval(cut);
  if (!(await lane.catchUp(0))) lose(`What was told last did not come: ${lane.state}.`);
  const [settled, last] = [heap[Math.floor(heap.length / 4)] ?? 0, heap.at(-1) ?? 0];
  if (heap.length === HEAP_SAMPLES && last - settled > MAX_HEAP_GROWTH) {
    lose(`The heap grew from ${mebibytes(settled)} to ${mebibytes(last)} MiB.`);
  }
  const injected = {
    seconds: Math.round((Date.now() - began) / 1000),
    'words and changes': words,
    'messages heard': lane.receivedCount,
    connections: lane.proxy.counts.connections ?? 0,
    'MiB of heap at first': mebibytes(settled),
    'MiB of heap at last': mebibytes(last),
  };
  await lane.close();
  const what = 'fifty sessions of 200 words a second over a link that breaks';
  return { name: 'R10', what, injected, lost };
};

/** Makes all sessions stream at their rate for so many ms; stops when nothing arrives any more. */
async function streamWords(
  lane: LinkLane,
  time: number,
  progress: RunOptions['progress'],
): Promise<{ readonly words: number; readonly heap: readonly number[] }> {
  const heap: number[] = [];
  const collect = collector();
  const began = Date.now();
  let words = 0;
  const least = (MIN_SENT_SHARE * SESSIONS * RATE * time) / 1000;
  const enough = (): boolean =>
    words >= least && (lane.proxy.counts.connections ?? 0) >= MIN_CONNECTIONS;
  for (let passed = 0; passed < time || !enough(); passed = Date.now() - began) {
    const due = Math.min((SESSIONS * RATE * passed) / 1000, words + BURST);
    while (words < due) {
      for (const session of lane.sessions) words += await lane.step(session);
    }
    if (!(await lane.catchUp(MAX_MISSING))) break;
    if (heap.length < HEAP_SAMPLES && passed >= (time * heap.length) / HEAP_SAMPLES) {
      await lane.catchUp(0);
      heap.push(collect());
      progress(`R10 ${Math.round(passed / 1000)} s, heap ${mebibytes(heap.at(-1))} MiB`);
    }
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
  return { words, heap };
}

/** Returns a function that collects garbage and returns the remaining heap size in bytes. */
function collector(): () => number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  return () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
}

function mebibytes(bytes = 0): number {
  return Math.round((bytes / 1024 / 1024) * 10) / 10;
}

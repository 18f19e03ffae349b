import { faultsWithCut, NO_FAULTS, type LinkFaults } from './link/link-faults';
import { LinkLane } from './link/link-lane';
import type { Run, RunOptions, RunReport } from './report';
import { SeededRandom } from './seeded';

const FULL_MESSAGES = 1_000_000;
const FULL_CUTS = 10_000;
/** Number of links at the same time. */
const LANES = 4;
const SESSIONS = 3;
/** Most words and changes in flight: a twentieth of what the bridge keeps for a session. */
const MAX_MISSING = 200;

/** R4: a link that is cut at random bytes, again and again; everything sent arrives once, in order. */
export const runCuts: Run = async ({ share, seed, progress }: RunOptions): Promise<RunReport> => {
  const wanted = Math.ceil((FULL_MESSAGES * share) / LANES);
  const cuts = Math.ceil((FULL_CUTS * share) / LANES);
  const injected: Record<string, number> = {};
  const lost: string[] = [];
  let done = 0;
  const lanes = Array.from({ length: LANES }, async (_, at) => {
    const counts = await oneLane({
      seed: seed + at,
      wanted,
      cuts,
      lose: (what) => void lost.push(`${what} (--seed ${seed}, lane ${at})`),
      progress: (heard) => {
        if (Math.floor((done + heard) / 50_000) > Math.floor(done / 50_000))
          progress(`R4 ${done + heard} messages`);
        done += heard;
      },
    });
    for (const [what, count] of Object.entries(counts))
      injected[what] = (injected[what] ?? 0) + count;
  });
  await Promise.all(lanes);
  return { name: 'R4', what: 'a link that is cut at any byte', injected, lost };
};

interface Work {
  readonly seed: number;
  /** number of messages */
  readonly wanted: number;
  readonly cuts: number;
  readonly lose: (what: string) => void;
  readonly progress: (heard: number) => void;
}

async function oneLane({
  seed,
  wanted,
  cuts,
  lose,
  progress,
}: Work): Promise<Record<string, number>> {
  const random = new SeededRandom(seed);
  let bytes = 20_000;
  const repeat = (text: string): boolean => text.includes('"seq":') && random.next() < 0.02;
  let first = true;
  const faults = (): LinkFaults => {
    if (!first) return faultsWithCut(random, bytes, repeat);
    first = false;
    return NO_FAULTS;
  };
  const lane = await LinkLane.start(SESSIONS, random, faults, lose);
  const cutsNow = (): number =>
    (lane.proxy.counts['cuts by end'] ?? 0) + (lane.proxy.counts['cuts by reset'] ?? 0);
  await lane.begin();
  lane.proxy.cutAll();
  let told = 0;
  for (let before = 0; lane.receivedCount < wanted || cutsNow() < cuts;) {
    for (let burst = 1 + random.below(30); burst > 0; burst -= 1) {
      told += await lane.step(random.pick(lane.sessions));
    }
    if (random.next() < 0.5) lane.sendPrompt(random.pick(lane.sessions));
    if (!(await lane.catchUp(random.below(MAX_MISSING)))) {
      lose(`Nothing comes any more: ${lane.state}.`);
      break;
    }
    // Adjusts the bytes between two cuts, so that the messages between them match the goal.
    bytes = Math.max(
      2_000,
      Math.min(200_000, bytes * (lane.receivedCount / wanted > cutsNow() / cuts ? 0.99 : 1.01)),
    );
    progress(lane.receivedCount - before);
    before = lane.receivedCount;
    await new Promise(setImmediate);
  }
  if (!(await lane.catchUp(0))) lose('What was told last did not come.');
  const { receivedCount: heard, proxy } = lane;
  await lane.close();
  return {
    'events of OpenCode': told,
    'messages heard': heard,
    prompts: lane.prompts,
    ...proxy.counts,
  };
}

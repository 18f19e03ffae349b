/**
 * Ratios measured in one run: the contenders of a row are called in shuffled, interleaved rounds,
 * so that a drift in the machine's speed affects both. Absolute times are never reported.
 */

/**
 * Runs `times` iterations of the work. Returns a value that depends on it, so that nothing is
 * optimised away.
 */
export type Work = (times: number) => unknown;

export interface Ratio {
  /** median over the rounds of own time / peer time */
  readonly ratio: number;
  readonly p10: number;
  readonly p90: number;
}

const ROUNDS = 21;
/** Minimum duration of a round, in ms: well above the clock's resolution. */
const ROUND_MS = 20;

/** Processor time in ms, which excludes the machine's other programs. */
function timed(work: Work, times: number): number {
  const start = process.cpuUsage();
  work(times);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** Finds the number of iterations that fill a round; doubling it also warms up the code. */
function calibrate(work: Work): number {
  let times = 1;
  while (timed(work, times) < ROUND_MS) times *= 2;
  return times;
}

function quantile(sorted: readonly number[], share: number): number {
  const value = sorted[Math.round((sorted.length - 1) * share)];
  if (value === undefined) throw new Error('no rounds were measured');
  return value;
}

/** @returns own time per iteration over the peer's, in {@link ROUNDS} rounds */
export function compare(own: Work, peer: Work): Ratio {
  const times = { own: calibrate(own), peer: calibrate(peer) };
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const ownFirst = Math.random() < 0.5;
    const first = ownFirst ? timed(own, times.own) : timed(peer, times.peer);
    const second = ownFirst ? timed(peer, times.peer) : timed(own, times.own);
    const [ownMs, peerMs] = ownFirst ? [first, second] : [second, first];
    ratios.push(ownMs / times.own / (peerMs / times.peer));
  }
  return ratioOf(ratios);
}

/** @param ratios one per round, in any order */
export function ratioOf(ratios: readonly number[]): Ratio {
  const sorted = [...ratios].sort((a, b) => a - b);
  return { ratio: quantile(sorted, 0.5), p10: quantile(sorted, 0.1), p90: quantile(sorted, 0.9) };
}

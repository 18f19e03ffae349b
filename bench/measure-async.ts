import { ratioOf, type Ratio } from './measure';

export interface Rounds {
  readonly rounds: number;
  /** iterations per round: a single one is too noisy */
  readonly times: number;
  /** iterations before the first round */
  readonly warmUp: number;
}

/** One iteration of work that waits for the disk or a socket. */
export type AsyncWork = () => Promise<unknown>;

async function timed(work: AsyncWork, times: number): Promise<number> {
  const start = performance.now();
  for (let n = 0; n < times; n += 1) await work();
  return performance.now() - start;
}

/** Like `compare`, for asynchronous work. @returns own time divided by the peer's */
export async function compareAsync(
  own: AsyncWork,
  peer: AsyncWork,
  { rounds, times, warmUp }: Rounds,
): Promise<Ratio> {
  await timed(own, warmUp);
  await timed(peer, warmUp);
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    if (Math.random() < 0.5) {
      const ownMs = await timed(own, times);
      ratios.push(ownMs / (await timed(peer, times)));
    } else {
      const peerMs = await timed(peer, times);
      ratios.push((await timed(own, times)) / peerMs);
    }
  }
  return ratioOf(ratios);
}

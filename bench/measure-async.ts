import { ratioOf, type Ratio } from './measure';

const ROUNDS = 41;
/** Iterations of a round: a flush to the disk takes a while, and one alone is noise. */
const TIMES = 8;

/** One iteration of a work that waits for the disk. */
export type AsyncWork = () => Promise<unknown>;

async function timed(work: AsyncWork): Promise<number> {
  const start = performance.now();
  for (let n = 0; n < TIMES; n += 1) await work();
  return performance.now() - start;
}

/** As `compare`, for works that wait. @returns own time over the peer's */
export async function compareAsync(own: AsyncWork, peer: AsyncWork): Promise<Ratio> {
  await timed(own);
  await timed(peer);
  const ratios: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    if (Math.random() < 0.5) {
      const ownMs = await timed(own);
      ratios.push(ownMs / (await timed(peer)));
    } else {
      const peerMs = await timed(peer);
      ratios.push((await timed(own)) / peerMs);
    }
  }
  return ratioOf(ratios);
}

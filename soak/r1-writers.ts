import { BOARD_NOTE } from './board-check';
import { Sequence } from './r1-sequence';
import type { Run, RunOptions, RunReport } from './report';
import { SeededRandom } from './seeded';

const FULL = 100_000;

/** R1: four writers on one board, in generated sequences. */
export const runWriters: Run = async ({
  share,
  seed,
  progress,
}: RunOptions): Promise<RunReport> => {
  const wanted = Math.max(1, Math.ceil(FULL * share));
  const injected: Record<string, number> = { sequences: 0, 'acknowledged edits': 0, refused: 0 };
  const count = (what: string, by: number): void =>
    void (injected[what] = (injected[what] ?? 0) + by);
  const lost: string[] = [];
  for (let n = 0; n < wanted; n += 1) {
    const random = new SeededRandom(seed + n);
    const sequence = new Sequence(random);
    await sequence.run(6 + random.below(8), (step) => count(step, 1));
    count('sequences', 1);
    count('acknowledged edits', sequence.acknowledged);
    count('refused', sequence.refused);
    const text = sequence.store.files.get(BOARD_NOTE)?.text;
    lost.push(
      ...sequence.expected
        .findLosses(BOARD_NOTE, text)
        .map((what) => `${what} (--seed ${seed + n})`),
    );
    if (n % 5000 === 4999) progress(`R1 ${n + 1} of ${wanted}`);
  }
  return { name: 'R1', what: 'four writers on one board', injected, lost };
};

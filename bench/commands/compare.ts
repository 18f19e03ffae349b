import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { ratioOf, type Ratio } from '../measure';
import type { Command, Contender } from './contender';

const ROUNDS = 15;

/** @returns time of our whole command divided by the other's, in shuffled rounds */
export function compareCommands<One extends Pick<Contender, 'close'>>(
  own: One,
  other: One,
  command: (one: One, round: number) => Command,
): Ratio {
  try {
    const ratios: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const times = new Map<One, number>();
      const order = Math.random() < 0.5 ? [own, other] : [other, own];
      for (const one of order) times.set(one, measureCommand(command(one, round)));
      ratios.push((times.get(own) ?? NaN) / (times.get(other) ?? NaN));
    }
    return ratioOf(ratios);
  } finally {
    own.close();
    other.close();
  }
}

function measureCommand({ file, args, cwd, input }: Command): number {
  const start = performance.now();
  const done = spawnSync(file, args, { cwd, input: input ?? '', encoding: 'utf8' });
  const took = performance.now() - start;
  if (done.status !== 0) throw new Error(`${file} ${args.join(' ')}: ${done.stderr}`);
  return took;
}

/** @returns number of the updates reported as done that are missing from the files afterwards */
export async function countLostUpdates(
  contender: Contender,
  writers: number,
  updates: number,
): Promise<number> {
  let done = 0;
  const writer = async (at: number): Promise<void> => {
    for (let n = 0; n < updates; n += 1) {
      if (await runSucceeds(contender.status(1 + at * updates + n))) done += 1;
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, at) => writer(at)));
  if (done === 0) throw new Error('assertion: no update was reported as done');
  return done - contender.started();
}

async function runSucceeds({ file, args, cwd, input }: Command): Promise<boolean> {
  const child = spawn(file, args, { cwd, stdio: ['pipe', 'ignore', 'ignore'] });
  child.stdin.end(input ?? '');
  const [code] = (await once(child, 'exit')) as [number | null];
  return code === 0;
}

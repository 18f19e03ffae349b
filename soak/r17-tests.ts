import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import type { Run, RunOptions, RunReport } from './report';
import { Seeded } from './seeded';

const RESULTS = z.object({
  numPassedTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      message: z.string(),
      status: z.string(),
      assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })),
    }),
  ),
});

/** R17: the tests of which `npm test` runs a small version, in full; a share takes so many of their files. */
export const runTests: Run = async ({ share, seed, progress }: RunOptions): Promise<RunReport> => {
  const files = await longTests();
  const random = new Seeded(seed);
  const order = files.map((file) => ({ file, at: random.next() })).sort((a, b) => a.at - b.at);
  const chosen = order.slice(0, Math.ceil(files.length * share)).map(({ file }) => file);
  progress(`R17 ${chosen.join(' ')}`);
  const folder = await mkdtemp(join(tmpdir(), 'atb-tests-'));
  const results = join(folder, 'results.json');
  const args = ['run', '--reporter=json', `--outputFile=${results}`, ...chosen];
  const vitest = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', ...args], {
    env: { ...process.env, IN_FULL: '1', SEED: String(seed) },
    stdio: 'ignore',
  });
  try {
    await once(vitest, 'close');
    const { numPassedTests, testResults } = RESULTS.parse(
      JSON.parse(await readFile(results, 'utf8')),
    );
    const lost = testResults.flatMap(({ name, message, status, assertionResults }) => {
      const failed = assertionResults.filter((one) => one.status === 'failed');
      const told = failed.map(({ fullName }) => fullName);
      if (told.length === 0 && status === 'failed') told.push(message);
      return told.map((what) => `${name}: ${what} (--seed ${seed})`);
    });
    const injected = { files: testResults.length, tests: numPassedTests };
    return { name: 'R17', what: 'long tests in full', injected, lost };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Paths of the tests that have a small version. */
async function longTests(): Promise<readonly string[]> {
  const found: string[] = [];
  for (const file of (await readdir('test', { recursive: true })).sort()) {
    const isTest = /\.test\.tsx?$/.test(file) && !file.startsWith('clients');
    if (!isTest) continue;
    const text = await readFile(join('test', file), 'utf8');
    if (/ from '(?:\.\.\/)+in-full'/.test(text)) found.push(join('test', file));
  }
  return found;
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import * as z from 'zod';
import type { Run, RunOptions, RunReport } from './report';
import { SeededRandom } from './seeded';

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

/**
 * R17: runs in full the tests of which `npm test` runs a small version; a share runs that fraction
 * of their files.
 */
export const runTests: Run = async ({ share, seed, progress }: RunOptions): Promise<RunReport> => {
  const files = await longTests();
  const random = new SeededRandom(seed);
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

/** Paths of the tests with a small version, which import `in-full` directly or through a helper. */
async function longTests(): Promise<readonly string[]> {
  const names = (await readdir('test', { recursive: true })).filter(
    (name) => /\.tsx?$/.test(name) && !name.startsWith('clients'),
  );
  const files = new Map<string, string>();
  for (const name of names.sort()) files.set(name, await readFile(join('test', name), 'utf8'));
  const isTest = (name: string): boolean => /\.test\.tsx?$/.test(name);
  const using = (modules: readonly string[]): string[] => {
    const imports = new RegExp(` from '[./\\w-]*/(?:${modules.join('|')})'`);
    return names.filter((name) => imports.test(files.get(name) ?? ''));
  };
  const helpers = using(['in-full']).filter((name) => !isTest(name));
  const modules = ['in-full', ...helpers.map((name) => basename(name, '.ts'))];
  return using(modules)
    .filter(isTest)
    .map((name) => join('test', name));
}

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PathResolver } from '../../src/core/permission/path-resolver';
import { DiskStore } from '../../src/node/disk-store';
import { nodeClock } from '../../src/node/node-ports';
import { DiskNotes } from '../../src/node/notes/disk-notes';
import { realPaths } from '../../src/node/real-paths';
import { ratioOf } from '../measure';
import type { Measured, Row } from '../row';

const NOTES = 10_000;
const WORDS = 250;
const VOCABULARY = 30_000;
const ROUNDS = 11;
const QUERY = 'balobe mamo';
const INDEX = '.opencode/agent-task-boards/index/words';

/** A search over the disk in a vault of 10,000 notes of 250 words. Needs `npm run build`. */
export function notesSearchRows(): Row[] {
  const unit = 'ms';
  return [
    {
      ...{
        name: 'notes.search.fresh',
        unit,
        against: 'the start of Node, taken off',
        target: 2_000,
      },
      measure: () => withVault(fresh),
    },
    {
      ...{ name: 'notes.search.warm', unit, against: 'nothing', target: 50 },
      note: 'each search looks at all files for what changed, which takes most of its time',
      measure: () => withVault(warm),
    },
  ];
}

async function withVault(measure: (vault: string) => Promise<Measured>): Promise<Measured> {
  const vault = mkdtempSync(join(tmpdir(), 'atb-notes-'));
  try {
    fill(vault);
    return await measure(vault);
  } finally {
    rmSync(vault, { recursive: true, force: true });
  }
}

async function fresh(vault: string): Promise<Measured> {
  const search = [resolve('dist/cli.js'), 'notes', 'search', QUERY, '--vault', vault];
  const first = ran(process.execPath, search);
  const times = Array.from(
    { length: ROUNDS },
    () => ran(process.execPath, search) - ran(process.execPath, ['-e', '0']),
  );
  const megabytes = statSync(join(vault, INDEX)).size / 1e6;
  const grep = ran('rg', ['-il', 'balobe|mamo', vault]);
  const beside = grep < 0 ? 'no ripgrep here' : `ripgrep ${grep.toFixed(0)} ms`;
  const detail = `first index ${first.toFixed(0)} ms, ${megabytes.toFixed(1)} MB on disk; ${beside}`;
  return Promise.resolve({ ...ratioOf(times), detail });
}

async function warm(vault: string): Promise<Measured> {
  const resolver = new PathResolver(realPaths(vault));
  const log = { note: () => undefined };
  const store = new DiskStore(vault);
  const deps = { vault, store, resolver, hidden: () => false, clock: nodeClock, log };
  const notes = new DiskNotes(deps);
  const before = process.memoryUsage().rss;
  await notes.search(QUERY);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    await notes.search(QUERY);
    times.push(performance.now() - start);
  }
  const megabytes = (process.memoryUsage().rss - before) / 1e6;
  return { ...ratioOf(times), detail: `${megabytes.toFixed(0)} MB more memory` };
}

/** ms; below 0 where the program is not there */
function ran(program: string, args: readonly string[]): number {
  const start = performance.now();
  const { error } = spawnSync(program, args, { maxBuffer: 1e8 });
  return error === undefined ? performance.now() - start : -1;
}

/** The same vault each time; words as in a language: few of them often, most of them rarely. */
function fill(vault: string): void {
  let seed = 12_345;
  const random = (): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  const syllables = 'ba be lo la mo ma ni no pe po ra ru sa so te tu va vi za ko'.split(' ');
  const vocabulary = Array.from({ length: VOCABULARY }, () =>
    Array.from(
      { length: 2 + Math.floor(random() * 4) },
      () => syllables[Math.floor(random() * syllables.length)] ?? '',
    ).join(''),
  );
  const word = (): string => vocabulary[Math.floor(random() ** 3 * VOCABULARY)] ?? '';
  mkdirSync(join(vault, '.opencode'));
  for (let note = 0; note < NOTES; note += 1) {
    const folder = join(vault, `area ${note % 20}`, `topic ${note % 200}`);
    mkdirSync(folder, { recursive: true });
    const text = Array.from({ length: WORDS }, word).join(' ');
    writeFileSync(join(folder, `note ${note}.md`), `# ${word()}\n${text}\n[[note ${note + 1}]]\n`);
  }
}

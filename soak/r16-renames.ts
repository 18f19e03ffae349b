import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NamedStore } from '../src/core/board/names/named-store';
import { parseNote } from '../src/core/board/note/parse-note';
import { BOARD_ROOT, TodoManager } from '../src/core/board/todo-manager';
import { DiskStore } from '../src/node/disk-store';
import { nodeClock, nodeIds } from '../src/node/node-ports';
import { BOARD_NOTE } from './board-check';
import { ChildLines } from './child-lines';
import { buildChildren, type ChildKind, type Children } from './children';
import type { Run, RunOptions, RunReport } from './report';
import { SeededRandom } from './seeded';

const FULL = 400;
/** Kills of the namer in one vault. */
const IN_ONE_VAULT = 20;
const WRITERS: readonly ChildKind[] = ['bridge', 'cli', 'plugin', 'cli'];

/** R16: `kill -9` of a program that renames the files of a board while four writers keep editing it. */
export const runRenames: Run = async ({
  share,
  seed,
  progress,
}: RunOptions): Promise<RunReport> => {
  const kills = Math.max(1, Math.ceil(FULL * share));
  const children = await buildChildren(process.cwd());
  const injected = { kills: 0, renamings: 0, 'edits meanwhile': 0 };
  const tally: Tally = { injected, lost: [] };
  try {
    for (let done = 0; done < kills; done += IN_ONE_VAULT) {
      await runInVault(children, Math.min(IN_ONE_VAULT, kills - done), seed + done, tally);
      progress(`R16 ${injected.kills} of ${kills} kills`);
    }
  } finally {
    await children.close();
  }
  return { name: 'R16', what: 'renaming under four writers, with kill -9', ...tally };
};

interface Tally {
  readonly injected: Record<'kills' | 'renamings' | 'edits meanwhile', number>;
  readonly lost: string[];
}

async function runInVault(
  children: Children,
  kills: number,
  seed: number,
  { injected, lost }: Tally,
): Promise<void> {
  const vault = await mkdtemp(join(tmpdir(), 'atb-renames-'));
  await mkdir(join(vault, '.opencode'));
  const random = new SeededRandom(seed);
  const writers = WRITERS.map(
    (kind, at) => new ChildLines(children.start(kind, vault, 'count', `w${at}`, 1_000_000)),
  );
  await Promise.all(writers.map((writer) => writer.waitForLines(1)));
  for (let kill = 1; kill <= kills; kill += 1) {
    const namer = new ChildLines(children.startNamer(vault, 1_000_000));
    if (!(await namer.waitForLines(1 + random.below(3))))
      lost.push(`A namer ended: ${namer.fault ?? ''}`);
    for (let turns = random.below(3_000); turns > 0; turns -= 1) await new Promise(setImmediate);
    await namer.kill();
    injected.kills += 1;
    injected.renamings += namer.lines.length;
  }
  for (const [at, writer] of writers.entries()) {
    if (writer.hasEnded)
      lost.push(`The ${WRITERS[at] ?? ''} ended by itself: ${writer.fault ?? ''}`);
    await writer.kill();
    injected['edits meanwhile'] += writer.lines.length;
  }
  lost.push(...(await findLosses(vault, writers)).map((what) => `${what} (--seed ${seed})`));
  await rm(vault, { recursive: true, force: true });
}

/** Each writer has one task, titled as it printed last, or as it was about to print. */
async function findLosses(vault: string, writers: readonly ChildLines[]): Promise<string[]> {
  const store = new NamedStore(new DiskStore(vault), BOARD_ROOT);
  const { naming } = new TodoManager({ store, clock: nodeClock, ids: nodeIds });
  await naming.run('title', { progress: () => undefined, cancelled: () => false });
  const { board } = parseNote(BOARD_NOTE, (await store.read(BOARD_NOTE)) ?? '');
  const titles = board.tasks.map(({ title }) => title);
  const lost = writers.flatMap(({ lines }, at) => {
    const last = lines.length;
    const own = titles.filter((title) => title.startsWith(`w${at}-`));
    const fits =
      own.length === 1 && [`w${at}-${last}`, `w${at}-${last + 1}`].includes(own[0] ?? '');
    return fits ? [] : [`Writer ${at} said ${last} edits; the board has ${own.join(', ')}`];
  });
  const folders = await readdir(join(vault, BOARD_ROOT));
  const files = await readdir(join(vault, BOARD_ROOT, folders[0] ?? ''));
  // A program that was killed during a write leaves a temporary file, which later writes remove.
  const notes = files.filter((name) => !/^\.atb-.*\.tmp$/.test(name));
  const others = folders.length === 1 && notes.length === 1 ? [] : [...folders, ...notes];
  return [
    ...lost,
    ...(others.length === 0 ? [] : [`There is more than the board: ${others.join(', ')}`]),
  ];
}

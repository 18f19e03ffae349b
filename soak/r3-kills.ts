import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DiskStore } from '../src/node/disk-store';
import { VaultStore } from '../src/obsidian/adapter/vault-store';
import { BOARD_NOTE, checkGrownBoard } from './board-check';
import { ChildLines } from './child-lines';
import { InPlaceFiles } from './child/in-place-files';
import { buildChildren, CHILD_KINDS, type ChildKind, type Children } from './children';
import type { Run, RunOptions, RunReport } from './report';
import { SeededRandom } from './seeded';

const FULL = 1_000;
/** Kills in one vault: its board grows with them. */
const IN_ONE_VAULT = 20;
/** Number of vaults at the same time. */
const LANES = 2;

/** R3: `kill -9` of each program in the middle of an edit, after its first acknowledged one. */
export const runKills: Run = async ({ share, seed, progress }: RunOptions): Promise<RunReport> => {
  const kills = Math.max(1, Math.ceil(FULL * share));
  const children = await buildChildren(process.cwd());
  const tally: Tally = { injected: {}, lost: [] };
  const vaults = CHILD_KINDS.flatMap((kind) =>
    Array.from({ length: Math.ceil(kills / IN_ONE_VAULT) }, (_, at) => ({
      kind,
      kills: Math.min(IN_ONE_VAULT, kills - at * IN_ONE_VAULT),
      seed: seed + at,
    })),
  );
  let done = 0;
  const lane = async (): Promise<void> => {
    for (let vault = vaults.shift(); vault !== undefined; vault = vaults.shift()) {
      await runInVault(children, vault, tally);
      if ((done += 1) % 10 === 0) progress(`R3 ${done * IN_ONE_VAULT} of ${kills * 3} kills`);
    }
  };
  try {
    await Promise.all(Array.from({ length: LANES }, lane));
  } finally {
    await children.close();
  }
  const what = `kill -9 in the middle of an edit (the bridge in ${children.bridgeRuntime})`;
  return { name: 'R3', what, ...tally };
};

interface Tally {
  readonly injected: Record<string, number>;
  readonly lost: string[];
}

async function runInVault(
  children: Children,
  { kind, kills, seed }: { kind: ChildKind; kills: number; seed: number },
  { injected, lost }: Tally,
): Promise<void> {
  const vault = await mkdtemp(join(tmpdir(), 'atb-soak-'));
  await mkdir(join(vault, '.opencode'));
  const random = new SeededRandom(seed);
  const acknowledged: string[] = [];
  const count = (what: string, by = 1): void => void (injected[what] = (injected[what] ?? 0) + by);
  for (let kill = 1; kill <= kills; kill += 1) {
    const child = new ChildLines(children.start(kind, vault, 'grow', `k${kill}`, 1_000_000));
    const alive = await child.waitForLines(1 + random.below(3));
    // Kills during the next edit: a random number of event loop turns after the acknowledgement.
    for (let turns = random.below(6_000); turns > 0; turns -= 1) await new Promise(setImmediate);
    await child.kill();
    if (!alive) lost.push(`The ${kind} ended by itself: ${child.fault ?? ''}`);
    acknowledged.push(...child.lines);
    count(`${kind} kills`);
    count('acknowledged edits', child.lines.length);
    const left = await readFile(join(vault, BOARD_NOTE), 'utf8').catch(() => undefined);
    if (kind === 'plugin') {
      if (checkGrownBoard(left, acknowledged).length > 0)
        count('notes cut by a kill, before recovery');
      await recover(vault, random, lost);
    }
    const text = await readFile(join(vault, BOARD_NOTE), 'utf8').catch(() => undefined);
    const where = `${kind}, --seed ${seed}, kill ${kill}`;
    lost.push(...checkGrownBoard(text, acknowledged).map((what) => `${what} (${where})`));
  }
  await rm(vault, { recursive: true, force: true });
}

/**
 * Recovers as the next program does: the plugin at its start, or the command line when it reads the
 * note.
 */
async function recover(vault: string, random: SeededRandom, lost: string[]): Promise<void> {
  if (random.next() < 0.5) await new DiskStore(vault).read(BOARD_NOTE);
  else lost.push(...(await new VaultStore(new InPlaceFiles(vault)).recover()));
}

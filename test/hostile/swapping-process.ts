import { fork } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StoreError, type NoteStore } from '../../src/core/ports';
import { DiskStore } from '../../src/node/disk-store';
import { HandleFiles } from '../../src/node/handle-files';
import { vaultLock } from '../../src/node/vault-lock';
import { VaultStore } from '../../src/obsidian/adapter/vault-store';

/** Occurs in files outside the vault; the results of calls are searched for it. */
export const CANARY = 'told7f3a';

/** The program that swaps. */
export const SWAP_CHILD = 'test/hostile/swap-child.ts';

/** A folder swapped for a link, or a link for another. */
type SwapKind = 'folder' | 'link';

/** What is swapped while a store is in use. */
export const SWAPS = [
  ['folder', 'Notes'],
  ['folder', '.opencode'],
  ['link', 'Notes'],
  ['link', '.opencode'],
] as const;

/** The store of command line and bridge, and the plugin's, which writes in place. */
export const STORES: Record<'disk' | 'plugin', (root: string) => NoteStore> = {
  disk: (root) => new DiskStore(root),
  plugin: (root) => new VaultStore(new HandleFiles(root), { lock: vaultLock(root) }),
};

/** A vault in which a folder is constantly swapped for a link to the outside. */
export class SwappedVault {
  private constructor(
    private readonly base: string,
    private readonly folder: string,
  ) {}

  static async make(folder: string): Promise<SwappedVault> {
    const made = new SwappedVault(await mkdtemp(join(tmpdir(), 'atb-swapping-')), folder);
    await mkdir(join(made.root, folder), { recursive: true });
    await mkdir(join(made.base, 'outside/deep'), { recursive: true });
    await writeFile(join(made.root, folder, 'a.md'), 'Hi\n');
    for (const name of ['a.md', 'b.md', 'deep/a.md']) {
      await writeFile(join(made.base, 'outside', name), `outsider ${CANARY}\n`);
    }
    await symlink(join(made.base, 'outside'), join(made.root, `${folder}-link`));
    return made;
  }

  get root(): string {
    return join(this.base, 'vault');
  }

  /** Runs `work` while another process swaps. */
  async whileSwapping(child: string, way: SwapKind, work: () => Promise<void>): Promise<void> {
    const swapper = fork(child, [join(this.root, this.folder), way]);
    const ended = once(swapper, 'exit');
    await once(swapper, 'message');
    try {
      await work();
      swapper.send('end');
      await once(swapper, 'message');
    } finally {
      if (swapper.connected) swapper.disconnect();
      swapper.kill();
      await ended;
    }
  }

  /** Every file outside, by name. */
  async outside(): Promise<Record<string, string>> {
    const folder = join(this.base, 'outside');
    const found = await readdir(folder, { recursive: true, withFileTypes: true });
    const texts = found.map(async (entry) => {
      const file = join(entry.parentPath, entry.name);
      if (entry.isSymbolicLink()) return [file, await readlink(file)] as const;
      return [file.slice(folder.length + 1), entry.isFile() ? await readFile(file, 'utf8') : ''];
    });
    return Object.fromEntries((await Promise.all(texts)) as [string, string][]);
  }

  remove(): Promise<void> {
    return rm(this.base, { recursive: true, force: true });
  }
}

interface CallOutcomes {
  done: number;
  refused: number;
  /** results of calls that reveal files outside */
  told: unknown[];
}

/** Minimum of rounds of seven calls, and of calls with each outcome. */
export interface Minimum {
  readonly rounds: number;
  readonly ofEach: number;
}

/** Makes all calls while another process swaps. @returns outcomes; the outside before and after */
export async function runAgainstSwaps(
  child: string,
  [way, folder]: (typeof SWAPS)[number],
  make: (root: string) => NoteStore,
  least: Minimum,
): Promise<CallOutcomes & { readonly calls: number; readonly outside: readonly [object, object] }> {
  const vault = await SwappedVault.make(folder);
  try {
    const before = await vault.outside();
    const store = make(vault.root);
    const ends = { done: 0, refused: 0, told: [] as unknown[] };
    let calls = 0;
    await vault.whileSwapping(child, way, async () => {
      calls = await callAll(store, folder, least, ends);
    });
    return { ...ends, calls, outside: [before, await vault.outside()] };
  } finally {
    await vault.remove();
  }
}

/**
 * Makes every call of a store on a folder for the minimum of rounds, then until enough calls met
 * the original folder and enough a swapped one: on a busy machine one process may have to wait.
 * @returns the number of calls
 */
async function callAll(
  store: NoteStore,
  folder: string,
  least: Minimum,
  ends: CallOutcomes,
): Promise<number> {
  let n = 0;
  for (; n < least.rounds || Math.min(ends.done, ends.refused) < least.ofEach; n += 1) {
    const append = (text = ''): string => `${text.length > 200 ? '' : text}${n}\n`;
    const calls: readonly (() => Promise<unknown>)[] = [
      () => store.read(`${folder}/a.md`),
      () => store.update(`${folder}/a.md`, append),
      () => store.update(`${folder}/new-${n % 50}.md`, append),
      () => store.update(`${folder}/new/${n % 50}.md`, append),
      () => store.list(folder),
      () => store.remove(`${folder}/b.md`),
      () => store.remove(`${folder}/new-${(n + 25) % 50}.md`),
    ];
    for (const call of calls) {
      try {
        const told = await call();
        ends.done += 1;
        const text = told === undefined ? '' : JSON.stringify(told);
        if (text.includes(CANARY) || text.includes('"deep"')) ends.told.push(told);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        ends.refused += 1;
      }
    }
  }
  return n * 7;
}

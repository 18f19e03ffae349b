import { jsonAs } from '../json';
import type { BoardFiles } from './board-files';
import * as z from 'zod/mini';
import { lazy } from '../lazy';
import type { Ids } from '../ports';
import { catchStoreError, refusal } from '../fault';
import { drawPrefix } from './note/ids';
import type { StateFiles } from './state-file';

/** The prefixes of the boards in each session folder, from when the folder was first read. */
const prefixIndex = lazy(() =>
  z.object({
    /** board root; the list is ignored for another one */
    root: z.string(),
    folders: z.array(z.tuple([z.string(), z.array(z.string())])),
  }),
);

type PrefixesByFolder = ReadonlyMap<string, readonly string[]>;

const INDEX_PATH = 'index/prefixes.json';

/**
 * Draws prefixes for new boards: different from those of all other boards under the root, and of
 * boards being created.
 */
export class Prefixes {
  private readonly given = new Set<string>();

  constructor(
    private readonly files: BoardFiles,
    private readonly state: StateFiles,
    private readonly ids: Ids,
  ) {}

  /**
   * Reads only the boards of folders that are not in the index yet.
   * @param folder folder of the new board
   */
  async draw(folder: string): Promise<string> {
    const there = await this.files.folders();
    const known = this.parseIndex(await this.state.text(INDEX_PATH));
    const found = new Map<string, readonly string[]>();
    for (const name of there) {
      const prefixes = known.get(name) ?? (await this.inFolder(name));
      if (prefixes !== undefined) found.set(name, prefixes);
    }
    const seen = this.files.all().map(({ prefix }) => prefix);
    const prefix = this.drawUnused(new Set([...seen, ...[...found.values()].flat()]));
    await this.storeIndex(found, folder, prefix);
    return prefix;
  }

  private drawUnused(taken: ReadonlySet<string>): string {
    for (;;) {
      const prefix = drawPrefix(() => this.ids.random());
      if (taken.has(prefix) || this.given.has(prefix)) continue;
      this.given.add(prefix);
      return prefix;
    }
  }

  /** undefined if the folder or a board in it can't be read, so that the next draw tries again */
  private async inFolder(folder: string): Promise<readonly string[] | undefined> {
    const files = await catchStoreError(
      () => this.files.inFolder(folder),
      () => undefined,
    );
    const prefixes = files && [...files.values()].map(({ board }) => board.prefix);
    return prefixes?.includes('') === true ? undefined : prefixes;
  }

  /** Stores the index. If that fails, the next draw reads the boards again. */
  private async storeIndex(found: PrefixesByFolder, folder: string, prefix: string): Promise<void> {
    const change = (text: string | undefined): string => {
      const now = this.parseIndex(text);
      const all = new Map([...found].map(([name, own]) => [name, union(own, now.get(name))]));
      all.set(folder, union([...(all.get(folder) ?? []), prefix], now.get(folder)));
      return `${JSON.stringify({ root: this.files.root, folders: [...all] })}\n`;
    };
    await refusal(() => this.state.change(INDEX_PATH, change));
  }

  private parseIndex(text: string | undefined): PrefixesByFolder {
    const read = jsonAs(prefixIndex(), text);
    return new Map(read?.root === this.files.root ? read.folders : []);
  }
}

function union(a: readonly string[], b: readonly string[] = []): readonly string[] {
  return [...new Set([...a, ...b])];
}

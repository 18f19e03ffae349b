import { lstatSync, mkdirSync, rmdirSync } from 'node:fs';
import { pathFault } from '../core/board/vault-path';
import { StoreError } from '../core/ports';
import type { Folder, OpenRoot } from './folder';
import { canHold, HeldFolder } from './held-folder';
import { realNames } from './inside';
import { NamedFolder } from './named-folder';
import { systemCode } from './store-error';

/** How often a way is gone anew on which a link appears meanwhile. */
const MAX_TRIES = 5;
/** Stands for any file of a folder; never made. */
const NOTHING = '.atb-none';

/** Where the files of a vault are, held so that no link that is made meanwhile leads out of it. */
export class Places {
  constructor(
    private readonly root: string,
    private readonly openRoot: OpenRoot = canHold() ? HeldFolder.root : NamedFolder.root,
  ) {}

  /**
   * Runs `task` on the place of a file, whether or not it is there. Links inside the vault are
   * followed first; what `task` meets as a link was made since.
   * @throws StoreError `denied` for a path, or a link, that leads out of the vault or nowhere
   */
  async file<T>(path: string, task: (place: Place) => Promise<T>): Promise<T> {
    const place = this.reach(path);
    try {
      return await task(place);
    } finally {
      place.close();
    }
  }

  /** The same of a folder; undefined where none is there. */
  folder<T>(path: string, task: (folder: string | undefined) => Promise<T>): Promise<T> {
    return this.file(path, async (place) => {
      const folder = place.inner();
      if (folder === undefined) return task(undefined);
      try {
        const done = await task(folder.at);
        folder.check();
        return done;
      } finally {
        folder.close();
      }
    });
  }

  /** The same of a folder that is made where it is missing. @param mode of what is made */
  async madeFolder<T>(
    path: string,
    mode: number,
    task: (folder: string) => Promise<T>,
  ): Promise<T> {
    await this.file(`${path}/${NOTHING}`, (place) => Promise.resolve(place.make(mode)));
    return this.folder(path, (folder) => {
      if (folder === undefined) throw new StoreError('io', `${path} was removed. Try again.`);
      return task(folder);
    });
  }

  /** First as if there were no links, which is how it mostly is. */
  private reach(path: string): Place {
    const fault = pathFault(path);
    if (fault !== undefined) throw new StoreError('denied', `${path}: ${fault}`);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const place = this.walk(path.split('/')) ?? this.walk(realNames(this.root, path));
      if (place !== undefined) return place;
    }
    throw new StoreError('denied', `${path}: a link on its way leads nowhere, or was just made.`);
  }

  /** @returns undefined where a link stands on the way */
  private walk(names: readonly string[]): Place | undefined {
    let folder = this.openRoot(this.root);
    try {
      for (const [at, name] of names.slice(0, -1).entries()) {
        const next = folder.open(name);
        if (next === 'none') return new Place(folder, names.slice(at));
        folder.close();
        if (next === 'link') return undefined;
        folder = next;
      }
    } catch (error) {
      folder.close();
      throw error;
    }
    const place = new Place(folder, names.slice(-1));
    if (!place.isLink()) return place;
    place.close();
    return undefined;
  }
}

/** One file of a vault, by the deepest of its folders that is there. */
export class Place {
  /** @param names of folders that are missing, then of the file */
  constructor(
    private folder: Folder,
    private names: readonly string[],
  ) {}

  /** How the file is reached; undefined where its folder isn't there. */
  get file(): string | undefined {
    return this.names.length === 1 ? `${this.folder.at}/${this.names.join('')}` : undefined;
  }

  /** Makes the folders that are missing. @returns how the file is reached */
  make(mode?: number): string {
    while (this.file === undefined) {
      const [name = '', ...rest] = this.names;
      makeFolder(this.folder, name, mode);
      const next = this.folder.open(name);
      if (next === 'link') throw madeLink(name);
      if (next === 'none') throw new StoreError('io', `${name} is no folder. Use another path.`);
      this.folder.close();
      [this.folder, this.names] = [next, rest];
    }
    return this.file;
  }

  isLink(): boolean {
    const { file } = this;
    if (file === undefined) return false;
    return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  }

  /** What is here, as a folder. */
  inner(): Folder | undefined {
    if (this.file === undefined) return undefined;
    const found = this.folder.open(this.names.join(''));
    if (found === 'link') throw madeLink(this.names.join(''));
    return found === 'none' ? undefined : found;
  }

  readonly check = (): void => this.folder.check();

  close(): void {
    this.folder.close();
  }
}

/** One that comes to stand elsewhere is taken back. */
function makeFolder(folder: Folder, name: string, mode: number | undefined): void {
  const path = `${folder.at}/${name}`;
  folder.check();
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return;
    throw error;
  }
  try {
    folder.check();
  } catch (error) {
    rmdirSync(path);
    throw error;
  }
}

function madeLink(name: string): StoreError {
  return new StoreError('denied', `${name} has just become a link. Try again.`);
}

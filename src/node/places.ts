import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  rmdirSync,
  statSync,
  type Stats,
} from 'node:fs';
import { noFolder, pathFault } from '../core/board/vault-path';
import { StoreError, type Entry } from '../core/ports';
import { isMissing, systemCode } from './store-error';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { readdir } from 'node:fs/promises';

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
   * @throws StoreError `denied` for a path, or a link, that leads out of the vault or nowhere, `io`
   * where a file stands in the place of a folder on the way
   */
  async file<T>(path: string, task: (place: Place) => T | Promise<T>): Promise<T> {
    const place = this.reach(path);
    try {
      return await task(place);
    } finally {
      place.close();
    }
  }

  /** The same of the vault itself. */
  async vault<T>(task: (folder: string) => Promise<T>): Promise<T> {
    return within(this.top(), task);
  }

  /** The same of a folder; undefined where none is there. */
  folder<T>(path: string, task: (folder: string | undefined) => Promise<T>): Promise<T> {
    return this.file(path, async (place) => {
      const folder = place.inner();
      return folder === undefined ? task(undefined) : within(folder, task);
    });
  }

  /** The same of a folder that is made where it is missing. @param mode of what is made */
  async madeFolder<T>(
    path: string,
    mode: number,
    task: (folder: string) => Promise<T>,
  ): Promise<T> {
    await this.file(`${path}/${NOTHING}`, (place) => place.make(mode));
    return this.folder(path, (folder) => {
      if (folder === undefined) throw new StoreError('io', `${path} was removed. Try again.`);
      return task(folder);
    });
  }

  /** @throws StoreError `io` where the vault is gone: nothing of it is made anew */
  private top(): Folder {
    try {
      return this.openRoot(this.root);
    } catch (error) {
      if (!isMissing(error)) throw error;
      const what = `the folder of the vault, ${this.root}, is no longer there`;
      throw new StoreError('io', `${what}. Put it back, or name the vault's new place.`);
    }
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
    let folder = this.top();
    const folders = names.slice(0, -1);
    try {
      const straight = folder.openAll?.(folders);
      if (straight !== undefined) return endOf(straight, names);
      for (const [at, name] of folders.entries()) {
        const next = folder.open(name);
        if (next === 'none') return new Place(folder, names, at);
        if (next === 'file') throw noFolder(names.slice(0, at + 1).join('/'));
        folder.close();
        if (next === 'link') return undefined;
        folder = next;
      }
    } catch (error) {
      folder.close();
      throw error;
    }
    return endOf(folder, names);
  }
}

/** @param folder of the file that `names` ends with @returns undefined where the file is a link */
function endOf(folder: Folder, names: readonly string[]): Place | undefined {
  const place = new Place(folder, names, names.length - 1);
  if (!place.isLink()) return place;
  place.close();
  return undefined;
}

async function within<T>(folder: Folder, task: (at: string) => Promise<T>): Promise<T> {
  try {
    const done = await task(folder.at);
    folder.check();
    return done;
  } finally {
    folder.close();
  }
}

/** One file of a vault, by the deepest of its folders that is there. */
export class Place {
  /**
   * @param names of all folders, then of the file
   * @param at of the first name that is missing, or of the file
   */
  constructor(
    private folder: Folder,
    private readonly names: readonly string[],
    private at: number,
  ) {}

  /** How the file is reached; undefined where its folder isn't there. */
  get file(): string | undefined {
    const isThere = this.at === this.names.length - 1;
    return isThere ? `${this.folder.at}/${this.name}` : undefined;
  }

  /** Makes the folders that are missing. @returns how the file is reached */
  make(mode?: number): string {
    while (this.file === undefined) {
      makeFolder(this.folder, this.name, mode);
      const next = this.folder.open(this.name);
      if (next === 'link') throw madeLink(this.path);
      if (next === 'none' || next === 'file') throw noFolder(this.path);
      this.folder.close();
      this.folder = next;
      this.at += 1;
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
    const found = this.folder.open(this.name);
    if (found === 'link') throw madeLink(this.path);
    if (found === 'file') throw noFolder(this.path);
    return found === 'none' ? undefined : found;
  }

  private get name(): string {
    return this.names[this.at] ?? '';
  }

  /** What `name` names, relative to the vault. */
  private get path(): string {
    return this.names.slice(0, this.at + 1).join('/');
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

/**
 * A folder by its real name, where a system has no paths by handle. Between `check` and the next
 * step a name can be swapped for a link: so it is looked again right before and right after.
 */
export class NamedFolder implements Folder {
  private constructor(readonly at: string) {}

  static root(this: void, root: string): Folder {
    return new NamedFolder(realpathSync.native(root));
  }

  open(name: string): Opened {
    if (name === '') return new NamedFolder(this.at);
    const path = `${this.at}/${name}`;
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isSymbolicLink() === true) return 'link';
    if (found?.isDirectory() !== true) return found === undefined ? 'none' : 'file';
    // The name as the system writes it, so that a later look can be compared.
    const real = realpathSync.native(path);
    return dirname(real) === this.at ? new NamedFolder(real) : 'link';
  }

  openAll(names: readonly string[]): Folder | undefined {
    const path = join(this.at, ...names);
    const isReal =
      realOf(path) === path && lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    return isReal ? new NamedFolder(path) : undefined;
  }

  check(): void {
    if (realOf(this.at) === this.at) return;
    throw new StoreError('denied', `${this.at} leads elsewhere by now. Try again.`);
  }

  close(): void {
    return;
  }
}

function realOf(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** Of what is not there on Windows, Node knows no number. */
const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY;

const NO_LINK = FOLDER_FLAGS | constants.O_NOFOLLOW;

/**
 * A folder by an open handle, as Linux lets one use it in paths: whoever swaps its name, or that of a
 * folder above it, for a link changes nothing of where this one leads.
 */
export class HeldFolder implements Folder {
  readonly at: string;

  private constructor(private readonly handle: number) {
    this.at = pathOf(handle);
  }

  static root(this: void, root: string): Folder {
    return new HeldFolder(openSync(root, FOLDER_FLAGS));
  }

  open(name: string): Opened {
    const path = `${this.at}/${name}`;
    try {
      return new HeldFolder(openSync(path, NO_LINK));
    } catch (error) {
      if (!isMissing(error)) throw error;
      const found = lstatSync(path, { throwIfNoEntry: false });
      if (found?.isSymbolicLink() === true) return 'link';
      // A folder that is there by now was made since.
      return found === undefined || found.isDirectory() ? 'none' : 'file';
    }
  }

  check(): void {
    return;
  }

  close(): void {
    closeSync(this.handle);
  }
}

/** Whether this system has paths by handle: Linux, where /proc is there. */
export function canHold(): boolean {
  return (holds ??= tryToHold());
}

let holds: boolean | undefined;

function tryToHold(): boolean {
  try {
    const handle = openSync('/proc/self', FOLDER_FLAGS);
    try {
      const [held, named] = [fstatSync(handle), statSync(pathOf(handle))];
      return held.ino === named.ino && held.dev === named.dev;
    } finally {
      closeSync(handle);
    }
  } catch {
    return false;
  }
}

function pathOf(handle: number): string {
  return `/proc/self/fd/${handle}`;
}

/**
 * A folder of a vault, found without following a link. What is reached through it is in that very
 * folder as long as `check` doesn't throw.
 */
export interface Folder {
  /** Files in it are reached as `${at}/${name}`. */
  readonly at: string;
  /** The folder of this name; `link` or `file` where that stands there, `none` where nothing does. */
  open(name: string): Opened;
  /** The last of these folders in one step; undefined where that can't tell whether a link is on the way. */
  openAll?(names: readonly string[]): Folder | undefined;
  /** @throws StoreError `denied` where its name leads to another place by now */
  check(): void;
  close(): void;
}

export type Opened = Folder | 'link' | 'file' | 'none';

/** Opens the root of a vault, which may itself be a link: the person has chosen it. */
export type OpenRoot = (root: string) => Folder;

/**
 * The names on the real way to a vault path. Links inside the vault are followed, so that a write
 * changes what the link names and leaves the link; one that leads out is refused.
 * @throws StoreError `denied`
 */
function realNames(root: string, path: string): readonly string[] {
  const real = deepestReal(join(root, path));
  const way = relative(realpathSync.native(root), real);
  if (leadsOut(way))
    throw new StoreError(
      'denied',
      `${path}: a link leads out of the vault. Put a file or folder in its place, then try again.`,
    );
  return way.split(sep);
}

/** @param way as `relative` gives it */
export function leadsOut(way: string): boolean {
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
}

/** The real path of the deepest ancestor that exists, with the rest of the path behind it. */
function deepestReal(file: string): string {
  try {
    return realpathSync.native(file);
  } catch (error) {
    if (!isMissing(error) || dirname(file) === file) throw error;
    return join(deepestReal(dirname(file)), basename(file));
  }
}

/**
 * What is directly in a folder of a vault, in the order of the system; undefined where none is there.
 * A link inside the vault is what it leads to; one that leads out or nowhere is left out.
 * @param named whether an entry of this name is looked at
 */
export function placeEntries(
  places: Places,
  folder: string,
  named: (name: string) => boolean = () => true,
): Promise<readonly Entry[] | undefined> {
  return places.folder(folder, async (at) => {
    if (at === undefined) return undefined;
    const entries = await readdir(at, { withFileTypes: true });
    const listed = await Promise.all(
      entries
        .filter(({ name }) => named(name))
        .map(async (entry) => {
          const found = entry.isSymbolicLink() ? await linked(places, folder, entry.name) : entry;
          return found === undefined ? [] : entryOf(entry.name, found);
        }),
    );
    return listed.flat();
  });
}

/** What stands at a place; no link, since those were followed. */
export function found({ file, check }: Place): Stats | undefined {
  if (file === undefined) return undefined;
  try {
    const there = lstatSync(file);
    check();
    return there;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** What a link stands for; undefined for one that leads out of the vault, or nowhere. */
async function linked(places: Places, folder: string, name: string): Promise<Stats | undefined> {
  try {
    return await places.file(`${folder}/${name}`, found);
  } catch (error) {
    if (error instanceof StoreError || systemCode(error) === 'ELOOP') return undefined;
    throw error;
  }
}

function entryOf(name: string, there: Pick<Stats, 'isFile' | 'isDirectory'>): Entry[] {
  if (there.isDirectory()) return [{ name, kind: 'folder' }];
  return there.isFile() ? [{ name, kind: 'file' }] : [];
}

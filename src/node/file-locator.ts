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
import { notAFolderError, pathFault } from '../core/board/vault-path';
import { StoreError, type Entry } from '../core/ports';
import { isMissing, systemCode } from './store-error';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { readdir } from 'node:fs/promises';

/** How often a path is followed again because a link appeared on it. */
const MAX_TRIES = 5;

/** Placeholder for a file in a folder; never created. */
const PLACEHOLDER = '.atb-none';

/** Locates the files of a vault in a way that no link created meanwhile can lead out of it. */
export class FileLocator {
  constructor(
    private readonly root: string,
    private readonly openRoot: OpenRoot = supportsHandlePaths()
      ? HandleFolder.root
      : NamedFolder.root,
  ) {}

  /**
   * Runs `task` with the place of a file, which need not exist. Follows links inside the vault
   * first; a link that `task` still finds was created since.
   * @throws StoreError `denied` for a path or link that leads out of the vault or nowhere, `io` if
   * a parent is a file
   */
  async file<T>(path: string, task: (place: FileLocation) => T | Promise<T>): Promise<T> {
    const place = this.locate(path);
    try {
      return await task(place);
    } finally {
      place.close();
    }
  }

  /** Runs `task` with the path of the vault itself. */
  async vault<T>(task: (folder: string) => Promise<T>): Promise<T> {
    return useFolder(this.openVault(), task);
  }

  /** Runs `task` with the path of a folder; undefined if it doesn't exist. */
  folder<T>(path: string, task: (folder: string | undefined) => Promise<T>): Promise<T> {
    return this.file(path, async (place) => {
      const folder = place.openAsFolder();
      return folder === undefined ? task(undefined) : useFolder(folder, task);
    });
  }

  /**
   * Like `folder`, but creates it if it is missing.
   * @param mode of created folders
   */
  async createFolder<T>(
    path: string,
    mode: number,
    task: (folder: string) => Promise<T>,
  ): Promise<T> {
    await this.file(`${path}/${PLACEHOLDER}`, (place) => place.makeParents(mode));
    return this.folder(path, (folder) => {
      if (folder === undefined) throw new StoreError('io', `${path} was removed. Try again.`);
      return task(folder);
    });
  }

  /** @throws StoreError `io` if the vault is gone; it is never created again */
  private openVault(): Folder {
    try {
      return this.openRoot(this.root);
    } catch (error) {
      if (!isMissing(error)) throw error;
      const what = `the folder of the vault, ${this.root}, is no longer there`;
      throw new StoreError('io', `${what}. Put it back, or name the vault's new place.`);
    }
  }

  /** Tries the path without following links first, since most paths have none. */
  private locate(path: string): FileLocation {
    const fault = pathFault(path);
    if (fault !== undefined) throw new StoreError('denied', `${path}: ${fault[0]}`);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const place = this.walk(path.split('/')) ?? this.walk(realNames(this.root, path));
      if (place !== undefined) return place;
    }
    throw new StoreError('denied', `${path}: a link on its way leads nowhere, or was just made.`);
  }

  /** @returns undefined if there is a link on the path */
  private walk(names: readonly string[]): FileLocation | undefined {
    let folder = this.openVault();
    const folders = names.slice(0, -1);
    try {
      const direct = folder.openAll?.(folders);
      if (direct !== undefined) return locateIn(direct, names);
      for (const [at, name] of folders.entries()) {
        const next = folder.open(name);
        if (next === 'none') return new FileLocation(folder, names, at);
        if (next === 'file') throw notAFolderError(names.slice(0, at + 1).join('/'));
        folder.close();
        if (next === 'link') return undefined;
        folder = next;
      }
    } catch (error) {
      folder.close();
      throw error;
    }
    return locateIn(folder, names);
  }
}

/**
 * @param folder of the last of `names`, the file
 * @returns undefined if the file is a link
 */
function locateIn(folder: Folder, names: readonly string[]): FileLocation | undefined {
  const place = new FileLocation(folder, names, names.length - 1);
  let isKept = false;
  try {
    isKept = !place.isLink();
    return isKept ? place : undefined;
  } finally {
    if (!isKept) place.close();
  }
}

async function useFolder<T>(folder: Folder, task: (at: string) => Promise<T>): Promise<T> {
  try {
    const done = await task(folder.at);
    folder.check();
    return done;
  } finally {
    folder.close();
  }
}

/** A file of a vault, located by its deepest existing folder. */
export class FileLocation {
  /**
   * @param names of all folders and of the file
   * @param at index of the first missing name, or of the file
   */
  constructor(
    private folder: Folder,
    private readonly names: readonly string[],
    private at: number,
  ) {}

  /** The path to use for the file; undefined if its folder doesn't exist. */
  get file(): string | undefined {
    const isThere = this.at === this.names.length - 1;
    return isThere ? `${this.folder.at}/${this.name}` : undefined;
  }

  /**
   * Creates missing folders.
   * @returns the path to use for the file
   */
  makeParents(mode?: number): string {
    while (this.file === undefined) {
      makeFolder(this.folder, this.name, mode);
      const next = this.folder.open(this.name);
      if (next === 'link') throw becameLinkError(this.path);
      if (next === 'none' || next === 'file') throw notAFolderError(this.path);
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

  /** The place itself, opened as a folder. */
  openAsFolder(): Folder | undefined {
    if (this.file === undefined) return undefined;
    const found = this.folder.open(this.name);
    if (found === 'link') throw becameLinkError(this.path);
    if (found === 'file') throw notAFolderError(this.path);
    return found === 'none' ? undefined : found;
  }

  private get name(): string {
    return this.names[this.at] ?? '';
  }

  /** The vault path of `name`. */
  private get path(): string {
    return this.names.slice(0, this.at + 1).join('/');
  }

  readonly check = (): void => this.folder.check();

  close(): void {
    this.folder.close();
  }
}

/** Creates a folder. Removes it again if its parent has moved meanwhile. */
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

function becameLinkError(name: string): StoreError {
  return new StoreError('denied', `${name} has just become a link. Try again.`);
}

/**
 * A folder given by its real name, for systems without paths by handle. A name can be replaced by a
 * link between `check` and the next step, so it is checked immediately before and after.
 */
export class NamedFolder implements Folder {
  private constructor(readonly at: string) {}

  static root(this: void, root: string): Folder {
    return new NamedFolder(realpathSync.native(root));
  }

  open(name: string): OpenResult {
    if (name === '') return new NamedFolder(this.at);
    const path = `${this.at}/${name}`;
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isSymbolicLink() === true) return 'link';
    if (found?.isDirectory() !== true) return found === undefined ? 'none' : 'file';
    // The name in the system's spelling, so that later checks can compare it.
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

/** These flags are undefined on Windows. */
const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY;

const NO_LINK_FLAGS = FOLDER_FLAGS | constants.O_NOFOLLOW;

/**
 * A folder given by an open handle, which Linux allows in paths. Replacing its name or a parent's
 * by a link doesn't change where it leads.
 */
export class HandleFolder implements Folder {
  readonly at: string;

  private constructor(private readonly handle: number) {
    this.at = pathOf(handle);
  }

  static root(this: void, root: string): Folder {
    return new HandleFolder(openSync(root, FOLDER_FLAGS));
  }

  open(name: string): OpenResult {
    const path = `${this.at}/${name}`;
    try {
      return new HandleFolder(openSync(path, NO_LINK_FLAGS));
    } catch (error) {
      if (!isMissing(error)) throw error;
      const found = lstatSync(path, { throwIfNoEntry: false });
      if (found?.isSymbolicLink() === true) return 'link';
      // If there is a folder now, it was created after the first call.
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

/** Whether this system has paths by handle: Linux with /proc. */
export function supportsHandlePaths(): boolean {
  return (isSupported ??= testHandlePaths());
}

let isSupported: boolean | undefined;

function testHandlePaths(): boolean {
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
 * A folder of a vault, opened without following a link. Paths through it lead into this very folder
 * as long as `check` doesn't throw.
 */
export interface Folder {
  /** Path prefix: files in it are `${at}/${name}`. */
  readonly at: string;
  /**
   * Opens the folder with this name. Returns `link`, `file` or `none` if it is something else or
   * missing.
   */
  open(name: string): OpenResult;
  /**
   * Opens the last of these nested folders in one step; undefined if there may be a link on the
   * path.
   */
  openAll?(names: readonly string[]): Folder | undefined;
  /** @throws StoreError `denied` if the folder's name leads elsewhere now */
  check(): void;
  close(): void;
}

export type OpenResult = Folder | 'link' | 'file' | 'none';

/** Opens the root of a vault. The root may be a link, since the person chose it. */
export type OpenRoot = (root: string) => Folder;

/**
 * The names on the real path of a vault path. Follows links inside the vault, so that a write
 * changes the link's target and keeps the link; refuses links that lead out.
 * @throws StoreError `denied`
 */
function realNames(root: string, path: string): readonly string[] {
  const real = deepestReal(join(root, path));
  const relativePath = relative(realpathSync.native(root), real);
  if (isOutside(relativePath))
    throw new StoreError(
      'denied',
      `${path}: a link leads out of the vault. Put a file or folder in its place, then try again.`,
    );
  return relativePath.split(sep);
}

/** @param way a result of `relative` */
export function isOutside(way: string): boolean {
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
}

/** The real path of the deepest existing ancestor, with the rest of the path appended. */
function deepestReal(file: string): string {
  try {
    return realpathSync.native(file);
  } catch (error) {
    if (!isMissing(error) || dirname(file) === file) throw error;
    return join(deepestReal(dirname(file)), basename(file));
  }
}

/**
 * The entries directly in a folder of a vault, unsorted; undefined if there is no such folder. A
 * link inside the vault counts as its target; one that leads out or nowhere is left out.
 * @param isIncluded whether to include an entry with this name
 */
export function listEntries(
  places: FileLocator,
  folder: string,
  isIncluded: (name: string) => boolean = () => true,
): Promise<readonly Entry[] | undefined> {
  return places.folder(folder, async (at) => {
    if (at === undefined) return undefined;
    const entries = await readdir(at, { withFileTypes: true });
    const listed = await Promise.all(
      entries
        .filter(({ name }) => isIncluded(name))
        .map(async (entry) => {
          const found = entry.isSymbolicLink()
            ? await statLinkTarget(places, folder, entry.name)
            : entry;
          return found === undefined ? [] : entryOf(entry.name, found);
        }),
    );
    return listed.flat();
  });
}

/** The stat of a place; never a link, since links were followed. */
export function statLocation({ file, check }: FileLocation): Stats | undefined {
  if (file === undefined) return undefined;
  try {
    const there = lstatSync(file, { throwIfNoEntry: false });
    if (there !== undefined) check();
    return there;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** The stat of a link's target; undefined if it is outside of the vault or missing. */
async function statLinkTarget(
  places: FileLocator,
  folder: string,
  name: string,
): Promise<Stats | undefined> {
  try {
    return await places.file(`${folder}/${name}`, statLocation);
  } catch (error) {
    if (error instanceof StoreError || systemCode(error) === 'ELOOP') return undefined;
    throw error;
  }
}

function entryOf(name: string, there: Pick<Stats, 'isFile' | 'isDirectory'>): Entry[] {
  if (there.isDirectory()) return [{ name, kind: 'folder' }];
  return there.isFile() ? [{ name, kind: 'file' }] : [];
}

import { catchStoreError, refusal } from '../../fault';
import type { Entry, NoteStore, Stat } from '../../ports';
import { storeRefusal } from '../../fault/store-faults';
import { decodeName, encodeName, isValidSessionId } from '../board-path';
import { readHeader } from '../note/header';
import { parseNote } from '../note/parse-note';
import { STATE_ROOT } from '../state-file';
import {
  agentPart,
  plainFile,
  sessionTail,
  tailOf,
  titledFile,
  titledFolder,
} from './titled-names';

/** How often to look for a note again because it was renamed in the meantime. */
const MAX_TRIES = 20;

/** Number of consecutive looks that must find the same files during a naming. */
const MIN_SAME_RESULTS = 3;

/**
 * File in the state folder with the renames of the naming in progress; it stays there when there
 * are none.
 */
export const NAMING_JOURNAL = 'naming.json';

export const NO_RENAMES = '{"renames":[]}\n';

function isNamingInProgress(naming: string): boolean {
  return naming !== '' && !naming.endsWith(` ${NO_RENAMES.length}`);
}

/** A path of a session's folder, as names without titles. */
interface PlainPath {
  readonly folder: string;
  readonly name: string;
}

/** The files of one session: actual path by plain name. */
type FilesByName = ReadonlyMap<string, string>;

/** The files of one session under the board root. */
export interface NamedFiles {
  readonly files: FilesByName;
  /** its existing folders, relative to the vault; those with a title first */
  readonly folders: readonly string[];
  /** files that are ignored because there is another file of the same board */
  readonly duplicates: readonly string[];
}

/**
 * A store in which boards may be named by their titles. Programs address a board by its plain path,
 * `<root>/<session>/<agent>-tasks.md`, whatever the name of its note; this store finds the note. So
 * all data stored by a board's path stays with the board when its note is renamed.
 *
 * A folder `<title> (<tail>)` belongs to the session in the header of one of its notes, if that
 * session's id has this tail; without a readable header it belongs to any session with the tail. A
 * session may have several folders: after an interrupted rename, all its notes are found.
 */
export class NamedStore implements NoteStore {
  private readonly filesBySession = new Map<string, NamedFiles>();
  /** Plain names of folders with a title, as far as their notes have been read. */
  private readonly plainNames = new Map<string, string>();

  /** @param byTitle whether new boards are named by their titles */
  constructor(
    private readonly inner: NoteStore,
    private root: string,
    private byTitle = false,
  ) {}

  /** Sets the folder of the boards, and how new ones are named. */
  configure(root: string, byTitle: boolean): void {
    if (root !== this.root) {
      this.filesBySession.clear();
      this.plainNames.clear();
    }
    [this.root, this.byTitle] = [root, byTitle];
  }

  /** The folder of all boards, relative to the vault. */
  get boardRoot(): string {
    return this.root;
  }

  /** The actual path of the note of a plain path, if it was looked for already. */
  fileOf(path: string): string {
    const at = this.splitPlainPath(path);
    return (at && this.filesBySession.get(at.folder)?.files.get(at.name)) ?? path;
  }

  /**
   * Files that are ignored because there is another note of the same board; only in sessions looked
   * at so far.
   */
  get duplicates(): readonly string[] {
    return [...this.filesBySession.values()].flatMap(({ duplicates: doubles }) => doubles);
  }

  /** The plain path of a file under the board root; any other path unchanged. */
  plainPath(file: string): string {
    const at = this.splitPath(file);
    const folder = at && (this.plainNames.get(at.folder) ?? at.folder);
    return at && folder !== undefined ? `${this.root}/${folder}/${plainFile(at.name)}` : file;
  }

  async read(path: string): Promise<string | undefined> {
    return this.withCurrentFile(path, (file) => this.inner.read(file));
  }

  async stat(path: string): Promise<Stat | undefined> {
    return this.withCurrentFile(path, (file) => this.inner.stat(file));
  }

  /**
   * If the note was renamed since it was looked for, looks for it again, so that `edit` never
   * creates it a second time.
   */
  async update(
    path: string,
    edit: (text: string | undefined) => string | undefined,
  ): Promise<string | undefined> {
    const at = this.splitPlainPath(path);
    if (at === undefined) return this.inner.update(path, edit);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      let session = this.filesBySession.get(at.folder);
      if (session?.files.has(at.name) !== true) session = await this.findFiles(at.folder);
      const there = session.files.get(at.name);
      const file = there ?? newFile(this.root, at, session);
      let seen: 'gone' | 'made' | undefined;
      const text = await this.inner.update(file, (now) => {
        seen = now === undefined && there !== undefined ? 'gone' : undefined;
        if (seen === 'gone') return undefined;
        const after = edit(now);
        if (now === undefined && after !== undefined) seen = 'made';
        return after;
      });
      if (seen === 'gone') this.filesBySession.delete(at.folder);
      else if (seen !== 'made' || !(await this.finishNewNote(at, file, text ?? ''))) return text;
    }
    throw storeRefusal('busy', 'keepsRenaming', { path });
  }

  append(path: string, lines: string, most: number): Promise<boolean> {
    return this.inner.append(this.fileOf(path), lines, most);
  }

  async remove(path: string): Promise<void> {
    await this.stat(path);
    await this.inner.remove(this.fileOf(path));
  }

  /** Folders and files under the board root by their plain names, without duplicates. */
  async list(folder: string): Promise<readonly Entry[]> {
    if (folder === this.root) return this.listRoot();
    const name = folder.startsWith(`${this.root}/`) ? folder.slice(this.root.length + 1) : '';
    if (decodeName(name) === undefined) return this.inner.list(folder);
    const before = this.filesBySession.get(name);
    let session = before && (await this.readFolders(before.folders));
    const stands = (path: string): boolean => session?.files.has(path) === true;
    if (
      session === undefined ||
      session.files.size === 0 ||
      ![...(before?.files.keys() ?? [])].every(stands)
    ) {
      session = await this.findFiles(name);
    } else this.filesBySession.set(name, session);
    const files = [...session.files.keys()].map((one): Entry => ({ name: one, kind: 'file' }));
    return files.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Names of the folders under the root without a title. Reads no note. */
  async plainFolders(): Promise<readonly string[]> {
    return (await this.folders()).filter((name) => tailOf(name) === undefined);
  }

  /** The actual names of all folders under the root. */
  async folders(): Promise<readonly string[]> {
    const entries = await this.inner.list(this.root);
    return entries.flatMap(({ name, kind }) => (kind === 'folder' ? [name] : []));
  }

  /**
   * Finds the files of a session. During a naming, listing two folders one after the other can miss
   * a file that moves from the second to the first: so the look is repeated then.
   * @param folder the session's folder by its plain name
   * @param names names of all folders under the root, if the caller has them
   */
  async findFiles(folder: string, names?: readonly string[]): Promise<NamedFiles> {
    let before = await this.namingState();
    let [last, same] = ['', 0];
    for (let tries = 1; ; tries += 1) {
      const found = await this.findFilesOnce(folder, tries === 1 ? names : undefined);
      const after = await this.namingState();
      const files = JSON.stringify([...found.files.keys()].sort());
      [last, same] = [files, files === last ? same + 1 : 1];
      const isQuiet = before === after && !isNamingInProgress(after);
      before = after;
      if (!isQuiet && same < MIN_SAME_RESULTS && tries < MAX_TRIES) continue;
      this.filesBySession.set(folder, found);
      return found;
    }
  }

  /**
   * Identifies the state of the naming journal: it differs after each naming, and while one is in
   * progress.
   */
  private async namingState(): Promise<string> {
    const stat = await this.inner.stat(`${STATE_ROOT}/${NAMING_JOURNAL}`);
    return stat === undefined ? '' : `${stat.mtime} ${stat.size}`;
  }

  private async findFilesOnce(folder: string, names?: readonly string[]): Promise<NamedFiles> {
    const session = decodeName(folder);
    const titled: string[] = [];
    if (session !== undefined && canHaveTitle(folder)) {
      const tail = sessionTail(session);
      for (const name of names ?? (await this.folders())) {
        if (tailOf(name) !== tail) continue;
        // Read again: another session with this tail may have taken over the folder's name.
        const owner = await this.readOwner(name, tail);
        if (owner === undefined || owner === folder) titled.push(name);
      }
    }
    for (const name of titled) this.plainNames.set(name, folder);
    const there = [...titled.sort(), folder].map((name) => `${this.root}/${name}`);
    return this.readFolders(there);
  }

  /**
   * Renames a file if the new name is free; both are actual paths.
   * @returns whether the file has the name now
   */
  async rename(from: string, to: string): Promise<boolean> {
    const renamed = await this.inner.rename(from, to);
    const folder = this.splitPlainPath(this.plainPath(from))?.folder;
    if (renamed && folder !== undefined) this.cacheFile(folder, to);
    return renamed;
  }

  private cacheFile(folder: string, file: string): void {
    const { files, folders, duplicates: doubles } = this.filesBySession.get(folder) ?? NO_FILES;
    const above = file.slice(0, file.lastIndexOf('/'));
    if (tailOf(lastSegment(above)) !== undefined) this.plainNames.set(lastSegment(above), folder);
    this.filesBySession.set(folder, {
      files: new Map(files).set(plainFile(lastSegment(file)), file),
      folders: folders.includes(above) ? folders : [above, ...folders],
      duplicates: doubles,
    });
  }

  /**
   * A board is created at its plain path first, under the lock that all its creators take; then it
   * gets its title.
   * @returns whether there was another note of this board: the new one is removed again
   */
  private async finishNewNote(at: PlainPath, file: string, text: string): Promise<boolean> {
    if (!at.name.endsWith('-tasks.md')) {
      this.cacheFile(at.folder, file);
      return false;
    }
    const { duplicates: doubles, folders } = await this.findFiles(at.folder);
    if (doubles.includes(file)) {
      await this.inner.remove(file);
      this.filesBySession.delete(at.folder);
      return true;
    }
    const titled = folders.find((path) => tailOf(lastSegment(path)) !== undefined);
    const { title, broken } = parseNote(file, text).board;
    if (broken !== null || !canHaveTitle(at.folder) || !(this.byTitle || titled !== undefined))
      return false;
    const tail = sessionTail(decodeName(at.folder) ?? '');
    const folder = titled ?? `${this.root}/${titledFolder(title, tail, await this.folders())}`;
    // A failed rename does not prevent the creation of the board: it keeps its plain name.
    await refusal(() => this.rename(file, `${folder}/${titledFile(title, at.name)}`));
    return false;
  }

  private async withCurrentFile<T>(
    path: string,
    get: (file: string) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const at = this.splitPlainPath(path);
    if (at === undefined) return get(path);
    let session = this.filesBySession.get(at.folder) ?? (await this.findFiles(at.folder));
    for (let tries = 1; ; tries += 1) {
      const there = session.files.get(at.name);
      const file = there ?? newFile(this.root, at, session);
      const got = await get(file);
      if (got !== undefined || tries === MAX_TRIES) return got;
      if (tries === 1 && (await this.isCacheCurrent(session, file))) return got;
      // After a second look, a file without an entry does not exist; others were renamed again.
      if (tries > 1 && there === undefined) return got;
      session = await this.findFiles(at.folder);
    }
  }

  /** Whether the cached files of a session are still there; then a missing file is nowhere else. */
  private async isCacheCurrent({ files }: NamedFiles, missing: string): Promise<boolean> {
    const [one] = [...files.values()].filter((file) => file !== missing);
    const known = [...files.values()].includes(missing);
    return !known && one !== undefined && (await this.inner.stat(one)) !== undefined;
  }

  private async listRoot(): Promise<readonly Entry[]> {
    const entries = await this.inner.list(this.root);
    const found = new Map<string, Entry>();
    for (const entry of entries) {
      const tail = entry.kind === 'folder' ? tailOf(entry.name) : undefined;
      // In a folder without a readable header, only the tail of the session is known.
      const name = tail === undefined ? entry.name : ((await this.ownerOf(entry.name)) ?? tail);
      found.set(name, { ...entry, name });
    }
    return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The plain name of a folder with a title, by its notes' headers; undefined if unreadable. */
  private async ownerOf(folder: string): Promise<string | undefined> {
    const tail = tailOf(folder);
    if (tail === undefined) return undefined;
    return this.plainNames.get(folder) ?? this.readOwner(folder, tail);
  }

  /** @param tail that of the folder */
  private async readOwner(folder: string, tail: string): Promise<string | undefined> {
    for (const { name, kind } of await this.inner.list(`${this.root}/${folder}`)) {
      if (kind !== 'file' || agentPart(plainFile(name)) === undefined) continue;
      const session = await this.sessionIn(`${this.root}/${folder}/${name}`);
      if (session === undefined || sessionTail(session) !== tail) continue;
      const owner = encodeName(session, []);
      this.plainNames.set(folder, owner);
      return owner;
    }
    return undefined;
  }

  private async sessionIn(file: string): Promise<string | undefined> {
    const text = await catchStoreError(
      () => this.inner.read(file),
      () => undefined,
    );
    const read = text === undefined ? undefined : readHeader(text);
    const session = read?.ok === true ? read.header.data.session : undefined;
    return session !== undefined && isValidSessionId(session) ? session : undefined;
  }

  private async readFolders(folders: readonly string[]): Promise<NamedFiles> {
    const files = new Map<string, string>();
    const doubles: string[] = [];
    const there: string[] = [];
    for (const folder of folders) {
      const entries = (await this.inner.list(folder)).filter(({ kind }) => kind === 'file');
      if (entries.length > 0) there.push(folder);
      // Names with a title first: a plain name beside one is from a time before the naming.
      const names = entries.map(({ name }) => name);
      const byTitle = (name: string): number => (plainFile(name) === name ? 1 : 0);
      for (const name of names.sort((a, b) => byTitle(a) - byTitle(b) || (a < b ? -1 : 1))) {
        if (files.has(plainFile(name))) doubles.push(`${folder}/${name}`);
        else files.set(plainFile(name), `${folder}/${name}`);
      }
    }
    return { files, folders: there, duplicates: doubles };
  }

  /** The names of a path two levels below the root; undefined for any other path. */
  private splitPath(path: string): PlainPath | undefined {
    if (!path.startsWith(`${this.root}/`)) return undefined;
    const [folder, name, more] = path.slice(this.root.length + 1).split('/');
    return folder === undefined || name === undefined || more !== undefined
      ? undefined
      : { folder, name };
  }

  /** The same for a plain path; undefined for a folder with a title. */
  private splitPlainPath(path: string): PlainPath | undefined {
    const at = this.splitPath(path);
    return at !== undefined && decodeName(at.folder) !== undefined ? at : undefined;
  }
}

/** Path of a new file: beside its board if there is one, else its plain path. */
function newFile(root: string, { folder, name }: PlainPath, { files }: NamedFiles): string {
  const agent = agentPart(name);
  const board = agent === undefined ? undefined : files.get(`${agent}-tasks.md`);
  const plain = `${agent ?? ''}-tasks.md`;
  if (board === undefined || name === plain || !board.endsWith(plain))
    return `${root}/${folder}/${name}`;
  return `${board.slice(0, -plain.length)}${name}`;
}

/**
 * Whether a session's folder can have a title. If two ids differ only by case, one of them is
 * encoded in another form, whose tail could not be told from the other's.
 */
export function canHaveTitle(folder: string): boolean {
  const session = decodeName(folder);
  return session !== undefined && encodeName(session, []) === folder;
}

const NO_FILES: NamedFiles = { files: new Map(), folders: [], duplicates: [] };

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

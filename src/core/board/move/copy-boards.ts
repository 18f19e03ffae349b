import { StoreError, type Entry, type NoteStore } from '../../ports';
import { jsonAs } from '../../json';
import { readBoardPath } from '../board-path';
import * as z from 'zod/mini';
import { lazy } from '../../lazy';

/** Follows a move, and may end it as long as the boards are where they were. */
export interface MoveControl {
  /** files copied, of how many */
  readonly progress: (done: number, total: number) => void;
  readonly cancelled: () => boolean;
}

/** How often what changed meanwhile is copied again; what changes still is brought over at the end. */
const MAX_PASSES = 4;

/** Makes the copies of a move, and keeps them like their source while that is written to. */
export class BoardCopies {
  /** by path: the digest that was read back from its copy */
  private readonly verified = new Map<string, string>();

  constructor(
    private readonly files: MoveFiles,
    private readonly record: MoveJournal,
    private journal: Journal,
  ) {}

  /** @returns the journal of what was copied; undefined where it was cancelled on the way */
  async make(control: MoveControl): Promise<Journal | undefined> {
    let { progress } = control;
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      const before = [...this.verified];
      if (!(await this.pass({ ...control, progress }))) return undefined;
      // What follows are looks for late changes: the bar stays full.
      progress = () => undefined;
      const same = ([path, digest]: readonly [string, string]) =>
        this.verified.get(path) === digest;
      if (before.length === this.verified.size && before.every(same)) break;
    }
    const copies = [...this.journal.copies].filter(([path]) => this.verified.has(path));
    return { ...this.journal, copies: new Map(copies) };
  }

  /** @returns false where it was cancelled */
  private async pass(control: MoveControl): Promise<boolean> {
    const { from, copies } = this.journal;
    const { files } = await fileTree(this.files, from);
    for (const [index, path] of files.entries()) {
      if (control.cancelled()) return false;
      control.progress(index, files.length);
      await this.follow(path);
    }
    const there = new Set(files);
    for (const path of copies.keys()) if (!there.has(path)) await this.withdraw(path);
    control.progress(files.length, files.length);
    return !control.cancelled();
  }

  private async follow(path: string): Promise<void> {
    const bytes = await this.files.read(`${this.journal.from}/${path}`);
    if (bytes === undefined) return this.withdraw(path);
    const digest = await this.files.digest(bytes);
    if (this.verified.get(path) === digest) return;
    if (this.journal.copies.get(path)?.at(-1) !== digest) {
      this.journal = withCopy(this.journal, path, digest);
      await this.record.write(this.journal);
    }
    const target = `${this.journal.to}/${path}`;
    const standing = await this.standing(path);
    const there =
      standing === digest || (await copyVerified(this.files, target, { bytes, digest }, standing));
    if (!there) throw touched(target);
    this.verified.set(path, digest);
  }

  /** The digest of what stands where a copy goes. @throws StoreError where that is no copy of ours */
  private async standing(path: string): Promise<string | undefined> {
    const target = `${this.journal.to}/${path}`;
    const bytes = await this.files.read(target);
    if (bytes === undefined) return undefined;
    const digest = await this.files.digest(bytes);
    if (this.journal.copies.get(path)?.includes(digest) === true) return digest;
    throw touched(target);
  }

  /** What is gone from the source must not come back by its copy. */
  private async withdraw(path: string): Promise<void> {
    this.verified.delete(path);
    const standing = await this.standing(path);
    const target = `${this.journal.to}/${path}`;
    if (standing !== undefined && !(await this.files.remove(target, standing))) {
      throw touched(target);
    }
  }
}

/** What a file holds, and its digest. */
interface Content {
  readonly bytes: Uint8Array;
  readonly digest: string;
}

/**
 * Puts a file in the place of what `over` names and reads it back.
 * @returns false where something else stood there
 * @throws StoreError where it reads back as something else
 */
async function copyVerified(
  files: MoveFiles,
  path: string,
  { bytes, digest }: Content,
  over: string | undefined,
): Promise<boolean> {
  if (!(await files.write(path, bytes, over))) return false;
  const written = await files.read(path);
  if (written !== undefined && (await files.digest(written)) === digest) return true;
  throw new StoreError('io', `${path} was written, but reads back as something else.`);
}

function touched(target: string): StoreError {
  const message = `${target} was changed while the boards were copied. Keep what you need of it, remove it, then move again.`;
  return new StoreError('io', message);
}

/** Looks at the old folder; each finds what programs that had not heard of the move wrote meanwhile. */
const MAX_ROUNDS = 4;

/**
 * Takes the old folder to the trash, file by file, after the boards live in the new one. A file that
 * is no longer what was copied holds a change that came late: it is brought over first.
 */
export class OldRoot {
  /**
   * By path: what the new folder holds if nobody changed it there. Only what goes on from it may take
   * its place: not a file that was made anew where the old one is gone, and nobody knows that of a
   * file that a later run finds.
   */
  private readonly untouched: Map<string, string>;
  private readonly besides = new Set<string>();

  /** @param resumed the boards were switched by an earlier run */
  constructor(
    private readonly files: MoveFiles,
    private readonly journal: Journal,
    private readonly resumed: boolean,
  ) {
    const copied = [...journal.copies].map(([path]) => [path, this.copied(path) ?? ''] as const);
    this.untouched = new Map(resumed ? [] : copied);
  }

  /**
   * @returns the copies beside boards that changed in the new folder as well, and the files of the old one
   *   that are there still, since they change all the time
   */
  async clear() {
    const { from } = this.journal;
    let left: readonly string[] = [];
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      left = (await fileTree(this.files, from)).files.filter((path) => this.isOurs(path));
      if (left.length === 0) break;
      for (const path of left) await this.clearOne(path);
    }
    const { folders } = await fileTree(this.files, from);
    for (const folder of folders) await this.files.removeEmpty(`${from}/${folder}`);
    await this.files.removeEmpty(from);
    return { besides: [...this.besides], left };
  }

  private async clearOne(path: string): Promise<void> {
    const old = `${this.journal.from}/${path}`;
    const bytes = await this.files.read(old);
    if (bytes === undefined) return;
    const digest = await this.files.digest(bytes);
    const here = digest === this.copied(path) || (await this.bringOver(path, { bytes, digest }));
    if (here && (await this.files.trash(old, digest))) this.untouched.delete(path);
  }

  /** @returns false where the new folder changed meanwhile; the next round tries again */
  private async bringOver(path: string, late: Content): Promise<boolean> {
    const { files } = this;
    const target = `${this.journal.to}/${path}`;
    const now = await files.read(target);
    const standing = now === undefined ? undefined : await files.digest(now);
    if (standing === late.digest) return true;
    if (standing !== undefined && standing !== this.untouched.get(path)) {
      return this.putBeside(target, late);
    }
    if (!(await files.write(target, late.bytes, standing))) return false;
    this.untouched.set(path, late.digest);
    return true;
  }

  private async putBeside(target: string, late: Content): Promise<boolean> {
    const beside = await this.nameBeside(target, late.digest);
    const { path, there } = beside;
    if (!there && !(await copyVerified(this.files, path, late, undefined))) return false;
    this.besides.add(path);
    return true;
  }

  /** A name that no board has and that is told as a copy; an earlier try may stand there already. */
  private async nameBeside(
    target: string,
    digest: string,
  ): Promise<{ readonly path: string; readonly there: boolean }> {
    const [, stem = target, ending = ''] = /^(.*?)(\.[^./]*)?$/s.exec(target) ?? [];
    for (let number = 1; ; number += 1) {
      const count = number === 1 ? '' : ` ${number}`;
      const path = `${stem} (conflicted copy from before the move${count})${ending}`;
      const bytes = await this.files.read(path);
      if (bytes === undefined) return { path, there: false };
      if ((await this.files.digest(bytes)) === digest) return { path, there: true };
    }
  }

  /** What a later run finds may have come since, and be no board: that is left where it is. */
  private isOurs(path: string): boolean {
    const { from, copies } = this.journal;
    return (
      !this.resumed || copies.has(path) || readBoardPath(from, `${from}/${path}`) !== undefined
    );
  }

  private copied(path: string): string | undefined {
    return this.journal.copies.get(path)?.at(-1);
  }
}

/** All below a folder, as paths less that folder. */
export interface FileTree {
  readonly files: readonly string[];
  /** deepest first */
  readonly folders: readonly string[];
}

/**
 * What is below a folder, sorted. Names that begin with a dot are left out: they belong to a system,
 * to a sync tool, or to a write that is under way, and none of them is a board.
 */
export async function fileTree(files: MoveFiles, folder: string): Promise<FileTree> {
  const found = { files: [] as string[], folders: [] as string[] };
  const look = async (below: string): Promise<void> => {
    const at = below === '' ? folder : `${folder}/${below}`;
    for (const { name, kind } of await files.list(at)) {
      if (name.startsWith('.')) continue;
      const path = below === '' ? name : `${below}/${name}`;
      if (kind === 'file') found.files.push(path);
      else {
        await look(path);
        found.folders.push(path);
      }
    }
  };
  await look('');
  return found;
}

/**
 * Files of a vault as bytes, for what is moved whole whatever it holds. Paths are relative to the
 * vault, "/"-separated; hidden folders work too. Whatever fails throws a StoreError.
 */
export interface MoveFiles {
  /** What stands at a path, undefined where nothing does. */
  kind(path: string): Promise<'file' | 'folder' | undefined>;
  /** What is directly in a folder; empty where the folder does not exist. */
  list(folder: string): Promise<readonly Entry[]>;
  /** The bytes, or undefined where there is no file. */
  read(path: string): Promise<Uint8Array | undefined>;
  /**
   * Puts bytes in the place of what this digest names, undefined for nothing: afterwards they stand
   * whole, or what stood before. Folders are made. @returns false where something else stands by now
   */
  write(path: string, bytes: Uint8Array, over: string | undefined): Promise<boolean>;
  /** Takes a file away for good, if it holds what this digest names. @returns false where not */
  remove(path: string, digest: string): Promise<boolean>;
  /**
   * Takes a file to the person's trash, if it holds what this digest names.
   * @returns false where it holds something else by now; it then stays
   */
  trash(path: string, digest: string): Promise<boolean>;
  /** Takes a folder away if nothing at all is in it; one that is not there is no error. */
  removeEmpty(folder: string): Promise<void>;
  /** SHA-256, in hex. */
  digest(bytes: Uint8Array): Promise<string>;
}

/** A move that is under way, so that it can be finished or taken back after a crash. */
const journal = lazy(() =>
  z.object({
    from: z.string(),
    to: z.string(),
    /** folders that stood before: the new root, those above it and those below it */
    had: z.array(z.string()),
    /** by path less the root: digests of all that was ever copied there, the newest last */
    copies: z.array(z.tuple([z.string(), z.array(z.string())])),
  }),
);

export interface Journal {
  readonly from: string;
  readonly to: string;
  readonly had: readonly string[];
  readonly copies: ReadonlyMap<string, readonly string[]>;
}

/** Keeps the journal of the one move that may be under way in a vault. */
export class MoveJournal {
  private readonly path: string;

  constructor(
    private readonly store: NoteStore,
    stateRoot: string,
  ) {
    this.path = `${stateRoot}/move.json`;
  }

  /** A journal that is damaged counts as none: what it told can be seen in both folders. */
  async read(): Promise<Journal | undefined> {
    const read = jsonAs(journal(), await this.store.read(this.path));
    return read && { ...read, copies: new Map(read.copies) };
  }

  async write({ copies, ...rest }: Journal): Promise<void> {
    const pairs = [...copies].map(([path, digests]) => [path, [...digests]]);
    const text = `${JSON.stringify({ ...rest, copies: pairs })}\n`;
    await this.store.update(this.path, () => text);
  }

  async remove(): Promise<void> {
    await this.store.remove(this.path);
  }
}

/** The journal with one more digest for a path, written before the copy is. */
export function withCopy(before: Journal, path: string, digest: string): Journal {
  const older = (before.copies.get(path) ?? []).filter((one) => one !== digest);
  return { ...before, copies: new Map(before.copies).set(path, [...older, digest]) };
}

import type { Entry, NoteStore, StoreError } from '../../ports';
import { storeRefusal } from '../../fault/store-faults';
import { jsonAs } from '../../json';
import { readBoardPath } from '../board-path';
import * as z from 'zod/mini';
import { lazy } from '../../lazy';

/** Reports the progress of a move, and can cancel it before the switch. */
export interface MoveControl {
  /** number of files copied, and of all files */
  readonly progress: (done: number, total: number) => void;
  readonly cancelled: () => boolean;
}

/** How often changed files are copied again; later changes are transferred by `OldRoot`. */
const MAX_PASSES = 4;

/** Copies the files of a move, and updates the copies while their sources change. */
export class BoardCopies {
  /** digest read back from each copy, by path */
  private readonly verified = new Map<string, string>();

  constructor(
    private readonly files: MoveFiles,
    private readonly record: MoveJournal,
    private journal: Journal,
  ) {}

  /** @returns the journal of the copied files; undefined if cancelled */
  async make(control: MoveControl): Promise<Journal | undefined> {
    let { progress } = control;
    for (let pass = 0; pass < MAX_PASSES; pass += 1) {
      const before = [...this.verified];
      if (!(await this.pass({ ...control, progress }))) return undefined;
      // Further passes only look for late changes: the progress bar stays full.
      progress = () => undefined;
      const same = ([path, digest]: readonly [string, string]) =>
        this.verified.get(path) === digest;
      if (before.length === this.verified.size && before.every(same)) break;
    }
    const copies = [...this.journal.copies].filter(([path]) => this.verified.has(path));
    return { ...this.journal, copies: new Map(copies) };
  }

  /** @returns false if cancelled */
  private async pass(control: MoveControl): Promise<boolean> {
    const { from, copies } = this.journal;
    const { files } = await fileTree(this.files, from);
    for (const [index, path] of files.entries()) {
      if (control.cancelled()) return false;
      control.progress(index, files.length);
      await this.copyFile(path);
    }
    const there = new Set(files);
    for (const path of copies.keys()) if (!there.has(path)) await this.removeCopy(path);
    control.progress(files.length, files.length);
    return !control.cancelled();
  }

  private async copyFile(path: string): Promise<void> {
    const bytes = await this.files.read(`${this.journal.from}/${path}`);
    if (bytes === undefined) return this.removeCopy(path);
    const digest = await this.files.digest(bytes);
    if (this.verified.get(path) === digest) return;
    if (this.journal.copies.get(path)?.at(-1) !== digest) {
      this.journal = withCopy(this.journal, path, digest);
      await this.record.write(this.journal);
    }
    const target = `${this.journal.to}/${path}`;
    const existing = await this.digestOfCopy(path);
    const there =
      existing === digest || (await copyVerified(this.files, target, { bytes, digest }, existing));
    if (!there) throw changedTargetError(target);
    this.verified.set(path, digest);
  }

  /** Digest of the file at the place of a copy. @throws StoreError if it is not a copy of ours */
  private async digestOfCopy(path: string): Promise<string | undefined> {
    const target = `${this.journal.to}/${path}`;
    const bytes = await this.files.read(target);
    if (bytes === undefined) return undefined;
    const digest = await this.files.digest(bytes);
    if (this.journal.copies.get(path)?.includes(digest) === true) return digest;
    throw changedTargetError(target);
  }

  /** Removes the copy of a removed source file, which must not come back. */
  private async removeCopy(path: string): Promise<void> {
    this.verified.delete(path);
    const existing = await this.digestOfCopy(path);
    const target = `${this.journal.to}/${path}`;
    if (existing !== undefined && !(await this.files.remove(target, existing))) {
      throw changedTargetError(target);
    }
  }
}

/** The content of a file, and its digest. */
interface Content {
  readonly bytes: Uint8Array;
  readonly digest: string;
}

/**
 * Writes a file over the content with the digest `over`, and reads it back.
 * @returns false if the file there has other content
 * @throws StoreError if other content is read back
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
  throw storeRefusal('io', 'copyDiffers', { path });
}

function changedTargetError(path: string): StoreError {
  return storeRefusal('io', 'targetChanged', { path });
}

/** Passes over the old folder; each finds what programs wrote there unaware of the move. */
const MAX_ROUNDS = 4;

/**
 * Moves the old folder to the trash, file by file, after the switch to the new one. If a file
 * differs from what was copied, its late change is transferred first.
 */
export class OldRoot {
  /**
   * Digest of each file in the new folder that nobody has changed there, by path. Only such a file
   * may be overwritten by a newer version of its old one: not a file that was created afresh
   * because the old one is gone. For a later run this is unknown, so the map starts empty.
   */
  private readonly untouched: Map<string, string>;
  private readonly conflictCopies = new Set<string>();

  /** @param resumed whether an earlier run made the switch */
  constructor(
    private readonly files: MoveFiles,
    private readonly journal: Journal,
    private readonly resumed: boolean,
  ) {
    const copied = [...journal.copies].map(([path]) => [path, this.copied(path) ?? ''] as const);
    this.untouched = new Map(resumed ? [] : copied);
  }

  /**
   * @returns the copies beside boards that also changed in the new folder, and the files that are
   * still in the old folder because they keep changing
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
    return { besides: [...this.conflictCopies], left };
  }

  private async clearOne(path: string): Promise<void> {
    const old = `${this.journal.from}/${path}`;
    const bytes = await this.files.read(old);
    if (bytes === undefined) return;
    const digest = await this.files.digest(bytes);
    const here =
      digest === this.copied(path) || (await this.transferLateChange(path, { bytes, digest }));
    if (here && (await this.files.trash(old, digest))) this.untouched.delete(path);
  }

  /** @returns false if the new folder changed in the meantime; the next round tries again */
  private async transferLateChange(path: string, late: Content): Promise<boolean> {
    const { files } = this;
    const target = `${this.journal.to}/${path}`;
    const now = await files.read(target);
    const existing = now === undefined ? undefined : await files.digest(now);
    if (existing === late.digest) return true;
    if (existing !== undefined && existing !== this.untouched.get(path)) {
      return this.writeConflictCopy(target, late);
    }
    if (!(await files.write(target, late.bytes, existing))) return false;
    this.untouched.set(path, late.digest);
    return true;
  }

  private async writeConflictCopy(target: string, late: Content): Promise<boolean> {
    const copy = await this.conflictCopyName(target, late.digest);
    const { path, there } = copy;
    if (!there && !(await copyVerified(this.files, path, late, undefined))) return false;
    this.conflictCopies.add(path);
    return true;
  }

  /** A free name that is recognised as a sync copy; a copy from an earlier try may exist. */
  private async conflictCopyName(
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

  /**
   * Whether to clear a file. In a later run, files other than boards may have been added since, so
   * they stay.
   */
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

/** All that is below a folder, as paths relative to it. */
export interface FileTree {
  readonly files: readonly string[];
  /** deepest first */
  readonly folders: readonly string[];
}

/**
 * Lists what is below a folder, sorted. Names that begin with a dot are skipped: they belong to a
 * system, to a sync tool, or to a write in progress, and none of them is a board.
 */
export async function fileTree(files: MoveFiles, folder: string): Promise<FileTree> {
  const found = { files: [] as string[], folders: [] as string[] };
  const walk = async (below: string): Promise<void> => {
    const at = below === '' ? folder : `${folder}/${below}`;
    for (const { name, kind } of await files.list(at)) {
      if (name.startsWith('.')) continue;
      const path = below === '' ? name : `${below}/${name}`;
      if (kind === 'file') found.files.push(path);
      else {
        await walk(path);
        found.folders.push(path);
      }
    }
  };
  await walk('');
  return found;
}

/**
 * Byte access to the files of a vault, for moving files of any content. Paths are relative to the
 * vault and separated by "/"; hidden folders are included. Methods throw a StoreError on failure.
 */
export interface MoveFiles {
  /** Kind of the file at a path, undefined if there is none. */
  kind(path: string): Promise<'file' | 'folder' | undefined>;
  /** The direct entries of a folder; empty if the folder does not exist. */
  list(folder: string): Promise<readonly Entry[]>;
  /** The bytes, or undefined if there is no file. */
  read(path: string): Promise<Uint8Array | undefined>;
  /**
   * Atomically replaces the content with the digest `over` (undefined: no file) by these bytes.
   * Creates folders. @returns false if the file has other content by now
   */
  write(path: string, bytes: Uint8Array, over: string | undefined): Promise<boolean>;
  /** Deletes a file for good if its content has this digest. @returns false if not */
  remove(path: string, digest: string): Promise<boolean>;
  /**
   * Moves a file to the person's trash if its content has this digest.
   * @returns false if it has other content by now; it then stays
   */
  trash(path: string, digest: string): Promise<boolean>;
  /** Removes a folder if it is empty; does nothing if there is none. */
  removeEmpty(folder: string): Promise<void>;
  /** SHA-256, in hex. */
  digest(bytes: Uint8Array): Promise<string>;
}

/** A move in progress, stored so that it can be finished or reverted after a crash. */
const journal = lazy(() =>
  z.object({
    from: z.string(),
    to: z.string(),
    /** folders that existed before: the new root, those above it and those below it */
    had: z.array(z.string()),
    /** by path relative to the root: digests of all content ever copied there, newest last */
    copies: z.array(z.tuple([z.string(), z.array(z.string())])),
  }),
);

export interface Journal {
  readonly from: string;
  readonly to: string;
  readonly had: readonly string[];
  readonly copies: ReadonlyMap<string, readonly string[]>;
}

/** Stores the journal of the one move that may be in progress in a vault. */
export class MoveJournal {
  private readonly path: string;

  constructor(
    private readonly store: NoteStore,
    stateRoot: string,
  ) {
    this.path = `${stateRoot}/move.json`;
  }

  /** Reads the journal. A damaged one counts as missing: both folders show what it said. */
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

/** Adds a digest for a path to the journal, before the copy is written. */
export function withCopy(before: Journal, path: string, digest: string): Journal {
  const older = (before.copies.get(path) ?? []).filter((one) => one !== digest);
  return { ...before, copies: new Map(before.copies).set(path, [...older, digest]) };
}

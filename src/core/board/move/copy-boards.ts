import { StoreError } from '../../ports';
import { fileTree } from './file-tree';
import type { MoveFiles } from './move-files';
import { withCopy, type Journal, type MoveJournal } from './move-journal';

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
export interface Content {
  readonly bytes: Uint8Array;
  readonly digest: string;
}

/**
 * Puts a file in the place of what `over` names and reads it back.
 * @returns false where something else stood there
 * @throws StoreError where it reads back as something else
 */
export async function copyVerified(
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

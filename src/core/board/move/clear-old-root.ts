import { readBoardPath } from '../board-path';
import { copyVerified, type Content } from './copy-boards';
import { fileTree } from './file-tree';
import type { MoveFiles } from './move-files';
import type { Journal } from './move-journal';

/** Looks at the old folder; each finds what programs that had not heard of the move wrote meanwhile. */
const MAX_ROUNDS = 4;

export interface Cleared {
  /** copies beside a board: what was written in the old folder, where the new one changed as well */
  readonly besides: readonly string[];
  /** files of the old folder that change all the time and so are there still */
  readonly left: readonly string[];
}

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

  async clear(): Promise<Cleared> {
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

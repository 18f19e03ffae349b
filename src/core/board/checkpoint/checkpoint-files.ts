import { readBoardPath } from '../board-path';
import type { StateFiles } from '../state-file';
import { checkpointText, readCheckpoint, type CheckpointMetadata } from './checkpoint-text';

/** Most checkpoints of a board. */
export const MOST_CHECKPOINTS = 50;

/** A state of a board that can be gone back to. */
export interface Checkpoint extends CheckpointMetadata {
  /** 1, 2, 3… per board, never given again */
  readonly n: number;
}

export interface StoredCheckpoint extends Checkpoint {
  /** the note as it was */
  readonly note: string;
}

/**
 * The checkpoints of each board, a file each: `checkpoints/<session folder>/<agent file>/<n>.md` in the
 * state folder. A file is written whole or not at all, and never changed.
 */
export class CheckpointFiles {
  constructor(
    private readonly state: StateFiles,
    private readonly root: string,
  ) {}

  /** Newest first; a file that is no checkpoint is none. */
  async all(path: string): Promise<readonly StoredCheckpoint[]> {
    const found = await Promise.all((await this.numbers(path)).map((n) => this.one(path, n)));
    return found.filter((one) => one !== undefined).reverse();
  }

  async one(path: string, n: number): Promise<StoredCheckpoint | undefined> {
    const text = await this.state.text(this.place(path, n));
    const read = text === undefined ? undefined : readCheckpoint(text);
    return read && { n, ...read.data, note: read.note };
  }

  /** Keeps a note under the next number; the oldest beyond 50 go, automatic ones first. */
  async add(path: string, data: CheckpointMetadata, note: string): Promise<Checkpoint> {
    const text = checkpointText(data, note);
    const numbers = await this.numbers(path);
    for (let n = (numbers.at(-1) ?? 0) + 1; ; n += 1) {
      const stands = await this.state.change(this.place(path, n), (there) => there ?? text);
      // Another program took this number meanwhile.
      if (stands !== text) continue;
      await this.prune(path, n);
      return { n, ...data };
    }
  }

  private async prune(path: string, kept: number): Promise<void> {
    const numbers = await this.numbers(path);
    const over = numbers.length - MOST_CHECKPOINTS;
    if (over <= 0) return;
    const oldest = (await this.all(path)).filter(({ n }) => n !== kept).reverse();
    const first = oldest.filter(({ by }) => by !== 'user');
    const then = oldest.filter(({ by }) => by === 'user');
    for (const { n } of [...first, ...then].slice(0, over)) {
      await this.state.drop(this.place(path, n));
    }
  }

  /** Ascending. */
  private async numbers(path: string): Promise<readonly number[]> {
    const names = await this.state.names(this.folder(path));
    return names
      .flatMap((name) => /^([1-9]\d{0,8})\.md$/.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b);
  }

  private place(path: string, n: number): string {
    return `${this.folder(path)}/${n}.md`;
  }

  /** @throws RangeError for what is no board: nothing but boards has checkpoints */
  private folder(path: string): string {
    if (readBoardPath(this.root, path) === undefined) throw new RangeError(`${path} is no board.`);
    return `checkpoints/${path.slice(this.root.length + 1).replace(/-tasks\.md$/, '')}`;
  }
}

import type { Clock, NoteStore, Undo } from '../../core/ports';
import type { EventRef, TAbstractFile, Vault } from 'obsidian';

/**
 * A store that bypasses the app. Its calls resolve once the app's file list shows what they created
 * or removed, so that the caller can use it at once. The note's lock is released before that wait.
 */
export function fileListAwareStore(store: NoteStore, app: Pick<AppFileList, 'until'>): NoteStore {
  return {
    read: (path) => store.read(path),
    list: (folder) => store.list(folder),
    stat: (path) => store.stat(path),
    append: (path, lines, most) => store.append(path, lines, most),
    async update(path, edit) {
      const edited = { made: false };
      const text = await store.update(path, (before) => {
        const after = edit(before);
        edited.made = before === undefined && after !== undefined;
        return after;
      });
      if (edited.made) await app.until(path, true);
      return text;
    },
    async rename(from, to) {
      const renamed = await store.rename(from, to);
      if (renamed) await Promise.all([app.until(from, false), app.until(to, true)]);
      return renamed;
    },
    async remove(path) {
      await store.remove(path);
      await app.until(path, false);
    },
  };
}

/** Maximum wait, ms. The app usually reports a file within some hundredths of a second. */
const MAX_WAIT = 2_000;

interface Wait {
  readonly there: boolean;
  readonly end: () => void;
}

/**
 * Waits for the app's file list, for files that were written without the app: it watches the
 * folders and learns of them a moment later. The list never contains hidden paths.
 */
export class AppFileList {
  private readonly waits = new Map<string, Set<Wait>>();
  private readonly refs: readonly EventRef[];

  constructor(
    private readonly vault: Pick<Vault, 'getAbstractFileByPath' | 'on' | 'offref'>,
    private readonly clock: Clock,
  ) {
    const heard = ({ path }: TAbstractFile): void => this.endWaits(path);
    this.refs = [
      vault.on('create', heard),
      vault.on('delete', heard),
      vault.on('rename', (file, before) => {
        this.endWaits(before);
        this.endWaits(file.path);
      }),
    ];
  }

  /**
   * Resolves once the app's list has a path, or lacks it if `there` is false. Resolves after two
   * seconds in any case: the app may be unable to watch, and the write itself succeeded.
   */
  until(path: string, there: boolean): Promise<void> {
    if (isHidden(path) || this.isListed(path) === there) return Promise.resolve();
    return new Promise((done) => {
      const waits = this.waits.get(path) ?? new Set();
      this.waits.set(path, waits);
      let stop: Undo | undefined;
      const wait: Wait = {
        there,
        end: () => {
          stop?.();
          waits.delete(wait);
          if (waits.size === 0) this.waits.delete(path);
          done();
        },
      };
      waits.add(wait);
      stop = this.clock.after(MAX_WAIT, wait.end);
    });
  }

  /** Ends all waits. */
  close(): void {
    for (const ref of this.refs) this.vault.offref(ref);
    for (const waits of [...this.waits.values()]) for (const { end } of [...waits]) end();
  }

  private endWaits(path: string): void {
    const there = this.isListed(path);
    for (const wait of [...(this.waits.get(path) ?? [])]) if (wait.there === there) wait.end();
  }

  private isListed(path: string): boolean {
    return this.vault.getAbstractFileByPath(path) !== null;
  }
}

function isHidden(path: string): boolean {
  return path.split('/').some((name) => name.startsWith('.'));
}

import type { Entry, NoteStore, Stat } from '../../core/ports';
import type { AppList } from './app-list';

/**
 * A store that writes past the app: what it makes or removes is so on the app's list too when the call
 * ends, for whoever goes on at once. The note's lock is free again by then.
 */
export class ListedStore implements NoteStore {
  constructor(
    private readonly store: NoteStore,
    private readonly app: Pick<AppList, 'until'>,
  ) {}

  read(path: string): Promise<string | undefined> {
    return this.store.read(path);
  }

  async update(
    path: string,
    edit: (text: string | undefined) => string | undefined,
  ): Promise<string | undefined> {
    const edited = { made: false };
    const text = await this.store.update(path, (before) => {
      const after = edit(before);
      edited.made = before === undefined && after !== undefined;
      return after;
    });
    if (edited.made) await this.app.until(path, true);
    return text;
  }

  list(folder: string): Promise<readonly Entry[]> {
    return this.store.list(folder);
  }

  stat(path: string): Promise<Stat | undefined> {
    return this.store.stat(path);
  }

  async remove(path: string): Promise<void> {
    await this.store.remove(path);
    await this.app.until(path, false);
  }
}

import { lstatSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreError } from '../core/ports';
import type { Folder } from './folder';

/**
 * A folder by its real name, where a system has no paths by handle. Between `check` and the next
 * step a name can be swapped for a link: so it is looked again right before and right after.
 */
export class NamedFolder implements Folder {
  private constructor(readonly at: string) {}

  static root(this: void, root: string): Folder {
    return new NamedFolder(realpathSync.native(root));
  }

  open(name: string): Folder | 'link' | 'none' {
    if (name === '') return new NamedFolder(this.at);
    const path = `${this.at}/${name}`;
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isSymbolicLink() === true) return 'link';
    if (found?.isDirectory() !== true) return 'none';
    // The name as the system writes it, so that a later look can be compared.
    const real = realpathSync.native(path);
    return dirname(real) === this.at ? new NamedFolder(real) : 'link';
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

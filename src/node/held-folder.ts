import { closeSync, constants, fstatSync, lstatSync, openSync, statSync } from 'node:fs';
import type { Folder } from './folder';
import { isMissing } from './is-missing';

/** Of what is not there on Windows, Node knows no number. */
const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY;
const NO_LINK = FOLDER | constants.O_NOFOLLOW;

/**
 * A folder by an open handle, as Linux lets one use it in paths: whoever swaps its name, or that of a
 * folder above it, for a link changes nothing of where this one leads.
 */
export class HeldFolder implements Folder {
  readonly at: string;

  private constructor(private readonly handle: number) {
    this.at = pathOf(handle);
  }

  static root(this: void, root: string): Folder {
    return new HeldFolder(openSync(root, FOLDER));
  }

  open(name: string): Folder | 'link' | 'none' {
    const path = `${this.at}/${name}`;
    try {
      return new HeldFolder(openSync(path, NO_LINK));
    } catch (error) {
      if (!isMissing(error)) throw error;
      const found = lstatSync(path, { throwIfNoEntry: false });
      return found?.isSymbolicLink() === true ? 'link' : 'none';
    }
  }

  check(): void {
    return;
  }

  close(): void {
    closeSync(this.handle);
  }
}

/** Whether this system has paths by handle: Linux, where /proc is there. */
export function canHold(): boolean {
  return (holds ??= tryToHold());
}

let holds: boolean | undefined;

function tryToHold(): boolean {
  try {
    const handle = openSync('/proc/self', FOLDER);
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

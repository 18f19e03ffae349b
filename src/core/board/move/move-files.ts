import type { Entry } from '../../ports';

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

import type { Stat, Undo } from '../../ports';
import type { ReadAccess } from '../tool';

/** A note or folder of the vault, with its full path. */
export interface VaultEntry {
  readonly path: string;
  readonly kind: 'file' | 'folder';
}

/** A change in the vault. */
export type VaultChange =
  /** a note was created or its text changed */
  | { readonly kind: 'note'; readonly path: string }
  /** a file or folder was removed */
  | { readonly kind: 'removed'; readonly path: string }
  /** a folder appeared, with everything in it */
  | { readonly kind: 'folder'; readonly path: string };

/** The notes of a vault as the app shows them, without hidden files. */
export interface VaultNotes {
  /**
   * The Markdown notes and folders directly in a folder, sorted by name; undefined if there is no
   * such folder.
   * @param folder "" for the vault
   */
  list(folder: string): Promise<readonly VaultEntry[] | undefined>;
  /**
   * The text, including a byte order mark, or undefined if there is no file.
   * @throws StoreError if it can't be read
   */
  read(path: string): Promise<string | undefined>;
  stat(path: string): Promise<Stat | undefined>;
  /** The file that a link leads to, if any. `link` is the path in it, without heading and block. */
  leadsTo(link: string, from: string): Promise<string | undefined>;
  /** Paths of the notes that link to this one, sorted. */
  backlinks(path: string): Promise<readonly string[]>;
}

/** Notes with change notifications. */
export interface WatchedNotes extends VaultNotes {
  /** The listener must not throw. */
  onChange(listener: (change: VaultChange) => void): Undo;
}

/**
 * The text of a note that the rules allow reading. Returns undefined if there is no note, or if
 * they no longer allow the path: a folder on it may have been replaced by a link while the note was
 * read.
 * @param real the path once links are followed
 */
export async function readAllowed(
  notes: Pick<VaultNotes, 'read'>,
  access: ReadAccess,
  path: string,
  real = path,
): Promise<string | undefined> {
  const text = await notes.read(real);
  return text !== undefined && (await access.allows(path, 'file')) ? text : undefined;
}

import type { Stat, Undo } from '../../ports';
import type { Look } from '../tool';

/** A note or a folder of the vault, by its whole path. */
export interface VaultEntry {
  readonly path: string;
  readonly kind: 'file' | 'folder';
}

/** Something that changed in the vault. */
export type VaultChange =
  /** the text of a note, a new one included */
  | { readonly kind: 'note'; readonly path: string }
  /** a file or folder that is gone */
  | { readonly kind: 'removed'; readonly path: string }
  /** a folder that is new with all that is in it */
  | { readonly kind: 'folder'; readonly path: string };

/** The notes of a vault as the app shows them: hidden files are none of them. */
export interface VaultNotes {
  /**
   * The Markdown notes and the folders directly in a folder, by name; undefined where there is no such folder.
   * @param folder "" for the vault
   */
  list(folder: string): Promise<readonly VaultEntry[] | undefined>;
  /**
   * The text, byte order mark included, or undefined where there is no file.
   * @throws StoreError where it can't be read
   */
  read(path: string): Promise<string | undefined>;
  stat(path: string): Promise<Stat | undefined>;
  /** Where a link in a note leads, if anywhere. `link` is its path, without heading and block. */
  leadsTo(link: string, from: string): Promise<string | undefined>;
  /** Notes that link to one, by path. */
  backlinks(path: string): Promise<readonly string[]>;
}

/** Notes whose changes are told as they happen. */
export interface FollowedNotes extends VaultNotes {
  /** The listener must not throw. */
  onChange(listener: (change: VaultChange) => void): Undo;
}

/**
 * The text of a note that the rules allow. Undefined if there is no note, or if its path now leads to
 * another place: a folder on the way may have been swapped for a link while the note was read.
 * @param real its place once links are followed
 */
export async function readAllowed(
  notes: Pick<VaultNotes, 'read'>,
  look: Look,
  path: string,
  real = path,
): Promise<string | undefined> {
  const text = await notes.read(real);
  return text !== undefined && (await look.allows(path, 'file')) ? text : undefined;
}

/**
 * A folder of a vault, found without following a link. What is reached through it is in that very
 * folder as long as `check` doesn't throw.
 */
export interface Folder {
  /** Files in it are reached as `${at}/${name}`. */
  readonly at: string;
  /** The folder of this name; `link` where a link stands there, `none` where there is no folder. */
  open(name: string): Folder | 'link' | 'none';
  /** @throws StoreError `denied` where its name leads to another place by now */
  check(): void;
  close(): void;
}

/** Opens the root of a vault, which may itself be a link: the person has chosen it. */
export type OpenRoot = (root: string) => Folder;

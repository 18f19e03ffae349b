import type { MoveFiles } from './move-files';

/** All below a folder, as paths less that folder. */
export interface FileTree {
  readonly files: readonly string[];
  /** deepest first */
  readonly folders: readonly string[];
}

/**
 * What is below a folder, sorted. Names that begin with a dot are left out: they belong to a system,
 * to a sync tool, or to a write that is under way, and none of them is a board.
 */
export async function fileTree(files: MoveFiles, folder: string): Promise<FileTree> {
  const found = { files: [] as string[], folders: [] as string[] };
  const look = async (below: string): Promise<void> => {
    const at = below === '' ? folder : `${folder}/${below}`;
    for (const { name, kind } of await files.list(at)) {
      if (name.startsWith('.')) continue;
      const path = below === '' ? name : `${below}/${name}`;
      if (kind === 'file') found.files.push(path);
      else {
        await look(path);
        found.folders.push(path);
      }
    }
  };
  await look('');
  return found;
}

import { fileTree } from './file-tree';
import type { MoveFiles } from './move-files';
import type { Journal } from './move-journal';

/**
 * Removes the copies of a move that did not come to its switch, and the folders made for them. What
 * somebody changed there stays. @returns the paths that stay
 */
export async function takeBack(files: MoveFiles, journal: Journal): Promise<readonly string[]> {
  const { to, copies, had } = journal;
  const kept: string[] = [];
  const tree = await fileTree(files, to);
  for (const path of tree.files) {
    const bytes = await files.read(`${to}/${path}`);
    if (bytes === undefined) continue;
    const digest = await files.digest(bytes);
    const ours = copies.get(path)?.includes(digest) === true;
    const removed = ours && (await files.remove(`${to}/${path}`, digest));
    if (!removed) kept.push(`${to}/${path}`);
  }
  const made = [...tree.folders.map((folder) => `${to}/${folder}`), ...upwards(to)];
  for (const folder of made) if (!had.includes(folder)) await files.removeEmpty(folder);
  return kept;
}

/** A folder and those above it, the deepest first. */
export function upwards(folder: string): readonly string[] {
  const names = folder.split('/');
  return names.map((_, at) => names.slice(0, names.length - at).join('/'));
}

import type { Fault } from '../operation/read-operation';
import type { FileTree } from './file-tree';
import type { MoveFiles } from './move-files';
import type { Journal } from './move-journal';

/** Names that a refusal tells; the rest is counted. */
const NAMED = 3;

/** Why boards can't move from one folder to another, by the names of the two alone. */
export function rootsFault(from: string, to: string): Fault | undefined {
  const [old, wanted] = [`${folded(from)}/`, `${folded(to)}/`];
  if (old === wanted) return fault('same_root', `The boards are in ${from} already.`);
  if (!old.startsWith(wanted) && !wanted.startsWith(old)) return undefined;
  const message = `${to} and ${from} lie in one another. Choose a folder outside ${from}.`;
  return fault('nested_root', message);
}

/** Why a folder can't take the boards: a file in its place, or files in it that are no copies of them. */
export async function targetFault(
  files: MoveFiles,
  tree: FileTree,
  { to, copies }: Journal,
): Promise<Fault | undefined> {
  if ((await files.kind(to)) === 'file') {
    return fault('target_is_file', `${to} is a file. Choose a folder, or a name that is free.`);
  }
  const strange: string[] = [];
  for (const path of tree.files) {
    const bytes = await files.read(`${to}/${path}`);
    if (bytes === undefined) continue;
    const ours = copies.get(path)?.includes(await files.digest(bytes)) === true;
    if (!ours) strange.push(path);
  }
  if (strange.length === 0) return undefined;
  const named = strange.slice(0, NAMED).join(', ');
  const more = strange.length > NAMED ? ` and ${strange.length - NAMED} more` : '';
  return fault(
    'target_not_empty',
    `${to} has other files: ${named}${more}. Choose a folder that is empty or not there yet.`,
  );
}

export function fault(code: string, message: string): Fault {
  return { ok: false, code, message };
}

/** Case and Unicode form: on some disks they name one folder. */
function folded(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

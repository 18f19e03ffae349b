import { StoreError } from '../../ports';
import { fault } from '../operation/outcome';
import type { Fault } from '../operation/read-operation';
import { tooLarge } from './json-text';
import type { ImportedPlans } from './import-plan';
import {
  filesIn,
  foldersIn,
  nameOfPath,
  type ImportReader,
  type ImportSource,
} from './import-source';
import type { ImportedPlan, ImportKind, Left } from './imported-plan';

/** More files than this in one folder are no plan. */
const MOST_FILES = 20_000;

/** The text of a file; a Fault says why there is none. */
export async function readText(
  reader: ImportReader,
  path: string,
): Promise<{ ok: true; text: string } | Fault> {
  const name = nameOfPath(path);
  try {
    const text = await reader.read(path);
    if (text === undefined) return fault('bad_source', `There is no file ${name}.`);
    return tooLarge(text, name) ?? { ok: true, text };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return fault('bad_source', error.message);
  }
}

/** Reads every file of a folder with that ending; what can't be read is left. */
export async function readFiles(
  reader: ImportReader,
  folder: string,
  end: string,
  left: Left[],
): Promise<readonly { readonly name: string; readonly text: string }[]> {
  const names = await filesIn(reader, folder, end);
  const files: { name: string; text: string }[] = [];
  for (const name of names.slice(0, MOST_FILES)) {
    const read = await readText(reader, `${folder}/${name}`);
    if (read.ok) files.push({ name, text: read.text });
    else left.push({ what: name, why: read.message });
  }
  if (names.length > MOST_FILES) {
    const what = `${names.length - MOST_FILES} more files in ${nameOfPath(folder)}`;
    left.push({ what, why: `An import reads at most ${MOST_FILES} files of one folder.` });
  }
  return files;
}

/** The folder itself where `fits` says so, else the folders directly in it that fit. */
export async function foldersWith(
  { reader, path }: ImportSource,
  fits: (folder: string) => Promise<boolean>,
): Promise<readonly string[]> {
  if (await fits(path)) return [path];
  const found: string[] = [];
  for (const name of await foldersIn(reader, path)) {
    const folder = `${path}/${name}`;
    if (await fits(folder)) found.push(folder);
  }
  return found;
}

/** What an import answers; a Fault where no plan has a task. */
export function plansOf(
  kind: ImportKind,
  source: ImportSource,
  plans: readonly ImportedPlan[],
  left: readonly Left[] = [],
): ImportedPlans | Fault {
  const filled = plans.filter(({ tasks }) => tasks.length > 0);
  const all = [...left, ...plans.filter(({ tasks }) => tasks.length === 0).flatMap((p) => p.left)];
  if (filled.length > 0) return { ok: true, kind, plans: filled, left: all };
  const [first] = all;
  const why = first === undefined ? '' : ` ${first.what}: ${first.why}`;
  const name = nameOfPath(source.path);
  return fault('empty_source', `${name} has no tasks of the kind "${kind}".${why}`);
}

import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** The vault to work on: as named, else the nearest folder with `.opencode`, upwards from `cwd`. */
export async function findVault(
  cwd: string,
  named: string | undefined,
): Promise<
  { readonly ok: true; readonly vault: string } | { readonly ok: false; message: string }
> {
  if (named !== undefined) {
    const vault = resolve(cwd, named);
    if (await isFolder(vault)) return { ok: true, vault };
    return { ok: false, message: `there is no folder ${vault}.` };
  }
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (await isFolder(join(folder, '.opencode'))) return { ok: true, vault: folder };
    if (dirname(folder) === folder) break;
  }
  return {
    ok: false,
    message: `no folder with .opencode in ${cwd} or above. Name the vault: --vault DIR.`,
  };
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

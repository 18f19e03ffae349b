import { runFileOperation } from './file-operations';
import { runNodeOperation } from './node-operations';
import type { PageHandles } from './page-handles';
import type { PageProcesses } from './page-processes';
import type { PagePrograms } from './page-programs';
import type { VaultDisk } from './vault-disk';
import { VaultFault } from './vault-path';

export interface CallParts {
  readonly disk: VaultDisk;
  readonly processes: PageProcesses;
  readonly programs: PagePrograms;
  readonly handles: PageHandles;
}

/** Whether a URL is that of a call. */
export function isCall({ pathname }: URL): boolean {
  return /^\/(?:fs|node)\/\w+$/.test(pathname);
}

/**
 * Runs a call of a page: `/fs/<operation>` of the app's adapter, or `/node/<operation>` of Node.
 * @returns a file's bytes, or JSON
 * @throws VaultFault, or Node's own error with a code
 */
export async function runCall(
  { disk, processes, programs, handles }: CallParts,
  { pathname, searchParams }: URL,
  body: Buffer,
): Promise<Buffer | string> {
  const [, kind, operation = ''] = pathname.split('/');
  if (kind === 'fs') {
    const result = await runFileOperation(disk, operation, searchParams, body);
    return Buffer.isBuffer(result) ? result : JSON.stringify(result);
  }
  if (kind !== 'node') throw new VaultFault('EINVAL', `No call "${pathname}"`);
  const caller = {
    root: disk.root,
    page: searchParams.get('page') ?? '',
    processes,
    programs,
    handles,
  };
  return JSON.stringify(await runNodeOperation(caller, operation, body.toString('utf8')));
}

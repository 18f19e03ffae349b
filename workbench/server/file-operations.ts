import { VaultFault } from './vault-path';
import type { VaultDisk } from './vault-disk';

interface FileRequest {
  readonly path: string;
  readonly to: string;
  readonly recursive: boolean;
  readonly mtime: number | undefined;
  readonly body: Buffer;
}

/** Bytes of a file; anything else is answered as JSON. */
export type FileAnswer = Buffer | object | null | undefined;

type Operation = (disk: VaultDisk, request: FileRequest) => Promise<FileAnswer | void>;

const OPERATIONS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ['stat', (disk, { path }) => disk.stat(path)],
  ['list', (disk, { path }) => disk.list(path)],
  ['read', (disk, { path }) => disk.read(path)],
  ['write', (disk, { path, body, mtime }) => disk.write(path, body, mtime)],
  ['append', (disk, { path, body }) => disk.append(path, body)],
  ['mkdir', (disk, { path }) => disk.mkdir(path)],
  ['remove', (disk, { path }) => disk.remove(path)],
  ['rmdir', (disk, { path, recursive }) => disk.rmdir(path, recursive)],
  ['rename', (disk, { path, to }) => disk.rename(path, to)],
  ['copy', (disk, { path, to }) => disk.copy(path, to)],
  ['trash', (disk, { path }) => disk.trashLocal(path)],
]);

/**
 * Runs `operation` with the parameters of the query.
 * @throws VaultFault, or Node's own error with a code
 */
export async function runFileOperation(
  disk: VaultDisk,
  operation: string,
  query: URLSearchParams,
  body: Buffer,
): Promise<FileAnswer> {
  const run = OPERATIONS.get(operation);
  if (run === undefined) throw new VaultFault('EINVAL', `No operation "${operation}"`);
  const mtime = query.get('mtime');
  const answer = await run(disk, {
    path: query.get('path') ?? '',
    to: query.get('to') ?? '',
    recursive: query.get('recursive') === 'true',
    mtime: mtime === null ? undefined : Number(mtime),
    body,
  });
  return answer ?? null;
}

import { constants } from 'node:fs';
import { lstat, open, readdir, unlink, type FileHandle } from 'node:fs/promises';
import type { AuditStore } from '../../core/permission/audit/audit-store';
import type { AuditFiles } from './audit-files';
import { isMissing, replaceFile } from './own-file';

const { O_APPEND, O_CREAT, O_RDONLY, O_WRONLY } = constants;
/** A link in the place of a file, or a pipe, is not followed nor waited for. Absent on Windows, and then nothing. */
const OWN = constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * The audit as files of this user alone. Lines are added at the end and flushed, so that nothing that
 * stands there is written again.
 */
export function auditFolder(files: AuditFiles): AuditStore {
  return {
    list: () =>
      files.inFolder('', async (at) => {
        if (at === undefined) return [];
        const entries = await readdir(at, { withFileTypes: true }).catch(ifMissing([]));
        return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
      }),
    read: (name) =>
      files.onFile(name, async (at) => {
        if (at === undefined) return undefined;
        const file = await open(at, O_RDONLY | OWN).catch(ifMissing(undefined));
        return file && withFile(file, () => file.readFile('utf8'));
      }),
    size: (name) =>
      files.onFile(name, async (at) => {
        const found = at === undefined ? undefined : await lstat(at).catch(ifMissing(undefined));
        return found?.size;
      }),
    append: (name, text) =>
      files.onNewFile(name, async (at) => {
        const file = await open(at, O_APPEND | O_CREAT | O_WRONLY | OWN, 0o600);
        await withFile(file, async () => {
          await file.appendFile(text, 'utf8');
          await file.datasync();
        });
      }),
    replace: (name, text) => files.onNewFile(name, (at) => replaceFile(at, text, true)),
    remove: (name) =>
      files.onFile(name, async (at) => {
        if (at !== undefined) await unlink(at).catch(ifMissing(undefined));
      }),
  };
}

async function withFile<T>(file: FileHandle, task: () => Promise<T>): Promise<T> {
  try {
    if (!(await file.stat()).isFile()) throw new Error('A part of the audit is no file.');
    return await task();
  } finally {
    await file.close();
  }
}

function ifMissing<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (isMissing(error)) return value;
    throw error;
  };
}

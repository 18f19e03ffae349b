import { constants } from 'node:fs';
import { mkdir, open, readdir, stat, unlink, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditStore } from '../../core/permission/audit/audit-store';
import { isMissing, replaceFile } from './own-file';

/** Of the audit, relative to the vault. */
export const AUDIT_FOLDER = '.opencode/agent-task-boards/audit';

const { O_APPEND, O_CREAT, O_RDONLY, O_WRONLY } = constants;
/** A link in the place of a file, or a pipe, is not followed nor waited for. Absent on Windows, and then nothing. */
const OWN = constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * The audit as files of this user alone. Lines are added at the end and flushed, so that nothing that
 * stands there is written again.
 * @param folder absolute; made where it is missing
 */
export function auditFolder(folder: string): AuditStore {
  const at = (name: string): string => join(folder, name);
  return {
    async list() {
      const entries = await readdir(folder, { withFileTypes: true }).catch(ifMissing([]));
      return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    },
    async read(name) {
      const file = await open(at(name), O_RDONLY | OWN).catch(ifMissing(undefined));
      return file && withFile(file, () => file.readFile('utf8'));
    },
    async size(name) {
      const found = await stat(at(name)).catch(ifMissing(undefined));
      return found?.size;
    },
    async append(name, text) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = await open(at(name), O_APPEND | O_CREAT | O_WRONLY | OWN, 0o600);
      await withFile(file, async () => {
        await file.appendFile(text, 'utf8');
        await file.datasync();
      });
    },
    async replace(name, text) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await replaceFile(at(name), text, true);
    },
    async remove(name) {
      await unlink(at(name)).catch(ifMissing(undefined));
    },
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

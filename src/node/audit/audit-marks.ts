import { readFile } from 'node:fs/promises';
import type { AuditMark, MarkedEnd } from '../../core/permission/audit/audit-store';
import type { AuditFiles } from './audit-files';
import { WRITERS_FOLDER } from './audit-writer';
import { isMissing, replaceFile } from './own-file';

/** How far a writer's audit got, in a file beside it. One that can't be read is none. */
export function auditMark(files: AuditFiles, writer: string): AuditMark {
  const name = `${WRITERS_FOLDER}/${writer}.json`;
  return {
    load: () =>
      files.onFile(name, async (file) => {
        if (file === undefined) return undefined;
        const text = await readFile(file, 'utf8').catch((error: unknown) => {
          if (isMissing(error)) return undefined;
          throw error;
        });
        return text === undefined ? undefined : parse(text);
      }),
    // One that is older than its audit promises less, and nothing wrong.
    save: (end) =>
      files.onNewFile(name, (file) => replaceFile(file, `${JSON.stringify(end)}\n`, false)),
  };
}

function parse(text: string): MarkedEnd | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined; // written by somebody else
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { n, hash, from } = value as Partial<Record<string, unknown>>;
  const isMark = isCount(n) && typeof hash === 'string' && isCount(from) && from > 0;
  return isMark ? { n, hash, from } : undefined;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

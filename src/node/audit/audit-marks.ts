import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { AuditMark } from '../../core/permission/audit/audit-store';
import { WRITERS_FOLDER } from './audit-writer';
import { isMissing, replaceFile } from './own-file';

const markedEnd = z.object({
  n: z.int().check(z.nonnegative()),
  hash: z.string(),
  from: z.int().check(z.positive()),
});

/** How far a writer's audit got, in a file beside it. One that can't be read is none. */
export function auditMark(folder: string, writer: string): AuditMark {
  const file = join(folder, WRITERS_FOLDER, `${writer}.json`);
  return {
    async load() {
      const text = await readFile(file, 'utf8').catch((error: unknown) => {
        if (isMissing(error)) return undefined;
        throw error;
      });
      return text === undefined ? undefined : parse(text);
    },
    // One that is older than its audit promises less, and nothing wrong.
    save: (end) => replaceFile(file, `${JSON.stringify(end)}\n`, false),
  };
}

function parse(text: string) {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined; // written by somebody else
  }
  const read = markedEnd.safeParse(value);
  return read.success ? read.data : undefined;
}

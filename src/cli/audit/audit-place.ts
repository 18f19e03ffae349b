import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writersOf } from '../../core/permission/audit/audit-file';
import type { AuditStore, MarkedEnd } from '../../core/permission/audit/audit-store';
import { AUDIT_FOLDER, AuditFiles } from '../../node/audit/audit-files';
import { auditFolder } from '../../node/audit/audit-folder';
import { auditMark } from '../../node/audit/audit-marks';
import { WRITERS_FOLDER } from '../../node/audit/audit-writer';
import { isMissing } from '../../node/is-missing';

/** The audit of a vault, for who reads it. */
export interface AuditPlace {
  /** absolute */
  readonly folder: string;
  readonly store: AuditStore;
  /** all that wrote here, also those of whose files none is left */
  writers(): Promise<readonly string[]>;
  /** how far a writer got; undefined where that is kept elsewhere, as by the plugin */
  mark(writer: string): Promise<MarkedEnd | undefined>;
}

export function auditPlace(vault: string): AuditPlace {
  const files = new AuditFiles(vault);
  const store = auditFolder(files);
  return {
    folder: join(vault, AUDIT_FOLDER),
    store,
    writers: async () => {
      const known = await files.inFolder(WRITERS_FOLDER, knownWriters);
      return [...new Set([...writersOf(await store.list()), ...known])].sort();
    },
    mark: (writer) => auditMark(files, writer).load(),
  };
}

/** A writer takes its name, a lock, right before its first entry, and keeps its mark. */
async function knownWriters(folder: string | undefined): Promise<readonly string[]> {
  if (folder === undefined) return [];
  try {
    const names = await readdir(folder);
    return names.flatMap((name) => /^([\w-]{1,64})\.(?:json|lock)$/.exec(name)?.[1] ?? []);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

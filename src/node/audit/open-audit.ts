import { hash } from 'node:crypto';
import type { Digest } from '../../core/permission/audit/audit-chain';
import type { AuditEntry } from '../../core/permission/audit/audit-entry';
import { AuditLog, firstKeptMonth, type AuditDeps } from '../../core/permission/audit/audit-log';
import { NoteTextStore, TEXTS_FOLDER } from '../../core/permission/audit/note-text-store';
import type { Redactor } from '../../core/permission/audit/redact';
import type { Clock, Log } from '../../core/ports';
import { DiskStore } from '../disk-store';
import { storeError } from '../store-error';
import {
  AuditFiles,
  auditFolder,
  auditMark,
  reserveName,
  reserveWriter,
  isOfThisMachine,
  machineId,
  type ReservedWriter,
} from './audit-folder';
import { AUDIT_FOLDER, parseAuditFileName } from '../../core/permission/audit/audit-store';

/** Hashes in a single call, since a hash object per text costs much garbage collection. */
export const sha256: Digest = (text) => Promise.resolve(hash('sha256', text));

interface ProcessAuditDeps {
  /** absolute */
  readonly vault: string;
  /** kind of this process: `bridge`, `cli`, `mcp` */
  readonly kind: string;
  readonly clock: Clock;
  readonly redactor: Redactor;
  /** number of months to keep, including this one; 0: all */
  readonly months: () => number | Promise<number>;
  readonly log: Log;
}

/** The audit of one process, opened at the first entry, and the texts for undoing changes. */
export class ProcessAudit {
  private reservedWriter: ReservedWriter | undefined;
  private opening: Promise<AuditLog> | undefined;
  /** month of the last cleanup */
  private tidiedMonth: string | undefined;

  /** shared by all processes of this machine */
  readonly texts: NoteTextStore;

  constructor(private readonly deps: ProcessAuditDeps) {
    const { vault, clock } = deps;
    const folder = `${TEXTS_FOLDER}/${machineId()}`;
    this.texts = new NoteTextStore({ store: new DiskStore(vault), clock, digest: sha256, folder });
  }

  /**
   * Resolves once the entry is on disk.
   * @throws StoreError if it can't be written; then nothing may be done
   */
  async append(entry: AuditEntry): Promise<void> {
    try {
      this.opening ??= this.open();
      const log = await this.opening.catch((error: unknown) => {
        this.close();
        throw error;
      });
      await this.tidy(log).catch((error: unknown) => {
        this.deps.log.note('Old entries of the audit could not be removed.', {
          at: 'audit.tidy',
          error: String(error),
        });
      });
      await log.append(entry);
    } catch (error) {
      throw storeError(AUDIT_FOLDER, error);
    }
  }

  /** Releases the writer name. Synchronous, for use when the process ends; may be called twice. */
  close(): void {
    this.reservedWriter?.release();
    this.reservedWriter = undefined;
    this.opening = undefined;
  }

  private async open(): Promise<AuditLog> {
    const { vault, kind, clock, redactor } = this.deps;
    const files = new AuditFiles(vault);
    this.reservedWriter = await reserveWriter(files, kind);
    const { writer } = this.reservedWriter;
    const [store, mark] = [auditFolder(files), auditMark(files, writer)];
    this.tidiedMonth = undefined;
    return new AuditLog({ store, mark, digest: sha256, clock, redactor, writer });
  }

  /**
   * Once a month, since a process may run for many, whether it succeeds or not: deletes old files of this process, and of
   * writers that no process uses now.
   */
  private async tidy(log: AuditLog): Promise<void> {
    const { vault, clock, redactor, months } = this.deps;
    const today = clock.today();
    if (this.tidiedMonth === today.slice(0, 7)) return;
    this.tidiedMonth = today.slice(0, 7);
    const month = firstKeptMonth(today, await months());
    if (month === undefined) return;
    await log.keepFrom(month);
    await this.texts.keepFrom(month);
    await tidyUnusedWriters(new AuditFiles(vault), month, { digest: sha256, clock, redactor });
  }
}

/**
 * Deletes earlier months of this machine's writers that no process uses now. Some of these names
 * may never be used again, such as the second of two that once ran at the same time. Keeps chains
 * that are not intact.
 * @param month `YYYY-MM`: the first that is kept
 */
export async function tidyUnusedWriters(
  files: AuditFiles,
  month: string,
  deps: Pick<AuditDeps, 'digest' | 'clock' | 'redactor'>,
): Promise<void> {
  const store = auditFolder(files);
  const old = (await store.list()).flatMap((name) => {
    const file = parseAuditFileName(name);
    return file !== undefined && file.month < month ? [file.writer] : [];
  });
  for (const writer of new Set(old.filter(isOfThisMachine))) {
    const release = await reserveName(files, writer);
    if (release === undefined) continue;
    try {
      const log = new AuditLog({ ...deps, store, mark: auditMark(files, writer), writer });
      await log.keepFrom(month);
    } catch {
      // Problems are reported when the audit is verified; nothing is lost here.
    } finally {
      release();
    }
  }
}

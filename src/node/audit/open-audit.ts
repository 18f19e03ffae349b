import { hash } from 'node:crypto';
import type { Digest } from '../../core/permission/audit/audit-chain';
import type { AuditEntry } from '../../core/permission/audit/audit-entry';
import { AuditLog, firstKept, type AuditDeps } from '../../core/permission/audit/audit-log';
import { KeptTexts, TEXTS_FOLDER } from '../../core/permission/audit/kept-texts';
import type { Redactor } from '../../core/permission/audit/redact';
import type { Clock } from '../../core/ports';
import { DiskStore } from '../disk-store';
import { storeError } from '../store-error';
import {
  AuditFiles,
  auditFolder,
  auditMark,
  holdNamed,
  holdWriter,
  isOfThisMachine,
  machine,
  type HeldWriter,
} from './audit-folder';
import { AUDIT_FOLDER, anyAuditFile } from '../../core/permission/audit/audit-store';

/** In one call: a hash object per text is garbage that the collector takes long over. */
export const sha256: Digest = (text) => Promise.resolve(hash('sha256', text));

interface ProcessAuditDeps {
  /** absolute */
  readonly vault: string;
  /** what this process is: `bridge`, `cli`, `mcp` */
  readonly kind: string;
  readonly clock: Clock;
  readonly redactor: Redactor;
  /** how many months are kept, this one included; 0: all */
  readonly months: () => number | Promise<number>;
}

/** The audit of one process, opened when the first entry comes, and the texts that undo what calls did. */
export class ProcessAudit {
  private held: HeldWriter | undefined;
  private opening: Promise<AuditLog> | undefined;
  /** month in which the last look for what is too old was */
  private tidied: string | undefined;

  /** of all processes of this machine */
  readonly texts: KeptTexts;

  constructor(private readonly deps: ProcessAuditDeps) {
    const { vault, clock } = deps;
    const folder = `${TEXTS_FOLDER}/${machine()}`;
    this.texts = new KeptTexts({ store: new DiskStore(vault), clock, digest: sha256, folder });
  }

  /** Resolves once it is on disk. @throws StoreError where it can't be written; then nothing may be done */
  async append(entry: AuditEntry): Promise<void> {
    try {
      this.opening ??= this.open();
      const log = await this.opening.catch((error: unknown) => {
        this.close();
        throw error;
      });
      await this.tidy(log);
      await log.append(entry);
    } catch (error) {
      throw storeError(AUDIT_FOLDER, error);
    }
  }

  /** Gives the writer's name back. Synchronous, for the end of a process; may be called twice. */
  close(): void {
    this.held?.release();
    this.held = undefined;
    this.opening = undefined;
  }

  private async open(): Promise<AuditLog> {
    const { vault, kind, clock, redactor } = this.deps;
    const files = new AuditFiles(vault);
    this.held = await holdWriter(files, kind);
    const { writer } = this.held;
    const [store, mark] = [auditFolder(files), auditMark(files, writer)];
    this.tidied = undefined;
    return new AuditLog({ store, mark, digest: sha256, clock, redactor, writer });
  }

  /** Once a month, since a process may live for many: its own files, and those that nobody sees to. */
  private async tidy(log: AuditLog): Promise<void> {
    const { vault, clock, redactor, months } = this.deps;
    const today = clock.today();
    if (this.tidied === today.slice(0, 7)) return;
    this.tidied = today.slice(0, 7);
    const month = firstKept(today, await months());
    if (month === undefined) return;
    await log.keepFrom(month);
    await this.texts.keepFrom(month);
    await tidyLeft(new AuditFiles(vault), month, { digest: sha256, clock, redactor });
  }
}

/**
 * Removes earlier months of the writers of this machine that no process is now: one of them may never be
 * again, such as the second of two that once ran at the same time. A chain that does not hold stays.
 * @param month `YYYY-MM`: the first that is kept
 */
export async function tidyLeft(
  files: AuditFiles,
  month: string,
  deps: Pick<AuditDeps, 'digest' | 'clock' | 'redactor'>,
): Promise<void> {
  const store = auditFolder(files);
  const old = (await store.list()).flatMap((name) => {
    const file = anyAuditFile(name);
    return file !== undefined && file.month < month ? [file.writer] : [];
  });
  for (const writer of new Set(old.filter(isOfThisMachine))) {
    const release = await holdNamed(files, writer);
    if (release === undefined) continue;
    try {
      const log = new AuditLog({ ...deps, store, mark: auditMark(files, writer), writer });
      await log.keepFrom(month);
    } catch {
      // What is wrong with it is told where the audit is checked; nothing of it is lost here.
    } finally {
      release();
    }
  }
}

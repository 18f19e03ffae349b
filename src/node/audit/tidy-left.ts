import { anyAuditFile } from '../../core/permission/audit/audit-file';
import { AuditLog, type AuditDeps } from '../../core/permission/audit/audit-log';
import type { AuditFiles } from './audit-files';
import { auditFolder } from './audit-folder';
import { auditMark } from './audit-marks';
import { holdNamed, isOfThisMachine } from './audit-writer';

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

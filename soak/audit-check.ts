import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseRecord } from '../src/core/permission/audit/audit-chain';
import type { AuditRecord } from '../src/core/permission/audit/audit-entry';
import { AUDIT_FOLDER, writersOf } from '../src/core/permission/audit/audit-store';
import { auditedCalls, type AuditedCall } from '../src/core/permission/audit/explain-call';
import { verifyAudit } from '../src/core/permission/audit/verify-audit';
import { AuditFiles, auditFolder, auditMark } from '../src/node/audit/audit-folder';
import { sha256 } from '../src/node/audit/open-audit';

/** The audit of a vault as stored on disk. */
export interface StoredAudit {
  readonly calls: readonly AuditedCall[];
  readonly repairs: number;
  /** one sentence for each chain or call that is wrong */
  readonly lost: readonly string[];
}

/** Reads the whole audit and verifies every chain and call. Nothing may be writing to the vault. */
export async function readAudit(vault: string): Promise<StoredAudit> {
  const folder = join(vault, AUDIT_FOLDER);
  const files = new AuditFiles(vault);
  const store = auditFolder(files);
  const names = (await store.list()).filter((name) => name.endsWith('.jsonl'));
  const lost: string[] = [];
  for (const writer of writersOf(names)) {
    const mark = await auditMark(files, writer).load();
    const report = await verifyAudit(store, writer, sha256, mark);
    if (!report.ok) lost.push(`${writer}: ${report.message}`);
  }
  const records: AuditRecord[] = [];
  for (const name of names) {
    const lines = (await readFile(join(folder, name), 'utf8')).split('\n');
    records.push(...lines.flatMap((line) => parseRecord(line) ?? []));
  }
  const { calls, odd } = auditedCalls(records);
  lost.push(...odd.map((id) => `Call ${id} has not one intent and one outcome.`));
  const repairs = records.filter(({ kind }) => kind === 'repair').length;
  return { calls: [...calls.values()], repairs, lost };
}

/** Path of the newest audit file of a program; undefined if it wrote none. */
export async function newestFile(vault: string, program: string): Promise<string | undefined> {
  const folder = join(vault, AUDIT_FOLDER);
  const names = await auditFolder(new AuditFiles(vault)).list();
  const name = names
    .filter((one) => one.includes(`.${program}-`))
    .sort()
    .at(-1);
  return name === undefined ? undefined : join(folder, name);
}

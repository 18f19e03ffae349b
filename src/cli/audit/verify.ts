import { parseRecord } from '../../core/permission/audit/audit-chain';
import { AUDIT_FOLDER, auditFilesOf, writersOf } from '../../core/permission/audit/audit-store';
import type { AuditRecord } from '../../core/permission/audit/audit-entry';
import { auditedCalls } from '../../core/permission/audit/explain-call';
import { verifyAudit, type AuditReport } from '../../core/permission/audit/verify-audit';
import { jsonLine, visibleText } from '../../core/permission/audit/redact';
import { sha256 } from '../../node/audit/open-audit';
import { textExit, type Exit } from '../command';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AuditFiles, auditFolder, auditMark, WRITERS_FOLDER } from '../../node/audit/audit-folder';
import { ifMissing, storeError, systemCode } from '../../node/store-error';
import type { Finding } from '../../core/board/board-findings';
import { StoreError } from '../../core/ports';

/** The result for one writer's audit. */
interface WriterReport {
  readonly writer: string;
  readonly report: AuditReport;
  /** whether its end is marked, so that missing entries at the end are noticed */
  readonly marked: boolean;
  /** whether any of its files exists */
  readonly present: boolean;
  /** ids of calls without exactly one intent and at most one outcome */
  readonly odd: readonly string[];
}

/** Maximum checks of a writer that has a name but no entry, before its files count as missing. */
const MAX_CHECKS = 4;

/** Pause between these checks, ms, in which the writer may write its first entry. */
const FIRST_ENTRY_PAUSE = 500;

function firstEntry(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, FIRST_ENTRY_PAUSE);
  });
}

/**
 * `agent-boards audit verify`: checks that the audit contains exactly what was written.
 * @param pause waits for the first entry of a writer that has just taken its name
 */
export async function verify(place: AuditAccess, json: boolean, pause = firstEntry): Promise<Exit> {
  const found = await verifyWriters(place, pause);
  const ok = found.every(isIntact);
  const code = ok ? 0 : 3;
  if (json) return textExit(code, jsonLine({ ok, writers: found.map(jsonOf) }));
  return textExit(
    code,
    found.length === 0 ? 'Nothing has been audited yet.' : found.map(reportText).join('\n'),
  );
}

async function verifyWriters(
  place: AuditAccess,
  pause: () => Promise<void>,
): Promise<readonly WriterReport[]> {
  const found: WriterReport[] = [];
  for (const writer of await place.writers()) {
    const one = await verifyWithRetries(place, writer, pause);
    if (one !== undefined) found.push(one);
  }
  return found;
}

function isIntact(found: WriterReport): boolean {
  return !areFilesMissing(found) && found.report.ok && found.odd.length === 0;
}

/**
 * The damage that `verify` reports, as findings for the doctor.
 * @param vault absolute path
 */
export async function auditFindings(vault: string): Promise<readonly Finding[]> {
  const kind = 'damaged-audit';
  try {
    const broken = (await verifyWriters(openAuditAccess(vault), firstEntry)).filter(
      (one) => !isIntact(one),
    );
    return broken.map((one) => {
      const { report } = one;
      const at = report.ok || areFilesMissing(one) ? undefined : report;
      const path = at?.file === undefined ? AUDIT_FOLDER : `${AUDIT_FOLDER}/${at.file}`;
      const text = `The audit of ${problemLines(one).join(' ')} ${ADVICE}`;
      return { kind, path, line: at?.file === undefined ? 0 : at.line, text };
    });
  } catch (error) {
    if (systemCode(error) === undefined && !(error instanceof StoreError)) throw error;
    const text = `The audit cannot be checked. ${storeError(AUDIT_FOLDER, error).message}`;
    return [{ kind, path: AUDIT_FOLDER, line: 0, text }];
  }
}

const ADVICE =
  'If you did not change it, find out what did: agent-boards audit verify says more. New entries are still written; a file that you move out of the vault is told as missing.';

/** @returns undefined for a writer that released its name without an entry */
async function verifyWithRetries(
  place: AuditAccess,
  writer: string,
  pause: () => Promise<void>,
): Promise<WriterReport | undefined> {
  let found = await verifyWriter(place, writer);
  for (let looks = 1; looks < MAX_CHECKS && areFilesMissing(found) && !found.marked; looks += 1) {
    await pause();
    if (!(await place.writers()).includes(writer)) return undefined;
    found = await verifyWriter(place, writer);
  }
  return found;
}

async function verifyWriter(place: AuditAccess, writer: string): Promise<WriterReport> {
  const mark = await place.mark(writer);
  const records: AuditRecord[] = [];
  const report = await verifyAudit(place.store, writer, sha256, mark, (record) => {
    records.push(record);
  });
  const files = auditFilesOf(await place.store.list(), writer);
  // The intents of expired months have been deleted.
  const isWhole = mark === undefined || mark.from <= 1;
  // The check stops at a broken entry, so the records after it are read separately.
  const all = report.ok || !isWhole ? records : await recordsIn(place, files);
  const { odd } = isWhole ? auditedCalls(all) : { odd: [] };
  return { writer, report, marked: mark !== undefined, present: files.length > 0, odd };
}

async function recordsIn(place: AuditAccess, files: readonly string[]): Promise<AuditRecord[]> {
  const records: AuditRecord[] = [];
  for (const file of files) {
    const lines = ((await place.store.read(file)) ?? '').split('\n');
    for (const line of lines) {
      const record = parseRecord(line);
      if (record !== undefined) records.push(record);
    }
  }
  return records;
}

/** Whether files are missing. If all months of a writer have expired, its mark says so. */
function areFilesMissing({ report, marked, present }: WriterReport): boolean {
  return !present && !(marked && report.ok);
}

function jsonOf(found: WriterReport): unknown {
  const { writer, report, marked, odd } = found;
  if (!areFilesMissing(found)) return { writer, ...report, marked, odd };
  return { writer, ok: false, problem: 'cut', message: FILES_MISSING, marked, odd };
}

const FILES_MISSING = 'This writer is known, but its files are not there.';

function reportText(found: WriterReport): string {
  const { writer, report, marked } = found;
  const lines = problemLines(found);
  if (areFilesMissing(found) || !report.ok) return lines.join('\n');
  const entries = report.entries === 1 ? '1 entry' : `${report.entries} entries`;
  const end = marked
    ? ''
    : ' Whether entries are missing at its end is known to its writer only; for that of Obsidian, use Check audit there.';
  return [`${writer}: ${entries}, as they were written.${end}`, ...lines].join('\n');
}

/** One line per problem; none if the audit is intact. */
function problemLines(found: WriterReport): readonly string[] {
  const { writer, report, odd } = found;
  const lines: string[] = [];
  if (areFilesMissing(found)) lines.push(`${writer}: ${FILES_MISSING}`);
  else if (!report.ok) {
    const where = report.file === undefined ? '' : `${report.file}:${report.line}: `;
    lines.push(`${writer}: ${where}${report.message}`);
  }
  if (odd.length > 0) {
    const ids = odd.slice(0, 5).join(', ');
    const calls = odd.length === 1 ? "1 call doesn't" : `${odd.length} calls don't`;
    lines.push(`${writer}: ${calls} have one intent and one outcome: ${visibleText(ids)}.`);
  }
  return lines;
}

export type AuditAccess = ReturnType<typeof openAuditAccess>;

/** The audit of a vault, for reading. */
export function openAuditAccess(vault: string) {
  const files = new AuditFiles(vault);
  const store = auditFolder(files);
  return {
    folder: join(vault, AUDIT_FOLDER),
    store,
    /** all writers, including those whose files are gone */
    writers: async (): Promise<readonly string[]> => {
      const known = await files.inFolder(WRITERS_FOLDER, knownWriters);
      return [...new Set([...writersOf(await store.list()), ...known])].sort();
    },
    /**
     * the marked end of a writer's audit; undefined if the mark is kept elsewhere, as by the plugin
     */
    mark: (writer: string) => auditMark(files, writer).load(),
  };
}

/** Writers by their name locks and marks: a writer takes its lock right before its first entry. */
async function knownWriters(folder: string | undefined): Promise<readonly string[]> {
  if (folder === undefined) return [];
  const names = await readdir(folder).catch(ifMissing([]));
  return names.flatMap((name) => /^([\w-]{1,64})\.(?:json|lock)$/.exec(name)?.[1] ?? []);
}

import { sentence, type Sentence } from '../../fault/sentence';
import { KeyedQueue } from '../../keyed-queue';
import { readLine, type ChainEnd, type Digest } from './audit-chain';
import type { AuditRecord } from './audit-entry';
import { auditFilesOf, writersOf, type AuditStore, type MarkedEnd } from './audit-store';

export type AuditReport =
  | { readonly ok: true; readonly entries: number }
  | {
      readonly ok: false;
      readonly problem: AuditProblem;
      /** number of the first invalid entry; later ones can't be trusted */
      readonly entry: number;
      /** the file to look at; undefined if it is missing */
      readonly file: string | undefined;
      /** from 1 */
      readonly line: number;
      readonly message: string;
      /** `message` as a value */
      readonly said: Sentence;
    };

/** The last verified entry of a writer and its position. */
interface VerifiedEnd extends ChainEnd {
  readonly file: string;
  /** from 1 */
  readonly line: number;
  readonly entries: number;
}

/**
 * Verifies that one writer's audit has exactly the entries that were written.
 * @param mark the writer's mark, read before the files; undefined if it is not known
 * @param onRecord called for each valid entry, in order
 */
export async function verifyAudit(
  store: AuditVerifierDeps['store'],
  writer: string,
  digest: Digest,
  mark: MarkedEnd | undefined,
  onRecord?: (record: AuditRecord) => void,
): Promise<AuditReport> {
  return (await verifyFrom(store, writer, digest, mark, undefined, onRecord)).report;
}

/**
 * Like `verifyAudit`, but continues after `known`, which was verified before.
 * @returns the end from which to continue next time; undefined if nothing is intact
 */
async function verifyFrom(
  store: AuditVerifierDeps['store'],
  writer: string,
  digest: Digest,
  mark: MarkedEnd | undefined,
  known: VerifiedEnd | undefined,
  onRecord?: (record: AuditRecord) => void,
): Promise<{ readonly report: AuditReport; readonly end: VerifiedEnd | undefined }> {
  const verifier = new ChainVerifier(mark, known);
  const names = auditFilesOf(await store.list(), writer);
  const at = known === undefined ? 0 : names.indexOf(known.file);
  // The file of the verified end is gone, so verification starts over.
  if (at < 0) return verifyFrom(store, writer, digest, mark, undefined, onRecord);
  for (const file of names.slice(at)) {
    const text = (await store.read(file)) ?? '';
    const lines = text.split('\n');
    // A line without a line break may still be being written; the mark tells what must be
    // complete.
    const torn = lines.pop() ?? '';
    if (torn !== '' && (file !== names.at(-1) || (await readLine(torn, digest))?.intact === true))
      lines.push(torn);
    const skipped = file === known?.file ? known.line : 0;
    if (skipped > 0 && !(lines[skipped - 1] ?? '').endsWith(`"hash":"${known?.hash ?? ''}"}`))
      return verifyFrom(store, writer, digest, mark, undefined, onRecord);
    for (let line = skipped; line < lines.length; line += 1) {
      const read = await readLine(lines[line] ?? '', digest);
      const report = verifier.verifyLine(read, { file, line: line + 1 });
      if (report !== undefined) return { report, end: verifier.last };
      if (read !== undefined) onRecord?.(read.record);
    }
  }
  return { report: verifier.finish(), end: verifier.last };
}

/** Follows a chain entry by entry. */
class ChainVerifier {
  private readonly from: number;
  private isMarkReached: boolean;

  constructor(
    private readonly mark: MarkedEnd | undefined,
    public last: VerifiedEnd | undefined,
  ) {
    this.from = mark?.from ?? 1;
    const before = last?.n ?? this.from - 1;
    this.isMarkReached = mark === undefined || mark.n <= before;
  }

  /** @returns a report if this line is invalid */
  verifyLine(
    read: Awaited<ReturnType<typeof readLine>>,
    place: Pick<VerifiedEnd, 'file' | 'line'>,
  ): AuditReport | undefined {
    const { last, mark } = this;
    const expected = this.expectedNumber;
    if (read?.intact !== true) return brokenReport('changed', expected, place);
    const { n, prev, hash } = read.record;
    // Files older than the mark's first line may still exist.
    const early = last === undefined && n <= expected;
    if (!early && n !== expected)
      return brokenReport(n > expected ? 'missing' : 'moved', expected, place);
    if (last !== undefined && prev !== last.hash) return brokenReport('changed', last.n, last);
    if (mark?.n === n) {
      if (mark.hash !== hash) return brokenReport('cut', n, place);
      this.isMarkReached = true;
    }
    this.last = { n, hash, ...place, entries: (last?.entries ?? 0) + 1 };
    return undefined;
  }

  finish(): AuditReport {
    const { last } = this;
    if (this.isMarkReached) return { ok: true, entries: last?.entries ?? 0 };
    return brokenReport('cut', this.expectedNumber, {
      file: last?.file,
      line: (last?.line ?? 0) + 1,
    });
  }

  private get expectedNumber(): number {
    return (this.last?.n ?? this.from - 1) + 1;
  }
}

/** What is wrong with the chain of a writer. */
export const AUDIT_PROBLEMS = {
  /** an entry was changed, or is not an entry */
  changed:
    "Entry {entry} was changed or removed after it was written. Later entries can't be trusted.",
  /** entries before it are missing */
  missing: "Entry {entry} was removed after it was written. Later entries can't be trusted.",
  /** it comes after a later one, or occurs twice */
  moved: "Entry {entry} was moved after it was written. Later entries can't be trusted.",
  /** entries at the end are missing, or the whole chain was rewritten */
  cut: "Entry {entry} was removed from the end, or rewritten. Later entries can't be trusted.",
} as const;

type AuditProblem = keyof typeof AUDIT_PROBLEMS;

function brokenReport(
  problem: AuditProblem,
  entry: number,
  { file, line }: { readonly file: string | undefined; readonly line: number },
): AuditReport {
  const [message, said] = sentence(['auditProblem', AUDIT_PROBLEMS], problem, { entry });
  return { ok: false, problem, entry, file, line, message, said };
}

/** A report on an invalid chain, with its writer. */
export type BrokenChain = Extract<AuditReport, { ok: false }> & { readonly writer: string };

/** The result of verifying the audits of all writers. */
export interface AuditVerification {
  /** number of valid entries */
  readonly entries: number;
  readonly writers: readonly string[];
  readonly broken: readonly BrokenChain[];
}

export interface AuditVerifierDeps {
  readonly store: Pick<AuditStore, 'list' | 'read'>;
  readonly digest: Digest;
  /**
   * reads a writer's mark; undefined if it is not known here, so that missing entries at the end go
   * unnoticed
   */
  readonly mark: (writer: string) => Promise<MarkedEnd | undefined>;
  /** writers that must exist, even if all their files are gone */
  readonly known?: () => readonly string[];
}

/** Verifies the chains of all writers; after the first time, only the new entries. */
export class AuditVerifier {
  private readonly ends = new Map<string, VerifiedEnd>();
  private readonly queue = new KeyedQueue();

  constructor(private readonly deps: AuditVerifierDeps) {}

  /**
   * @param fromStart verifies everything again, since entries may have been changed after the last time
   */
  check(fromStart = false): Promise<AuditVerification> {
    return this.queue.run('', () => this.verifyAll(fromStart));
  }

  private async verifyAll(anew: boolean): Promise<AuditVerification> {
    const { store, digest, mark, known } = this.deps;
    if (anew) this.ends.clear();
    const writers = [...new Set([...writersOf(await store.list()), ...(known?.() ?? [])])].sort();
    const broken: BrokenChain[] = [];
    let entries = 0;
    for (const writer of writers) {
      const marked = await mark(writer);
      const before = this.ends.get(writer);
      const { report, end } = await verifyFrom(store, writer, digest, marked, before);
      if (end === undefined) this.ends.delete(writer);
      else this.ends.set(writer, end);
      entries += end?.entries ?? 0;
      if (!report.ok) broken.push({ ...report, writer });
    }
    return { entries, writers, broken };
  }
}

/** For diagnosis: one line per broken chain with the problem, file and line. */
export function verificationReport({ entries, writers, broken }: AuditVerification): string {
  const lines = broken.map(
    ({ writer, file, line, problem, message }) =>
      `${writer}: ${message} (${problem}; ${file ?? 'no file'}, line ${line})`,
  );
  const whole = writers.filter((writer) => broken.every((one) => one.writer !== writer));
  const intact = whole.length === 0 ? [] : [`Intact: ${whole.join(', ')}`];
  return [`Audit, ${entries} entries as they were written`, ...lines, ...intact].join('\n');
}

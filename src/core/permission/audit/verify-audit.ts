import { readLine, type ChainEnd, type Digest } from './audit-chain';
import { filesOf } from './audit-file';
import type { AuditStore, MarkedEnd } from './audit-store';

export type AuditProblem =
  /** an entry is not what was written, or no entry at all */
  | 'changed'
  /** entries before it are gone */
  | 'missing'
  /** it stands behind a later one, or stands there twice */
  | 'moved'
  /** entries at the end are gone, or all were made anew */
  | 'cut';

export type AuditReport =
  | { readonly ok: true; readonly entries: number }
  | {
      readonly ok: false;
      readonly problem: AuditProblem;
      /** number of the first entry that is not as it was; later ones can't be trusted */
      readonly entry: number;
      /** where to look; undefined where the file itself is gone */
      readonly file: string | undefined;
      /** from 1 */
      readonly line: number;
      readonly message: string;
    };

/** The last entry of a writer that was found to be whole, and where it stands. */
export interface VerifiedEnd extends ChainEnd {
  readonly file: string;
  /** from 1 */
  readonly line: number;
  readonly entries: number;
}

type Files = Pick<AuditStore, 'list' | 'read'>;

/**
 * Whether one writer's audit is all that was written, and only that.
 * @param mark as it was before the files are read; undefined where it is not known
 */
export async function verifyAudit(
  store: Files,
  writer: string,
  digest: Digest,
  mark: MarkedEnd | undefined,
): Promise<AuditReport> {
  return (await verifyFrom(store, writer, digest, mark, undefined)).report;
}

/**
 * The same, where what stands up to `known` was looked at before.
 * @returns the end to go on from next time; undefined where nothing is whole
 */
export async function verifyFrom(
  store: Files,
  writer: string,
  digest: Digest,
  mark: MarkedEnd | undefined,
  known: VerifiedEnd | undefined,
): Promise<{ readonly report: AuditReport; readonly end: VerifiedEnd | undefined }> {
  const walk = new Walk(mark, known);
  const names = filesOf(await store.list(), writer);
  const at = known === undefined ? 0 : names.indexOf(known.file);
  // What was known is gone: all of it is looked at anew.
  if (at < 0) return verifyFrom(store, writer, digest, mark, undefined);
  for (const file of names.slice(at)) {
    const text = (await store.read(file)) ?? '';
    const lines = text.split('\n');
    // What has no end may still be under way; what was promised is told by the mark.
    const torn = lines.pop() ?? '';
    if (torn !== '' && (file !== names.at(-1) || (await readLine(torn, digest))?.intact === true))
      lines.push(torn);
    const skipped = file === known?.file ? known.line : 0;
    if (skipped > 0 && !(lines[skipped - 1] ?? '').endsWith(`"hash":"${known?.hash ?? ''}"}`))
      return verifyFrom(store, writer, digest, mark, undefined);
    for (let line = skipped; line < lines.length; line += 1) {
      const read = await readLine(lines[line] ?? '', digest);
      const report = walk.take(read, { file, line: line + 1 });
      if (report !== undefined) return { report, end: walk.last };
    }
  }
  return { report: walk.end(), end: walk.last };
}

interface Place {
  readonly file: string;
  readonly line: number;
}

/** Goes along a chain, entry by entry. */
class Walk {
  private readonly from: number;
  private marked: boolean;

  constructor(
    private readonly mark: MarkedEnd | undefined,
    public last: VerifiedEnd | undefined,
  ) {
    this.from = mark?.from ?? 1;
    const before = last?.n ?? this.from - 1;
    this.marked = mark === undefined || mark.n <= before;
  }

  /** @returns what is wrong with this line */
  take(read: Awaited<ReturnType<typeof readLine>>, place: Place): AuditReport | undefined {
    const { last, mark } = this;
    const expected = this.next;
    if (read?.intact !== true) return broken('changed', expected, place);
    const { n, prev, hash } = read.record;
    // Older ones than are promised may still be there.
    const early = last === undefined && n <= expected;
    if (!early && n !== expected)
      return broken(n > expected ? 'missing' : 'moved', expected, place);
    if (last !== undefined && prev !== last.hash) return broken('changed', last.n, last);
    if (mark?.n === n) {
      if (mark.hash !== hash) return broken('cut', n, place);
      this.marked = true;
    }
    this.last = { n, hash, ...place, entries: (last?.entries ?? 0) + 1 };
    return undefined;
  }

  end(): AuditReport {
    const { last } = this;
    if (this.marked) return { ok: true, entries: last?.entries ?? 0 };
    return broken('cut', this.next, { file: last?.file, line: (last?.line ?? 0) + 1 });
  }

  private get next(): number {
    return (this.last?.n ?? this.from - 1) + 1;
  }
}

const WORDS: Readonly<Record<AuditProblem, string>> = {
  changed: 'was changed or removed after it was written',
  missing: 'was removed after it was written',
  moved: 'was moved after it was written',
  cut: 'was removed from the end, or written anew',
};

function broken(
  problem: AuditProblem,
  entry: number,
  { file, line }: { readonly file: string | undefined; readonly line: number },
): AuditReport {
  const message = `Entry ${entry} ${WORDS[problem]}. Later entries can't be trusted.`;
  return { ok: false, problem, entry, file, line, message };
}

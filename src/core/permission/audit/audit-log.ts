import { KeyedQueue } from '../../keyed-queue';
import type { Clock } from '../../ports';
import {
  CHAIN_START,
  nextLine,
  parseRecord,
  readLine,
  type ChainEnd,
  type Digest,
} from './audit-chain';
import { auditEntry, type AuditEntry } from './audit-entry';
import {
  auditFileName,
  auditFilesOf,
  parseOwnAuditFileName,
  isValidWriter,
  type AuditFileName,
  type AuditMark,
  type AuditStore,
  type MarkedEnd,
} from './audit-store';
import { limitSize, type Redactor } from './redact';

/** Characters after which the month's next file begins. */
const MAX_FILE_CHARS = 1024 * 1024;

export interface AuditDeps {
  readonly store: AuditStore;
  readonly mark: AuditMark;
  readonly digest: Digest;
  readonly clock: Clock;
  readonly redactor: Redactor;
  /** see `isValidWriter`; must be unique among running processes */
  readonly writer: string;
}

interface QueuedEntry {
  readonly entry: AuditEntry;
  readonly at: number;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

interface WritePosition {
  readonly file: AuditFileName;
  readonly size: number;
  readonly end: ChainEnd;
  readonly from: number;
}

/**
 * Writes the audit of one process. Entries added during a write go to disk together in the next
 * one. If a write fails, its entries are rejected, and the next write first reads what is on disk.
 */
export class AuditLog {
  private readonly queued: QueuedEntry[] = [];
  private readonly queue = new KeyedQueue();
  private position: WritePosition | undefined;

  constructor(private readonly deps: AuditDeps) {
    if (!isValidWriter(deps.writer)) throw new RangeError('This text cannot name a writer.');
  }

  /**
   * Resolves once the entry is on disk. Callers await the intent before they act, so nothing is
   * done that can't be recorded.
   * @throws RangeError if it is not a valid entry
   */
  append(entry: AuditEntry): Promise<void> {
    return new Promise((done, failed) => {
      const at = this.deps.clock.now();
      this.queued.push({ entry: this.redactAndValidate(entry), at, done, failed });
      if (this.queued.length > 1) return;
      void this.queue.run('', async () => {
        const batch = this.queued.splice(0);
        try {
          await this.write(batch);
        } catch (error) {
          this.position = undefined;
          return batch.forEach(({ failed }) => failed(error));
        }
        for (const { done } of batch) done();
      });
    });
  }

  /**
   * Removes the files of earlier months.
   * @param month `YYYY-MM`: the first that is kept
   */
  keepFrom(month: string): Promise<void> {
    return this.queue.run('', () => this.removeBefore(month));
  }

  private async removeBefore(month: string): Promise<void> {
    const { store, mark, writer } = this.deps;
    const { end } = await this.currentPosition();
    const names = auditFilesOf(await store.list(), writer);
    const old = names.filter(
      (name) => (parseOwnAuditFileName(name, writer)?.month ?? month) < month,
    );
    if (old.length === 0) return;
    const next = names[old.length];
    const from = next === undefined ? end.n + 1 : await firstNumber(store, next);
    // The mark goes first: if the process dies here, the disk holds more than the mark promises,
    // never less.
    await mark.save({ ...end, from });
    this.position = undefined;
    for (const name of old) await store.remove(name);
  }

  private async write(batch: readonly QueuedEntry[]): Promise<void> {
    const { store, mark, digest, writer } = this.deps;
    const { file, size, end: start, from } = rotateFile(await this.currentPosition(), this.month());
    let end = start;
    let text = '';
    for (const { entry, at } of batch) {
      const next = await nextLine(entry, at, end, digest);
      text += `${next.line}\n`;
      end = { n: next.n, hash: next.hash };
    }
    await store.append(auditFileName(file, writer), text);
    await mark.save({ ...end, from });
    this.position = { file, size: size + text.length, end, from };
  }

  private async currentPosition(): Promise<WritePosition> {
    if (this.position !== undefined) return this.position;
    const { store, mark, writer } = this.deps;
    const marked: MarkedEnd = (await mark.load()) ?? { ...CHAIN_START, from: 1 };
    const name = auditFilesOf(await store.list(), writer).at(-1);
    const file = name === undefined ? undefined : parseOwnAuditFileName(name, writer);
    if (name === undefined || file === undefined) {
      return { file: { month: this.month(), part: 1 }, size: 0, end: marked, from: marked.from };
    }
    const { end, size } = await openChain(name, marked, this.deps);
    return { file, size, end, from: marked.from };
  }

  /** The month in the local calendar. A file's month never goes back, even if the clock does. */
  private month(): string {
    return this.deps.clock.today().slice(0, 7);
  }

  /** @throws RangeError if the result is not a valid entry */
  private redactAndValidate(entry: AuditEntry): AuditEntry {
    const clean = this.deps.redactor.value(entry) as AuditEntry;
    const { success, error } = auditEntry().safeParse(clean);
    if (!success) {
      throw new RangeError(`This is not an audit entry: ${error.issues[0]?.path.join('.') ?? ''}.`);
    }
    return clean.kind === 'intent' ? { ...clean, args: limitSize(clean.args) } : clean;
  }
}

function rotateFile(place: WritePosition, month: string): WritePosition {
  const { file, size } = place;
  if (month > file.month) return { ...place, file: { month, part: 1 }, size: 0 };
  return size < MAX_FILE_CHARS
    ? place
    : { ...place, file: { ...file, part: file.part + 1 }, size: 0 };
}

/** Characters of a torn line that the repair entry keeps. */
const MAX_TORN_CHARS = 900;

/**
 * Finds the point from which a file's chain continues. A torn last line is replaced by a repair
 * entry that keeps its beginning. If written lines are missing, numbering continues after the
 * marked end, so that the gap stays visible.
 */
async function openChain(
  name: string,
  marked: ChainEnd,
  { store, digest, clock }: Pick<AuditDeps, 'store' | 'digest' | 'clock'>,
): Promise<{ readonly end: ChainEnd; readonly size: number }> {
  const text = (await store.read(name)) ?? '';
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const torn = text.slice(whole.length);
  const end = laterEnd(whole, marked);
  if (torn === '') return { end, size: whole.length };
  const last = await readLine(torn, digest);
  if (last?.intact === true) {
    // Only the line break is missing.
    await store.replace(name, `${text}\n`);
    return { end: { n: last.record.n, hash: last.record.hash }, size: text.length + 1 };
  }
  const lost = { kind: 'repair', lost: torn.slice(0, MAX_TORN_CHARS) } as const;
  const repair = await nextLine(lost, clock.now(), end, digest);
  const repaired = `${whole}${repair.line}\n`;
  await store.replace(name, repaired);
  return { end: { n: repair.n, hash: repair.hash }, size: repaired.length };
}

/**
 * Number of a file's first line. Returns 1 if it is unreadable, so that no entry counts as removed
 * on purpose.
 */
async function firstNumber(store: AuditStore, name: string): Promise<number> {
  const text = (await store.read(name)) ?? '';
  return parseRecord(text.slice(0, text.indexOf('\n')))?.n ?? 1;
}

function laterEnd(whole: string, marked: ChainEnd): ChainEnd {
  const last = parseRecord(whole.slice(whole.lastIndexOf('\n', whole.length - 2) + 1).trimEnd());
  const found = last === undefined ? CHAIN_START : { n: last.n, hash: last.hash };
  return found.n >= marked.n ? found : { n: marked.n, hash: marked.hash };
}

/**
 * The first month to keep, `YYYY-MM`; undefined to keep all.
 * @param today `YYYY-MM-DD`
 * @param months number of months to keep, including this one; 0: all
 */
export function firstKeptMonth(today: string, months: number): string | undefined {
  if (months === 0) return undefined;
  const [year = 0, month = 1] = today.split('-').map(Number);
  const first = year * 12 + month - months;
  const yearText = String(Math.floor(first / 12)).padStart(4, '0');
  return `${yearText}-${String((first % 12) + 1).padStart(2, '0')}`;
}

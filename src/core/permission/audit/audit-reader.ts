import { parseAuditFileName, auditFilesOf, writersOf, type AuditStore } from './audit-store';
import {
  compareNewestFirst,
  type AuditRow,
  type CallRow,
  type IntentRecord,
  type OutcomeRecord,
} from './audit-rows';
import { KeyedQueue } from '../../keyed-queue';
import { parseRecord } from './audit-chain';

/** The rows read so far. */
export interface AuditPage {
  /** newest first */
  readonly rows: readonly AuditRow[];
  /** `YYYY-MM`, newest first */
  readonly months: readonly string[];
  /** the newest month not read yet; undefined if all are read */
  readonly older: string | undefined;
}

export const EMPTY_AUDIT_PAGE: AuditPage = { rows: [], months: [], older: undefined };

/**
 * Reads the audits of all writers month by month, merged by time. Files that grew are read from
 * where reading stopped.
 */
export class AuditReader {
  private writers = new Map<string, WriterCalls>();
  private readonly months = new Set<string>();
  private readonly queue = new KeyedQueue();
  private page = EMPTY_AUDIT_PAGE;

  /** @param pause awaited after each file, to let other work run */
  constructor(
    private readonly store: Pick<AuditStore, 'list' | 'read' | 'size'>,
    private readonly pause: () => Promise<void> = () => Promise.resolve(),
  ) {}

  get now(): AuditPage {
    return this.page;
  }

  /**
   * Reads the latest month and the additions to months already read. Returns the same object if
   * nothing changed.
   */
  refresh(): Promise<AuditPage> {
    return this.queue.run('', () => this.readMonths());
  }

  /** The rows of the two latest months: a session of now may have begun in the one before. */
  async recentRows(): Promise<readonly AuditRow[]> {
    const { rows, older } = await this.refresh();
    return older === undefined ? rows : (await this.load(older)).rows;
  }

  /** Reads all months from this one to the latest. */
  load(month: string): Promise<AuditPage> {
    return this.queue.run('', () => this.readMonths(month));
  }

  private async readMonths(upTo?: string): Promise<AuditPage> {
    const names = await this.store.list();
    const all = [...new Set(names.flatMap((name) => parseAuditFileName(name)?.month ?? []))].sort();
    const latest = all.at(-1);
    if (latest !== undefined) this.months.add(latest);
    for (const month of all) if (upTo !== undefined && month >= upTo) this.months.add(month);
    let changed = this.forget(names);
    for (const writer of writersOf(names)) {
      if (await this.readWriter(writer, auditFilesOf(names, writer))) changed = true;
    }
    const months = all.filter((month) => this.months.has(month)).reverse();
    const older = all.filter((month) => !this.months.has(month)).at(-1);
    if (changed || older !== this.page.older || months.length !== this.page.months.length) {
      const rows = [...this.writers.values()]
        .flatMap((calls) => [...calls.rows])
        .sort(compareNewestFirst);
      this.page = { rows, months, older };
    }
    return this.page;
  }

  /** Forgets writers that lost a file, so that their files are read from the beginning. */
  private forget(names: readonly string[]): boolean {
    const gone = [...this.writers].filter(([, calls]) =>
      [...calls.files].some((file) => !names.includes(file)),
    );
    for (const [writer] of gone) this.writers.delete(writer);
    return gone.length > 0;
  }

  private async readWriter(writer: string, files: readonly string[]): Promise<boolean> {
    const calls = this.writers.get(writer) ?? new WriterCalls(writer);
    this.writers.set(writer, calls);
    let changed = false;
    for (const file of files) {
      const month = file.slice(0, 7);
      if (!this.months.has(month)) continue;
      const bytes = await this.store.size?.(file);
      if (calls.isCurrent(file, bytes)) continue;
      const read = calls.readAppended(file, month, (await this.store.read(file)) ?? '', bytes);
      if (read === 'again') {
        this.writers.delete(writer);
        await this.readWriter(writer, files);
        return true;
      }
      if (read === 'more') changed = true;
      await this.pause();
    }
    return changed;
  }
}

/** Characters kept of a damaged line. */
const MAX_DAMAGED_CHARS = 900;

/**
 * The calls in one writer's files. Files may be read in any order, and again after they grew;
 * outcomes are matched to intents in any other file.
 */
class WriterCalls {
  /** how far each file was read, always to the end of a line */
  private readonly progress = new Map<
    string,
    { bytes?: number; length: number; lines: number; lastLine: string }
  >();
  private readonly rowsByKey = new Map<string, AuditRow>();
  /** row keys by call id; the last one if an id occurs twice */
  private readonly byId = new Map<string, string>();
  /** outcomes without an intent so far */
  private readonly unmatchedOutcomes = new Map<string, OutcomeRecord>();
  /** number and time of the last line of each month */
  private readonly lastLines = new Map<string, { readonly n: number; readonly order: number }>();

  constructor(private readonly writer: string) {}

  get rows(): Iterable<AuditRow> {
    return this.rowsByKey.values();
  }

  get files(): Iterable<string> {
    return this.progress.keys();
  }

  /** Whether a file still has the size that it had when it was read. */
  isCurrent(file: string, bytes: number | undefined): boolean {
    return bytes !== undefined && this.progress.get(file)?.bytes === bytes;
  }

  /**
   * Reads the lines that were appended to a file since the last read.
   * @returns `again` if the part already read has changed, so that the writer's files must be read
   * from the beginning
   */
  readAppended(
    file: string,
    month: string,
    text: string,
    bytes: number | undefined,
  ): 'same' | 'more' | 'again' {
    const before = this.progress.get(file) ?? { length: 0, lines: 0, lastLine: '' };
    const { length, lines, lastLine } = before;
    if (!text.startsWith(lastLine, length - lastLine.length)) return 'again';
    const end = text.lastIndexOf('\n') + 1;
    const fresh = text.slice(length, end).split('\n').slice(0, -1);
    const last = fresh.at(-1);
    this.progress.set(file, {
      ...(bytes !== undefined && { bytes }),
      length: Math.max(length, end),
      lines: lines + fresh.length,
      lastLine: last === undefined ? lastLine : `${last}\n`,
    });
    fresh.forEach((line, at) => this.add(line, file, month, lines + at + 1));
    return fresh.length === 0 ? 'same' : 'more';
  }

  private add(line: string, file: string, month: string, number: number): void {
    const record = parseRecord(line);
    const end = this.lastLines.get(month) ?? { n: 0, order: 0 };
    const n = record?.n ?? end.n + 1;
    const at = record?.at ?? end.order;
    const order = Math.max(at, end.order);
    this.lastLines.set(month, { n, order });
    if (record?.kind === 'outcome') return this.addOutcome(record);
    const key = `${file}:${number}`;
    const place = { month, writer: this.writer, n, at, order };
    if (record?.kind === 'intent') return this.addIntent(record, { ...place, key });
    const repaired = record !== undefined;
    const damagedText = repaired ? record.lost : line.slice(0, MAX_DAMAGED_CHARS);
    const damage = { file, line: number, text: damagedText, repaired };
    this.rowsByKey.set(key, { kind: 'damage', key, ...place, ...damage });
  }

  private addIntent(
    intent: IntentRecord,
    place: Omit<CallRow, 'kind' | 'intent' | 'outcome'>,
  ): void {
    const { callId } = intent;
    const outcome = this.unmatchedOutcomes.get(callId);
    this.unmatchedOutcomes.delete(callId);
    this.byId.set(callId, place.key);
    this.rowsByKey.set(place.key, { kind: 'call', ...place, intent, outcome });
  }

  /** Ignores a second outcome of the same call. */
  private addOutcome(outcome: OutcomeRecord): void {
    const call = this.rowsByKey.get(this.byId.get(outcome.callId) ?? '');
    if (call?.kind !== 'call') {
      if (!this.unmatchedOutcomes.has(outcome.callId))
        this.unmatchedOutcomes.set(outcome.callId, outcome);
    } else if (call.outcome === undefined) this.rowsByKey.set(call.key, { ...call, outcome });
  }
}

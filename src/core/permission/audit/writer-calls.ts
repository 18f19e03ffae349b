import { parseRecord } from './audit-chain';
import type { AuditRecord } from './audit-entry';
import type { AuditRow, CallRow, IntentRecord, OutcomeRecord } from './audit-row';

/** How far a file was read: always to the end of a line. */
interface Read {
  readonly bytes: number | undefined;
  readonly length: number;
  readonly lines: number;
  readonly lastLine: string;
}

/** Of a damaged line, characters that are kept. */
const KEPT = 900;

/**
 * What one writer's files say, call by call. Files may be read in any order, and again when they grew;
 * an outcome finds its intent wherever that stands.
 */
export class WriterCalls {
  private readonly read = new Map<string, Read>();
  private readonly found = new Map<string, AuditRow>();
  /** keys of calls, by id; of the last of them, should an id come twice */
  private readonly byId = new Map<string, string>();
  /** outcomes whose intents were not read yet */
  private readonly waiting = new Map<string, OutcomeRecord>();
  /** number and time of each month's last line */
  private readonly ends = new Map<string, { readonly n: number; readonly order: number }>();

  constructor(private readonly writer: string) {}

  get rows(): Iterable<AuditRow> {
    return this.found.values();
  }

  get files(): Iterable<string> {
    return this.read.keys();
  }

  /** Whether a file has as many bytes as when it was read. */
  isCurrent(file: string, bytes: number | undefined): boolean {
    return bytes !== undefined && this.read.get(file)?.bytes === bytes;
  }

  /**
   * Takes what came to a file since.
   * @returns `again` where what was read before is not there any more: then all must be read anew
   */
  take(
    file: string,
    month: string,
    text: string,
    bytes: number | undefined,
  ): 'same' | 'more' | 'again' {
    const before = this.read.get(file) ?? { length: 0, lines: 0, lastLine: '' };
    const { length, lines, lastLine } = before;
    if (!text.startsWith(lastLine, length - lastLine.length)) return 'again';
    const end = text.lastIndexOf('\n') + 1;
    const fresh = text.slice(length, end).split('\n').slice(0, -1);
    const last = fresh.at(-1);
    this.read.set(file, {
      bytes,
      length: Math.max(length, end),
      lines: lines + fresh.length,
      lastLine: last === undefined ? lastLine : `${last}\n`,
    });
    fresh.forEach((line, at) => this.add(line, file, month, lines + at + 1));
    return fresh.length === 0 ? 'same' : 'more';
  }

  private add(line: string, file: string, month: string, number: number): void {
    const record = parseRecord(line);
    const end = this.ends.get(month) ?? { n: 0, order: 0 };
    const n = record?.n ?? end.n + 1;
    const at = record?.at ?? end.order;
    const order = Math.max(at, end.order);
    this.ends.set(month, { n, order });
    if (record?.kind === 'outcome') {
      this.end(record);
      return;
    }
    const place = { month, writer: this.writer, n, at, order };
    if (record?.kind === 'intent') {
      this.begin(record, { ...place, key: `${file}:${number}` });
      return;
    }
    const key = `${file}:${number}`;
    const damage = { file, line: number, ...leftOf(record, line) };
    this.found.set(key, { kind: 'damage', key, ...place, ...damage });
  }

  private begin(intent: IntentRecord, place: Omit<CallRow, 'kind' | 'intent' | 'outcome'>): void {
    const { callId } = intent;
    const outcome = this.waiting.get(callId);
    this.waiting.delete(callId);
    this.byId.set(callId, place.key);
    this.found.set(place.key, { kind: 'call', ...place, intent, outcome });
  }

  /** A second outcome counts for nothing. */
  private end(outcome: OutcomeRecord): void {
    const call = this.found.get(this.byId.get(outcome.callId) ?? '');
    if (call?.kind !== 'call') {
      if (!this.waiting.has(outcome.callId)) this.waiting.set(outcome.callId, outcome);
    } else if (call.outcome === undefined) this.found.set(call.key, { ...call, outcome });
  }
}

function leftOf(
  record: AuditRecord | undefined,
  line: string,
): { readonly text: string; readonly repaired: boolean } {
  if (record?.kind === 'repair') return { text: record.lost, repaired: true };
  return { text: line.slice(0, KEPT), repaired: false };
}

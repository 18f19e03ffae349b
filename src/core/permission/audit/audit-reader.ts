import { anyAuditFile, filesOf, writersOf } from './audit-file';
import { laterFirst, type AuditRow } from './audit-row';
import type { AuditStore } from './audit-store';
import { WriterCalls } from './writer-calls';

/** What was read so far. */
export interface AuditPage {
  /** the latest first */
  readonly rows: readonly AuditRow[];
  /** `YYYY-MM`, the latest first */
  readonly months: readonly string[];
  /** the next month back that was not read; undefined where all were */
  readonly older: string | undefined;
}

export const NOTHING_READ: AuditPage = { rows: [], months: [], older: undefined };

/** Reads the audits of all writers month by month, merged by time; what grew is read on. */
export class AuditReader {
  private writers = new Map<string, WriterCalls>();
  private readonly months = new Set<string>();
  private tail: Promise<unknown> = Promise.resolve();
  private page = NOTHING_READ;

  /** @param pause lets others work between two files */
  constructor(
    private readonly store: Pick<AuditStore, 'list' | 'read' | 'size'>,
    private readonly pause: () => Promise<void> = () => Promise.resolve(),
  ) {}

  get now(): AuditPage {
    return this.page;
  }

  /** Reads the latest month and what came to those that were read; the same object where nothing did. */
  refresh(): Promise<AuditPage> {
    return this.exclusive(() => this.look());
  }

  /** Reads a month back, or several, up to this one. */
  load(month: string): Promise<AuditPage> {
    return this.exclusive(() => this.look(month));
  }

  private exclusive(task: () => Promise<AuditPage>): Promise<AuditPage> {
    const run = this.tail.then(task);
    this.tail = run.catch(() => undefined); // for its caller to see
    return run;
  }

  private async look(upTo?: string): Promise<AuditPage> {
    const names = await this.store.list();
    const all = [...new Set(names.flatMap((name) => anyAuditFile(name)?.month ?? []))].sort();
    const latest = all.at(-1);
    if (latest !== undefined) this.months.add(latest);
    for (const month of all) if (upTo !== undefined && month >= upTo) this.months.add(month);
    let changed = this.forget(names);
    for (const writer of writersOf(names)) {
      if (await this.follow(writer, filesOf(names, writer))) changed = true;
    }
    const months = all.filter((month) => this.months.has(month)).reverse();
    const older = all.filter((month) => !this.months.has(month)).at(-1);
    if (changed || older !== this.page.older || months.length !== this.page.months.length) {
      const rows = [...this.writers.values()].flatMap((calls) => [...calls.rows]).sort(laterFirst);
      this.page = { rows, months, older };
    }
    return this.page;
  }

  /** Writers with a file that is gone begin anew. */
  private forget(names: readonly string[]): boolean {
    const gone = [...this.writers].filter(([, calls]) =>
      [...calls.files].some((file) => !names.includes(file)),
    );
    for (const [writer] of gone) this.writers.delete(writer);
    return gone.length > 0;
  }

  private async follow(writer: string, files: readonly string[]): Promise<boolean> {
    const calls = this.writers.get(writer) ?? new WriterCalls(writer);
    this.writers.set(writer, calls);
    let changed = false;
    for (const file of files) {
      const month = file.slice(0, 7);
      if (!this.months.has(month)) continue;
      const bytes = await this.store.size?.(file);
      if (calls.isCurrent(file, bytes)) continue;
      const read = calls.take(file, month, (await this.store.read(file)) ?? '', bytes);
      if (read === 'again') {
        this.writers.delete(writer);
        await this.follow(writer, files);
        return true;
      }
      if (read === 'more') changed = true;
      await this.pause();
    }
    return changed;
  }
}

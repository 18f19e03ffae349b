import type { AuditChains, ChainsState } from '../../core/permission/audit/verify-audit';
import {
  NOTHING_READ,
  type AuditPage,
  type AuditReader,
} from '../../core/permission/audit/audit-reader';
import type { Clock, Undo } from '../../core/ports';
import { Listeners } from '../../core/session/listeners';
import { useLayoutEffect } from 'preact/hooks';
import { useChanges } from '../ui/use-changes';
import { t } from '../language/text';

/** Interval of checks for entries of other processes, ms, while the person sees the audit. */
export const LOOK_EVERY = 2_000;

export interface AuditState {
  readonly page: AuditPage;
  /** what is being read: `first`, the latest month, or an older month, `YYYY-MM` */
  readonly loading: string | undefined;
  /** undefined until the chains were checked */
  readonly chains: ChainsState | undefined;
  readonly checking: boolean;
  /** why the audit can't be read, as text for the person */
  readonly problem: string | undefined;
}

/** The audit as views show it. Nothing is read before the first view opens. */
export class AuditSource {
  private now: AuditState = {
    ...{ page: NOTHING_READ, loading: 'first', chains: undefined },
    ...{ checking: false, problem: undefined },
  };
  private readonly listeners = new Listeners<void>();
  private watchers = 0;
  private looking = false;
  private again = false;
  private next: Undo | undefined;

  /** @param seen whether a view of the audit is visible */
  constructor(
    private readonly reader: Pick<AuditReader, 'refresh' | 'load'>,
    private readonly chains: Pick<AuditChains, 'check'>,
    private readonly clock: Clock,
    private readonly seen: () => boolean,
  ) {}

  get state(): AuditState {
    return this.now;
  }

  onChange(listener: () => void): Undo {
    return this.listeners.add(listener);
  }

  /** Called when a view opens. Follows the audit until the returned undo is called. */
  watch(): Undo {
    this.watchers += 1;
    this.hint();
    let watching = true;
    return () => {
      if (watching) this.watchers -= 1;
      watching = false;
    };
  }

  /** An entry was written, or the person came back. */
  hint(): void {
    if (this.watchers === 0) return;
    this.again = true;
    if (!this.looking) void this.look();
  }

  close(): void {
    this.watchers = 0;
    this.next?.();
  }

  /**
   * Loads older entries back to a month.
   * @param month `YYYY-MM`
   */
  async load(month: string): Promise<void> {
    this.set({ loading: month });
    await this.attempt(async () => {
      this.set({ page: await this.reader.load(month) });
    });
    this.set({ loading: undefined });
  }

  /** Checks every entry again. */
  async check(): Promise<ChainsState | undefined> {
    this.set({ checking: true });
    await this.attempt(async () => {
      this.set({ chains: await this.chains.check(true) });
    });
    this.set({ checking: false });
    return this.now.problem === undefined ? this.now.chains : undefined;
  }

  private async look(): Promise<void> {
    this.looking = true;
    this.next?.();
    while (this.again) {
      this.again = false;
      await this.attempt(() => this.read());
    }
    this.looking = false;
    this.next = this.clock.after(LOOK_EVERY, () => this.tick());
  }

  private tick(): void {
    if (this.watchers === 0) return;
    if (this.seen()) this.hint();
    else this.next = this.clock.after(LOOK_EVERY, () => this.tick());
  }

  private async read(): Promise<void> {
    const before = this.now.page;
    const page = await this.reader.refresh();
    const first = this.now.loading === 'first';
    if (page !== before || first) this.set({ page, ...(first && { loading: undefined }) });
    if (page !== before || this.now.chains === undefined) {
      this.set({ chains: await this.chains.check() });
    }
  }

  private async attempt(task: () => Promise<void>): Promise<void> {
    try {
      await task();
      if (this.now.problem !== undefined) this.set({ problem: undefined });
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      this.set({ problem: t('audit.unreadableSince', { why: words }) });
    }
  }

  private set(part: Partial<AuditState>): void {
    this.now = { ...this.now, ...part };
    this.listeners.call();
  }
}

/** The audit's state for a component, which follows it while mounted. */
export function useAudit(source: AuditSource): AuditState {
  useChanges(source);
  useLayoutEffect(() => source.watch(), [source]);
  return source.state;
}

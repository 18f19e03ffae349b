import type { AuditVerifier, AuditVerification } from '../../core/permission/audit/verify-audit';
import {
  EMPTY_AUDIT_PAGE,
  type AuditPage,
  type AuditReader,
} from '../../core/permission/audit/audit-reader';
import type { Clock, Undo } from '../../core/ports';
import { Listeners } from '../../core/session/listeners';
import { useLayoutEffect } from 'preact/hooks';
import { useChanges } from '../ui/use-changes';
import { errorText, t } from '../language/text';

/** Interval of checks for entries of other processes, ms, while the person sees the audit. */
export const AUDIT_POLL_INTERVAL = 2_000;

export interface AuditState {
  readonly page: AuditPage;
  /** what is being read: `first`, the latest month, or an older month, `YYYY-MM` */
  readonly loading: string | undefined;
  /** undefined until the chains were checked */
  readonly chains: AuditVerification | undefined;
  readonly checking: boolean;
  /** why the audit can't be read, as text for the person */
  readonly problem: string | undefined;
}

/** The audit as views show it. Nothing is read before the first view opens. */
export class AuditSource {
  private currentState: AuditState = {
    ...{ page: EMPTY_AUDIT_PAGE, loading: 'first', chains: undefined },
    ...{ checking: false, problem: undefined },
  };
  private readonly listeners = new Listeners<void>();
  private watchers = 0;
  private refreshing = false;
  private refreshNeeded = false;
  private stopTimer: Undo | undefined;

  /** @param isVisible whether a view of the audit is visible */
  constructor(
    private readonly reader: Pick<AuditReader, 'refresh' | 'load'>,
    private readonly chains: Pick<AuditVerifier, 'check'>,
    private readonly clock: Clock,
    private readonly isVisible: () => boolean,
  ) {}

  get state(): AuditState {
    return this.currentState;
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
    this.refreshNeeded = true;
    if (!this.refreshing) void this.refresh();
  }

  close(): void {
    this.watchers = 0;
    this.stopTimer?.();
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
  async check(): Promise<AuditVerification | undefined> {
    this.set({ checking: true });
    await this.attempt(async () => {
      this.set({ chains: await this.chains.check(true) });
    });
    this.set({ checking: false });
    return this.currentState.problem === undefined ? this.currentState.chains : undefined;
  }

  private async refresh(): Promise<void> {
    this.refreshing = true;
    this.stopTimer?.();
    while (this.refreshNeeded) {
      this.refreshNeeded = false;
      await this.attempt(() => this.read());
    }
    this.refreshing = false;
    this.stopTimer = this.clock.after(AUDIT_POLL_INTERVAL, () => this.tick());
  }

  private tick(): void {
    if (this.watchers === 0) return;
    if (this.isVisible()) this.hint();
    else this.stopTimer = this.clock.after(AUDIT_POLL_INTERVAL, () => this.tick());
  }

  private async read(): Promise<void> {
    const before = this.currentState.page;
    const page = await this.reader.refresh();
    const first = this.currentState.loading === 'first';
    if (page !== before || first) this.set({ page, ...(first && { loading: undefined }) });
    if (page !== before || this.currentState.chains === undefined) {
      this.set({ chains: await this.chains.check() });
    }
  }

  private async attempt(task: () => Promise<void>): Promise<void> {
    try {
      await task();
      if (this.currentState.problem !== undefined) this.set({ problem: undefined });
    } catch (error) {
      const words = errorText(error);
      this.set({ problem: t('audit.unreadableSince', { why: words }) });
    }
  }

  private set(part: Partial<AuditState>): void {
    this.currentState = { ...this.currentState, ...part };
    this.listeners.call();
  }
}

/** The audit's state for a component, which follows it while mounted. */
export function useAudit(source: AuditSource): AuditState {
  useChanges(source);
  useLayoutEffect(() => source.watch(), [source]);
  return source.state;
}

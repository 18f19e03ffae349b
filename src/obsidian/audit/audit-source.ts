import type { AuditChains, ChainsState } from '../../core/permission/audit/verify-audit';
import {
  NOTHING_READ,
  type AuditPage,
  type AuditReader,
} from '../../core/permission/audit/audit-reader';
import type { Clock, Undo } from '../../core/ports';
import type { CallRow } from '../../core/permission/audit/audit-rows';
import type {
  ChangeTexts,
  Undoable,
  UndoFault,
  Undone,
} from '../../core/permission/audit/undo-change';
import type { PendingAsks } from '../../core/permission/ask';
import type { Notify } from '../ui/notify';
import type { Names } from './audit-words';
import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';

/** ms between two looks at what other processes wrote, while the person sees the audit. */
export const LOOK_EVERY = 2_000;

export interface AuditState {
  readonly page: AuditPage;
  /** what is read at the moment: `first`, the latest month, or an older one, `YYYY-MM` */
  readonly loading: string | undefined;
  /** undefined until it was looked at */
  readonly chains: ChainsState | undefined;
  readonly checking: boolean;
  /** why it can't be read, for the person */
  readonly problem: string | undefined;
}

interface AuditSourceDeps {
  readonly reader: Pick<AuditReader, 'refresh' | 'load'>;
  readonly chains: Pick<AuditChains, 'check'>;
  readonly clock: Clock;
  /** whether the person can see a view of it */
  readonly seen: () => boolean;
}

/** The audit as views show it. Nothing is read before the first of them opens. */
export class AuditSource {
  private now: AuditState = {
    ...{ page: NOTHING_READ, loading: 'first', chains: undefined },
    ...{ checking: false, problem: undefined },
  };
  private readonly listeners = new Set<() => void>();
  private watchers = 0;
  private looking = false;
  private again = false;
  private next: Undo | undefined;

  constructor(private readonly deps: AuditSourceDeps) {}

  get state(): AuditState {
    return this.now;
  }

  onChange(listener: () => void): Undo {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** A view is open: the audit is followed until it is closed. */
  watch(): Undo {
    this.watchers += 1;
    this.hint();
    let watching = true;
    return () => {
      if (watching) this.watchers -= 1;
      watching = false;
    };
  }

  /** Something was written, or the person came back. */
  hint(): void {
    if (this.watchers === 0) return;
    this.again = true;
    if (!this.looking) void this.look();
  }

  close(): void {
    this.watchers = 0;
    this.next?.();
  }

  /** Reads back to a month. @param month `YYYY-MM` */
  async load(month: string): Promise<void> {
    this.set({ loading: month });
    await this.attempt(async () => {
      this.set({ page: await this.deps.reader.load(month) });
    });
    this.set({ loading: undefined });
  }

  /** Looks at every entry again. */
  async check(): Promise<ChainsState | undefined> {
    this.set({ checking: true });
    await this.attempt(async () => {
      this.set({ chains: await this.deps.chains.check(true) });
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
    this.next = this.deps.clock.after(LOOK_EVERY, () => this.tick());
  }

  private tick(): void {
    if (this.watchers === 0) return;
    if (this.deps.seen()) this.hint();
    else this.next = this.deps.clock.after(LOOK_EVERY, () => this.tick());
  }

  private async read(): Promise<void> {
    const before = this.now.page;
    const page = await this.deps.reader.refresh();
    const first = this.now.loading === 'first';
    if (page !== before || first) this.set({ page, ...(first && { loading: undefined }) });
    if (page !== before || this.now.chains === undefined) {
      this.set({ chains: await this.deps.chains.check() });
    }
  }

  private async attempt(task: () => Promise<void>): Promise<void> {
    try {
      await task();
      if (this.now.problem !== undefined) this.set({ problem: undefined });
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      this.set({ problem: `The audit can't be read. ${words}` });
    }
  }

  private set(part: Partial<AuditState>): void {
    this.now = { ...this.now, ...part };
    for (const listener of [...this.listeners]) listener();
  }
}

/** What the audit view shows and does. */
export interface AuditViewDeps {
  readonly source: AuditSource;
  readonly clock: Pick<Clock, 'now'>;
  readonly names: Names;
  /** what waits for the person */
  readonly asks: Pick<PendingAsks, 'all' | 'onChange'>;
  /** opens a request that waits */
  readonly review: (requestId: string) => void;
  readonly changes: ChangeActions;
  readonly openNote: (path: string) => void;
  /** at the task that the entry is about, where there is one */
  readonly openBoard: (path: string, task: string | undefined) => void;
  readonly copy: (text: string) => void;
  readonly notify: Notify;
}

/** A change of a note: whether it can be taken back, and what it was as far as that is known. */
export interface ChangeLook {
  readonly undo: Undoable | UndoFault;
  readonly texts: ChangeTexts | undefined;
}

/** What calls changed in notes. */
export interface ChangeActions {
  /** Nothing is written. */
  look(row: CallRow): Promise<ChangeLook>;
  undo(row: CallRow): Promise<Undone | UndoFault>;
  /** told when a note may have another text now */
  onTouched(listener: (path: string) => void): Undo;
  /** A note may have another text now. */
  touched(path: string): void;
  /** Shows what the note said before beside what it says now. */
  compare(row: CallRow): Promise<void>;
}

/** px of a view that has room for a detail beside its list. */
const ROOM = 700;

/** The audit as it stands; it is followed for as long as the view is there. */
export function useAudit(source: AuditSource): AuditState {
  const [state, setState] = useState(source.state);
  useLayoutEffect(() => {
    const undo = source.onChange(() => setState(source.state));
    const leave = source.watch();
    setState(source.state);
    return () => {
      undo();
      leave();
    };
  }, [source]);
  return state;
}

/** Whether the person is asked about a call at this moment. */
export function useWaits(asks: AuditViewDeps['asks']): (call: CallRow) => boolean {
  const [all, setAll] = useState(() => asks.all());
  useLayoutEffect(() => {
    setAll(asks.all());
    return asks.onChange(() => setAll(asks.all()));
  }, [asks]);
  return useMemo(
    () => (call) =>
      all.some(({ callId, sessionId }) => {
        const { sent } = call.intent;
        return sent !== undefined && sent === callId && sessionId === call.intent.sessionId;
      }),
    [all],
  );
}

/** Whether the view has room for one thing only. */
export function usePage(root: RefObject<HTMLElement | null>): boolean {
  const [page, setPage] = useState(false);
  useLayoutEffect(() => {
    const element = root.current;
    if (element === null) return undefined;
    const measure = () => setPage(element.clientWidth > 0 && element.clientWidth < ROOM);
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    measure();
    return () => sizes.disconnect();
  }, [root]);
  return page;
}

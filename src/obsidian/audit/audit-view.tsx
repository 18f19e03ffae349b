import {
  ItemView,
  setIcon,
  type TAbstractFile,
  type ViewStateResult,
  type WorkspaceLeaf,
} from 'obsidian';
import { createRef, render, type Ref, type RefObject } from 'preact';
import {
  endingOf,
  filterChoices,
  filterRows,
  type AuditFilter,
  type AuditRow,
  type CallRow,
  type TaskChoice,
} from '../../core/permission/audit/audit-rows';
import { keepFocus } from '../ui/focus';
import { Button, Icon, IconDrawer, Spinner } from '../ui/icon';
import { useAudit, usePage, useWaits, type AuditState, type AuditViewDeps } from './audit-source';
import { useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import {
  chainsReport,
  chainsWords,
  type BrokenChain,
  type ChainsState,
} from '../../core/permission/audit/verify-audit';
import { Banner } from '../ui/banner';
import { AuditDetail } from './audit-detail';
import { AuditFilters } from './audit-filters';
import { auditItems, copiedEntry, rowWords } from './audit-words';
import { AuditTable, type TableHandle } from './audit-table';
import type { AuditPage } from '../../core/permission/audit/audit-reader';
import * as z from 'zod/mini';

export const AUDIT_VIEW = 'agent-task-boards-audit';

/** The audit in a tab of its own. */
export class AuditView extends ItemView {
  override navigation = true;
  private filter: AuditFilter = {};
  private readonly handle = createRef<AuditHandle>();

  constructor(
    leaf: WorkspaceLeaf,
    private readonly deps: AuditViewDeps,
  ) {
    super(leaf);
    this.icon = 'scroll-text';
  }

  /** Narrows the list to this. */
  show(filter: AuditFilter): void {
    this.filter = filter;
    this.handle.current?.show(filter);
  }

  override getViewType(): string {
    return AUDIT_VIEW;
  }

  override getDisplayText(): string {
    return 'Agent audit';
  }

  override getState(): Record<string, unknown> {
    return { ...super.getState(), filter: { ...this.filter } };
  }

  override async setState(state: unknown, result: ViewStateResult): Promise<void> {
    await super.setState(state, result);
    const given = new Map<string, unknown>(Object.entries(state ?? {})).get('filter');
    if (given !== undefined) this.show(readFilter(given));
  }

  override onOpen(): Promise<void> {
    this.contentEl.addClass('atb-audit');
    this.register(keepFocus(this.contentEl));
    const { vault } = this.app;
    const touched = ({ path }: TAbstractFile) => this.deps.changes.touched(path);
    this.registerEvent(vault.on('modify', touched));
    this.registerEvent(vault.on('create', touched));
    this.registerEvent(vault.on('delete', touched));
    this.addAction('shield-check', 'Check audit', () => void this.deps.source.check());
    render(
      <IconDrawer.Provider value={setIcon}>
        <AuditApp
          deps={this.deps}
          initial={this.filter}
          handle={this.handle}
          onFilter={() => this.followFilter()}
        />
      </IconDrawer.Provider>,
      this.contentEl,
    );
    return Promise.resolve();
  }

  override onClose(): Promise<void> {
    render(null, this.contentEl);
    return Promise.resolve();
  }

  private followFilter(): void {
    const filter = this.handle.current?.filter;
    if (filter === undefined || filter === this.filter) return;
    this.filter = filter;
    this.app.workspace.requestSaveLayout();
  }
}

/** What commands and other views want of the audit. */
export interface AuditHandle {
  show(filter: AuditFilter): void;
  readonly filter: AuditFilter;
}

/** What was done, by whom, and why it was allowed. */
export function AuditApp(props: {
  readonly deps: AuditViewDeps;
  readonly initial: AuditFilter;
  readonly handle: Ref<AuditHandle>;
  readonly onFilter: () => void;
}) {
  const { deps } = props;
  const { source, names } = deps;
  const state = useAudit(source);
  const waits = useWaits(deps.asks);
  const [filter, setFilter] = useState(props.initial);
  const root = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const table = useRef<TableHandle>(null);
  const page = usePage(root);
  const { chosen, open, choose, close, show } = useChosen(deps, table, () => setFilter({}));
  const { rows } = state.page;
  const { shown, items, choices } = useShown(state.page, filter, names, waits);
  const row = open ? rows.find(({ key }) => key === chosen) : undefined;
  const narrowed = shown !== rows;
  const now = deps.clock.now();
  const ending = (one: AuditRow) => endingOf(one, waits);
  const { onFilter } = props;
  useLayoutEffect(onFilter, [filter, onFilter]);
  useImperativeHandle(props.handle, () => ({ show: setFilter, filter }), [filter]);
  const onKey = (event: KeyboardEvent): void => {
    const copied = isCopy(event) ? rows.find(({ key }) => key === chosen) : undefined;
    if (event.key === 'Escape' && open) close();
    else if (event.key === '/' && !isField(event.target)) field.current?.focus();
    else if (copied !== undefined) deps.copy(copiedEntry(copied, now));
    else return;
    event.preventDefault();
  };
  return (
    <div class="atb-audit-app" ref={root} onKeyDown={onKey}>
      <div class="atb-audit-bar">
        <AuditFilters
          {...{ filter, choices, field }}
          {...nameWords(rows, names)}
          count={narrowed ? `${count(shown.length)} of ${count(rows.length)}` : undefined}
          onFilter={setFilter}
          onLeave={() => table.current?.focus(chosen)}
        />
        <ChainState
          chains={state.chains}
          checking={state.checking}
          onCheck={() => void source.check()}
        />
      </div>
      <AuditProblems {...{ state, deps }} onShow={(broken) => void show(broken)} />
      <div class="atb-audit-body">
        {items.length === 0 ? (
          <NothingThere
            loading={state.loading === 'first' && state.problem === undefined}
            narrowed={narrowed}
            onClear={() => setFilter({})}
          />
        ) : (
          <AuditTable
            {...{ items, now, names, chosen, open }}
            endingOf={ending}
            loading={state.loading}
            handle={table}
            onChoose={choose}
            onLoad={(month) => void source.load(month)}
          />
        )}
        {row !== undefined && (
          <AuditDetail {...{ row, deps, now, page }} ending={ending(row)} onClose={close} />
        )}
      </div>
    </div>
  );
}

/** The entry that the person is at, and whether its details are open. */
function useChosen(
  deps: AuditViewDeps,
  table: RefObject<TableHandle | null>,
  clearFilter: () => void,
) {
  const [chosen, setChosen] = useState<string>();
  const [open, setOpen] = useState(false);
  const choose = (one: AuditRow, opens: boolean): void => {
    setChosen(one.key);
    setOpen(opens);
  };
  const close = (): void => {
    setOpen(false);
    table.current?.focus(chosen);
  };
  const show = async (broken: BrokenChain): Promise<void> => {
    clearFilter();
    const found = await entryNear(deps.source, broken);
    setChosen(found?.key);
    setOpen(found !== undefined);
    if (found === undefined) deps.notify('Nothing is left of it, or of what came after it.');
    else table.current?.focus(found.key);
  };
  return { chosen, open, choose, close, show };
}

/** What the filter leaves of the page, as the table shows it. */
function useShown(
  { rows, older }: AuditState['page'],
  filter: AuditFilter,
  names: AuditViewDeps['names'],
  waits: ReturnType<typeof useWaits>,
) {
  const words = useMemo(() => rememberedWords((row) => rowWords(row, names)), [names]);
  const shown = useMemo(() => filterRows(rows, filter, words, waits), [rows, filter, words, waits]);
  const items = useMemo(() => auditItems(shown, older), [shown, older]);
  const choices = useMemo(() => filterChoices(rows), [rows]);
  return { shown, items, choices };
}

/** Broken chains, and what kept the audit from being read. */
function AuditProblems(props: {
  readonly state: AuditState;
  readonly deps: AuditViewDeps;
  readonly onShow: (broken: BrokenChain) => void;
}) {
  const { chains, problem } = props.state;
  return (
    <>
      {chains !== undefined && chains.broken.length > 0 && (
        <BrokenChains chains={chains} onShow={props.onShow} onCopy={props.deps.copy} />
      )}
      {problem !== undefined && (
        <Banner
          {...{ icon: 'circle-alert', tone: 'error', text: '' }}
          label={problem}
          buttons={[{ label: 'Try again', onClick: () => props.deps.source.hint() }]}
        />
      )}
    </>
  );
}

/** What the filters say of a session and of a task. */
function nameWords(rows: readonly AuditRow[], names: AuditViewDeps['names']) {
  return {
    sessionName: (id: string) => sessionName(rows, names, id),
    taskName: ({ task, sessionId, agent }: TaskChoice) =>
      names.task(sessionId, agent, task) ?? task,
  };
}

function sessionName(rows: readonly AuditRow[], names: AuditViewDeps['names'], id: string): string {
  const known = names.session(id);
  if (known !== undefined) return known;
  const call = rows.find(
    (row): row is CallRow => row.kind === 'call' && row.intent.sessionId === id,
  );
  return call?.intent.sessionTitle ?? id;
}

/** Each row's words are put together once. */
function rememberedWords(words: (row: AuditRow) => string): (row: AuditRow) => string {
  const kept = new WeakMap<AuditRow, string>();
  return (row) => {
    const found = kept.get(row) ?? words(row);
    kept.set(row, found);
    return found;
  };
}

function isField(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, select, textarea') !== null;
}

/** Unless words are selected, or a field has the keyboard: then those are meant. */
function isCopy(event: KeyboardEvent): boolean {
  if (event.key !== 'c' || !(event.ctrlKey || event.metaKey) || isField(event.target)) return false;
  const { target } = event;
  const selected = target instanceof Node ? target.ownerDocument?.getSelection() : undefined;
  return selected?.isCollapsed ?? true;
}

function count(number: number): string {
  return number.toLocaleString('en');
}

/** "Intact, 1,284 entries"; a click looks at every entry again. */
function ChainState(props: {
  readonly chains: ChainsState | undefined;
  readonly checking: boolean;
  readonly onCheck: () => void;
}) {
  const { chains, checking, onCheck } = props;
  const busy = checking || chains === undefined;
  const broken = chains !== undefined && chains.broken.length > 0;
  const words = busy ? 'Checking' : broken ? 'Not intact' : chainsWords(chains);
  return (
    <button
      type="button"
      class="atb-audit-chain"
      data-broken={!busy && broken}
      aria-label={`${words}. Check audit`}
      disabled={busy}
      onClick={onCheck}
    >
      {busy ? <Spinner /> : <Icon name={broken ? 'shield-alert' : 'shield-check'} />}
      {words}
    </button>
  );
}

/** What is wrong with the chains, each with the way to where it broke. */
function BrokenChains(props: {
  readonly chains: ChainsState;
  readonly onShow: (broken: BrokenChain) => void;
  readonly onCopy: (report: string) => void;
}) {
  const { chains, onShow, onCopy } = props;
  return (
    <>
      {chains.broken.map((broken) => {
        const whose = chains.writers.length > 1 ? ` Written by ${broken.writer}.` : '';
        return (
          <Banner
            key={broken.writer}
            icon="shield-alert"
            label="The audit was changed"
            text={`${broken.message}${whose}`}
            tone="error"
            buttons={[
              { label: `Show entry ${broken.entry}`, onClick: () => onShow(broken) },
              { label: 'Copy report', onClick: () => onCopy(chainsReport(chains)), quiet: true },
            ]}
          />
        );
      })}
    </>
  );
}

/** In place of the list. */
function NothingThere(props: {
  readonly loading: boolean;
  readonly narrowed: boolean;
  readonly onClear: () => void;
}) {
  if (props.loading) {
    return (
      <p class="atb-audit-nothing" role="status">
        <Spinner /> Reading the audit
      </p>
    );
  }
  if (props.narrowed) {
    return (
      <p class="atb-audit-nothing">
        No entry matches. Clear the filter. <Button words="Clear" onClick={props.onClear} />
      </p>
    );
  }
  return (
    <p class="atb-audit-nothing">
      Nothing recorded yet. Each tool call will be listed here with the rule that decided it.
    </p>
  );
}

/** What can read back. */
interface Months {
  readonly state: { readonly page: AuditPage };
  load(month: string): Promise<void>;
}

/**
 * The entry at which a chain broke, or the nearest one after it, or else before it; months back are read
 * until it is there.
 */
async function entryNear(months: Months, broken: BrokenChain): Promise<AuditRow | undefined> {
  const month = broken.file?.slice(0, 7);
  const { older } = months.state.page;
  if (month !== undefined && older !== undefined && month <= older) await months.load(month);
  const own = months.state.page.rows.filter(({ writer }) => writer === broken.writer);
  const exact = own.find((row) => isAt(row, broken));
  if (exact !== undefined) return exact;
  const byNumber = [...own].sort((a, b) => a.n - b.n);
  return byNumber.find(({ n }) => n > broken.entry) ?? byNumber.at(-1);
}

/** An outcome stands in the row of its intent. */
function isAt(row: AuditRow, { entry, file, line }: BrokenChain): boolean {
  if (row.key === `${file ?? ''}:${line}`) return true;
  return row.n === entry || (row.kind === 'call' && row.outcome?.n === entry);
}

const text = z.optional(z.string());

const filter = z.object({
  ...{ text, session: text, agent: text, tool: text, task: text },
  ending: z.optional(
    z.enum([
      ...(['waiting', 'open', 'done', 'preview', 'denied'] as const),
      ...(['failed', 'cancelled', 'damaged'] as const),
    ]),
  ),
});

/** The filter that a view's kept state names; none where it can't be read. */
function readFilter(value: unknown): AuditFilter {
  const read = filter.safeParse(value);
  return read.success ? definedOnly(read.data) : {};
}

function definedOnly(data: z.infer<typeof filter>): AuditFilter {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
}

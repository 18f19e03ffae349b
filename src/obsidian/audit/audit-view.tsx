import type { TAbstractFile, WorkspaceLeaf } from 'obsidian';
import type { Ref, RefObject } from 'preact';
import {
  auditStatusOf,
  filterChoices,
  filterRows,
  type AuditFilter,
  type AuditRow,
  type CallRow,
  type TaskChoice,
} from '../../core/permission/audit/audit-rows';
import { PreactViewWithActions } from '../ui/preact-view';
import { isFieldTarget, targetElement } from '../ui/focus';
import { Button, Icon, Spinner } from '../ui/icon';
import { useAudit, type AuditSource, type AuditState } from './audit-source';
import type { AuditViewDeps } from './note-changes';
import { useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import {
  verificationReport,
  type BrokenChain,
  type AuditVerification,
} from '../../core/permission/audit/verify-audit';
import { Banner } from '../ui/banner';
import { AuditDetail, undoEntry, pendingAskOf } from './audit-detail';
import { hasChangedNote } from '../../core/permission/audit/undo-change';
import type { ViewWithActions, ViewActions } from '../ui/view-actions';
import { AuditFilters, OUTCOMES } from './audit-filters';
import { useIsNarrow } from './audit-lines';
import { auditItems, copiedEntry, ENDINGS, rowWords } from './audit-words';
import { AuditTable, type TableHandle } from './audit-table';
import * as z from 'zod/mini';
import { lazy } from '../../core/lazy';
import { faultText, t } from '../language/text';

export const AUDIT_VIEW = 'agent-task-boards-audit';

/** The audit in its own tab. */
export class AuditView extends PreactViewWithActions<AuditHandle> {
  private filter: AuditFilter = {};

  constructor(
    leaf: WorkspaceLeaf,
    private readonly deps: AuditViewDeps,
  ) {
    super(leaf, { type: AUDIT_VIEW, icon: 'scroll-text', class: 'atb-audit' });
  }

  /**
   * Sets the filter.
   * @param key the entry whose details open
   */
  show(filter: AuditFilter, key?: string): void {
    this.filter = filter;
    this.handle.current?.show(filter, key);
  }

  override getDisplayText(): string {
    return t('audit.agentAudit');
  }

  override getState(): Record<string, unknown> {
    return { ...super.getState(), filter: { ...this.filter } };
  }

  protected override restore(state: ReadonlyMap<string, unknown>): void {
    const given = state.get('filter');
    if (given !== undefined) this.show(readFilter(given));
  }

  override onOpen(): Promise<void> {
    const { vault } = this.app;
    const touched = ({ path }: TAbstractFile) => this.deps.changes.touched(path);
    this.registerEvent(vault.on('modify', touched));
    this.registerEvent(vault.on('create', touched));
    this.registerEvent(vault.on('delete', touched));
    this.addAction('shield-check', t('audit.checkAudit'), () => void this.deps.source.check());
    this.draw();
    return super.onOpen();
  }

  protected override content() {
    const { deps, filter: initial, handle } = this;
    return <AuditApp {...{ deps, initial, handle }} onFilter={() => this.followFilter()} />;
  }

  private followFilter(): void {
    const filter = this.handle.current?.filter;
    if (filter === undefined || filter === this.filter) return;
    this.filter = filter;
    this.app.workspace.requestSaveLayout();
  }
}

/** The functions of the audit view that commands and other views call. */
export interface AuditHandle extends ViewWithActions {
  show(filter: AuditFilter, key?: string): void;
  readonly filter: AuditFilter;
}

/** Shows what was done, by whom, and why it was allowed. */
export function AuditApp(props: {
  readonly deps: AuditViewDeps;
  readonly initial: AuditFilter;
  readonly handle: Ref<AuditHandle>;
  readonly onFilter: () => void;
}) {
  const { deps } = props;
  const { source, names } = deps;
  const state = useAudit(source);
  const { chains, checking, problem } = state;
  const waits = useHasPendingAsk(deps.asks);
  const [filter, setFilter] = useState(props.initial);
  const root = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const table = useRef<TableHandle>(null);
  const page = useIsNarrow(root);
  const { chosen, open, choose, openAt, close, show } = useChosen(deps, table, () => setFilter({}));
  const { rows } = state.page;
  const row = byKey(rows, chosen);
  const { shown, items, choices } = useShown(state.page, filter, names, waits);
  const narrowed = shown !== rows;
  const now = deps.clock.now();
  const ending = (one: AuditRow) => auditStatusOf(one, waits);
  const acts: ViewActions = {
    'filter-entries': () => field.current?.focus(),
    ...(open && { 'close-details': close }),
    ...listActs(deps, state.page.older, narrowed ? filter : undefined, setFilter),
    ...entryActs(deps, row, now),
  };
  useAuditHandle(props, filter, setFilter, openAt, acts);
  return (
    <div class="atb-audit-app" ref={root} onKeyDown={(event) => onKey(event, acts)}>
      <div class="atb-audit-bar">
        <AuditFilters
          {...{ filter, choices, field }}
          {...nameWords(rows, names)}
          count={
            narrowed ? t('audit.someOf', { shown: shown.length, all: rows.length }) : undefined
          }
          onFilter={setFilter}
          onLeave={() => table.current?.focus(chosen)}
        />
        <ChainState {...{ chains, checking, onCheck: () => void source.check() }} />
      </div>
      {chains !== undefined && (
        <BrokenChains {...{ chains, onCopy: deps.copy }} onShow={(broken) => void show(broken)} />
      )}
      {problem !== undefined && (
        <Banner
          {...{ icon: 'circle-alert', tone: 'error', text: '', label: problem }}
          buttons={[{ label: t('common.tryAgain'), onClick: () => source.hint() }]}
        />
      )}
      <div class="atb-audit-body">
        {items.length === 0 ? (
          <EmptyAudit
            loading={state.loading === 'first' && problem === undefined}
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
        {open && row !== undefined && (
          <AuditDetail {...{ row, deps, now, page }} ending={ending(row)} onClose={close} />
        )}
      </div>
    </div>
  );
}

function byKey(rows: readonly AuditRow[], key: string | undefined): AuditRow | undefined {
  return rows.find((one) => one.key === key);
}

/** Lets other views set the filter, and open an entry's details. */
function useAuditHandle(
  { handle: ref, onFilter }: { handle: Ref<AuditHandle>; onFilter: () => void },
  filter: AuditFilter,
  setFilter: (filter: AuditFilter) => void,
  openAt: (key: string) => void,
  acts: ViewActions,
): void {
  const now = useRef(acts);
  now.current = acts;
  const show = (to: AuditFilter, key?: string): void => {
    setFilter(to);
    if (key !== undefined) openAt(key);
  };
  const handle = (): AuditHandle => ({
    ...{ show, filter },
    get acts() {
      return now.current;
    },
  });
  useImperativeHandle(ref, handle, [filter]);
  useLayoutEffect(onFilter, [filter, onFilter]);
}

/**
 * Actions on the list: filter by outcome, clear the filter, load older entries.
 * @param filter undefined: no filter is set
 */
function listActs(
  { pick, source }: AuditViewDeps,
  older: string | undefined,
  filter: AuditFilter | undefined,
  setFilter: (filter: AuditFilter) => void,
): ViewActions {
  const byOutcome = async () => {
    const choices = OUTCOMES.map((value) => ({ text: ENDINGS[value].word, value }));
    const ending = await pick(choices, t('audit.whichOutcome'));
    if (ending !== undefined) setFilter({ ...filter, ending });
  };
  return {
    'filter-by-outcome': byOutcome,
    ...(filter !== undefined && { 'clear-filter': () => setFilter({}) }),
    ...(older !== undefined && { 'load-older': () => source.load(older) }),
  };
}

/** Actions on the chosen entry. */
function entryActs(deps: AuditViewDeps, row: AuditRow | undefined, now: number): ViewActions {
  if (row === undefined) return {};
  const copies = { 'copy-entry': () => deps.copy(copiedEntry(row, now)) };
  const path = row.kind === 'call' ? row.intent.path : undefined;
  if (row.kind !== 'call' || path === undefined) return copies;
  const { operation, task } = row.intent;
  const opens = () => (operation === 'tasks' ? deps.openBoard(path, task) : deps.openNote(path));
  const note = operation !== 'tasks' && hasChangedNote(row);
  return {
    ...{ ...copies, 'open-entry': opens },
    ...(note && {
      'undo-entry': () => undoEntry(deps, row, path),
      'compare-entry': () => deps.changes.compare(row),
    }),
  };
}

/** Tells whether a call has a pending request. */
function useHasPendingAsk(asks: AuditViewDeps['asks']): (call: CallRow) => boolean {
  const [all, setAll] = useState(() => asks.all());
  useLayoutEffect(() => {
    setAll(asks.all());
    return asks.onChange(() => setAll(asks.all()));
  }, [asks]);
  return useMemo(() => (call) => pendingAskOf(call, all) !== undefined, [all]);
}

/** The chosen entry, and whether its details are open. */
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
  const openAt = (key: string): void => {
    setChosen(key);
    setOpen(true);
    table.current?.focus(key);
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
    if (found === undefined) deps.notify(t('audit.nothingIsLeft'));
    else table.current?.focus(found.key);
  };
  return { chosen, open, choose, openAt, close, show };
}

/** The entries that match the filter, as items of the table. */
function useShown(
  { rows, older }: AuditState['page'],
  filter: AuditFilter,
  names: AuditViewDeps['names'],
  waits: ReturnType<typeof useHasPendingAsk>,
) {
  const words = useMemo(() => cachedWords((row) => rowWords(row, names)), [names]);
  const shown = useMemo(() => filterRows(rows, filter, words, waits), [rows, filter, words, waits]);
  const items = useMemo(() => auditItems(shown, older), [shown, older]);
  const choices = useMemo(() => filterChoices(rows), [rows]);
  return { shown, items, choices };
}

/** Names of sessions and tasks for the filters. */
function nameWords(rows: readonly AuditRow[], names: AuditViewDeps['names']) {
  const callOf = (id: string) =>
    rows.find((row): row is CallRow => row.kind === 'call' && row.intent.sessionId === id);
  return {
    sessionName: (id: string) => names.session(id) ?? callOf(id)?.intent.sessionTitle ?? id,
    taskName: ({ task }: TaskChoice) => names.task(task) ?? task,
  };
}

/** Caches the text of each row. */
function cachedWords(words: (row: AuditRow) => string): (row: AuditRow) => string {
  const cache = new WeakMap<AuditRow, string>();
  return (row) => {
    const found = cache.get(row) ?? words(row);
    cache.set(row, found);
    return found;
  };
}

/** Runs the action of a key; in a text field, letters are typed. */
function onKey(event: KeyboardEvent, acts: ViewActions): void {
  const { key, target } = event;
  const filters = key === '/' && !isFieldTarget(target) ? acts['filter-entries'] : undefined;
  const closes = key === 'Escape' ? acts['close-details'] : filters;
  const act = isCopy(event) ? acts['copy-entry'] : closes;
  if (act === undefined) return;
  void act();
  event.preventDefault();
}

/**
 * Whether the key copies the entry. If text is selected or a field has the focus, it copies text as
 * usual.
 */
function isCopy(event: KeyboardEvent): boolean {
  if (event.key !== 'c' || !(event.ctrlKey || event.metaKey) || isFieldTarget(event.target))
    return false;
  return targetElement(event.target)?.ownerDocument.getSelection()?.isCollapsed ?? true;
}

/** "Intact, 1,284 entries"; a click checks every entry again. */
function ChainState(props: {
  readonly chains: AuditVerification | undefined;
  readonly checking: boolean;
  readonly onCheck: () => void;
}) {
  const { chains, checking, onCheck } = props;
  const busy = checking || chains === undefined;
  const broken = chains !== undefined && chains.broken.length > 0;
  const words = busy
    ? t('audit.checking')
    : broken
      ? t('audit.notIntact')
      : t('audit.intact', { count: chains.entries });
  return (
    <button
      type="button"
      class="atb-audit-chain"
      data-broken={!busy && broken}
      aria-label={t('audit.stateAndCheck', { state: words })}
      disabled={busy}
      onClick={onCheck}
    >
      {busy ? <Spinner /> : <Icon name={broken ? 'shield-alert' : 'shield-check'} />}
      {words}
    </button>
  );
}

/** The broken chains, each with a button that goes to the break. */
function BrokenChains(props: {
  readonly chains: AuditVerification;
  readonly onShow: (broken: BrokenChain) => void;
  readonly onCopy: (report: string) => void;
}) {
  const { chains, onShow, onCopy } = props;
  return (
    <>
      {chains.broken.map((broken) => {
        const whose =
          chains.writers.length > 1 ? ` ${t('audit.writtenBy', { writer: broken.writer })}` : '';
        return (
          <Banner
            key={broken.writer}
            icon="shield-alert"
            label={t('audit.theAuditWasChanged')}
            text={`${faultText(broken)}${whose}`}
            tone="error"
            buttons={[
              {
                label: t('audit.showEntry', { entry: broken.entry }),
                onClick: () => onShow(broken),
              },
              {
                label: t('audit.copyReport'),
                onClick: () => onCopy(verificationReport(chains)),
                quiet: true,
              },
            ]}
          />
        );
      })}
    </>
  );
}

/** Shown in place of an empty list. */
function EmptyAudit(props: { loading: boolean; narrowed: boolean; onClear: () => void }) {
  if (props.loading) {
    return (
      <p class="atb-audit-nothing" role="status">
        <Spinner /> {t('audit.readingTheAudit')}
      </p>
    );
  }
  return (
    <p class="atb-audit-nothing">
      {props.narrowed ? (
        <>
          {t('audit.noEntryMatches')} <Button words={t('common.clear')} onClick={props.onClear} />
        </>
      ) : (
        t('audit.nothingRecorded')
      )}
    </p>
  );
}

/**
 * The entry at which a chain broke, else the nearest after it, else the nearest before it; loads
 * older months until it is found.
 */
async function entryNear(source: AuditSource, broken: BrokenChain): Promise<AuditRow | undefined> {
  const month = broken.file?.slice(0, 7);
  const { older } = source.state.page;
  if (month !== undefined && older !== undefined && month <= older) await source.load(month);
  const own = source.state.page.rows.filter(({ writer }) => writer === broken.writer);
  const exact = own.find((row) => isAt(row, broken));
  if (exact !== undefined) return exact;
  const byNumber = [...own].sort((a, b) => a.n - b.n);
  return byNumber.find(({ n }) => n > broken.entry) ?? byNumber.at(-1);
}

/** An outcome is shown in the row of its intent. */
function isAt(row: AuditRow, { entry, file, line }: BrokenChain): boolean {
  if (row.key === `${file ?? ''}:${line}`) return true;
  return row.n === entry || (row.kind === 'call' && row.outcome?.n === entry);
}

const textSchema = lazy(() => z.optional(z.string()));

const filterSchema = lazy(() =>
  z.object({
    ...{
      text: textSchema(),
      session: textSchema(),
      agent: textSchema(),
      tool: textSchema(),
      task: textSchema(),
    },
    ending: z.optional(z.enum(OUTCOMES)),
  }),
);

/** The filter from a view's stored state; an empty one if that can't be read. */
function readFilter(value: unknown): AuditFilter {
  const read = filterSchema().safeParse(value);
  return read.success ? (read.data as AuditFilter) : {};
}

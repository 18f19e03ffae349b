import type { Ref } from 'preact';
import { useImperativeHandle, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import {
  endingOf,
  filterChoices,
  filterRows,
  type AuditFilter,
} from '../../core/permission/audit/audit-filter';
import type { BrokenChain } from '../../core/permission/audit/audit-chains';
import type { AuditRow, CallRow } from '../../core/permission/audit/audit-row';
import { Banner } from '../part/banner';
import type { AuditDeps } from './audit-deps';
import { AuditDetail } from './audit-detail';
import { AuditFilters } from './audit-filters';
import { auditItems } from './audit-items';
import { AuditTable, type TableHandle } from './audit-table';
import { rowWords } from './audit-words';
import { BrokenChains, ChainState } from './chain-state';
import { copiedEntry } from './copied-entry';
import { entryNear } from './entry-near';
import { NothingThere } from './nothing-there';
import { useAudit, usePage, useWaits } from './use-audit';

/** What commands and other views want of the audit. */
export interface AuditHandle {
  show(filter: AuditFilter): void;
  readonly filter: AuditFilter;
}

/** What was done, by whom, and why it was allowed. */
export function AuditApp(props: {
  readonly deps: AuditDeps;
  readonly initial: AuditFilter;
  readonly handle: Ref<AuditHandle>;
  readonly onFilter: () => void;
}) {
  const { deps } = props;
  const { source, names } = deps;
  const state = useAudit(source);
  const waits = useWaits(deps.asks);
  const [filter, setFilter] = useState(props.initial);
  const [chosen, setChosen] = useState<string>();
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const table = useRef<TableHandle>(null);
  const page = usePage(root);
  const { rows, older } = state.page;
  const words = useMemo(() => rememberedWords((row) => rowWords(row, names)), [names]);
  const shown = useMemo(() => filterRows(rows, filter, words, waits), [rows, filter, words, waits]);
  const items = useMemo(() => auditItems(shown, older), [shown, older]);
  const choices = useMemo(() => filterChoices(rows), [rows]);
  const row = open ? rows.find(({ key }) => key === chosen) : undefined;
  const narrowed = shown !== rows;
  const now = deps.clock.now();
  const ending = (one: AuditRow) => endingOf(one, waits);
  const { onFilter } = props;
  useLayoutEffect(onFilter, [filter, onFilter]);
  useImperativeHandle(props.handle, () => ({ show: setFilter, filter }), [filter]);
  const close = (): void => {
    setOpen(false);
    table.current?.focus(chosen);
  };
  const show = (broken: BrokenChain): void => {
    setFilter({});
    void entryNear(source, broken).then((found) => {
      setChosen(found?.key);
      setOpen(found !== undefined);
      if (found === undefined) deps.notify('Nothing is left of it, or of what came after it.');
      else table.current?.focus(found.key);
    });
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && open) close();
    else if (event.key === '/' && !isField(event.target)) field.current?.focus();
    else if (isCopy(event)) {
      const one = rows.find(({ key }) => key === chosen);
      if (one === undefined) return;
      deps.copy(copiedEntry(one, now));
    } else return;
    event.preventDefault();
  };
  return (
    <div class="atb-audit-app" ref={root} onKeyDown={onKey}>
      <div class="atb-audit-bar">
        <AuditFilters
          {...{ filter, choices, field }}
          sessionName={(id) => sessionName(rows, names, id)}
          taskName={({ task, sessionId, agent }) => names.task(sessionId, agent, task) ?? task}
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
      {state.chains !== undefined && state.chains.broken.length > 0 && (
        <BrokenChains chains={state.chains} onShow={show} onCopy={deps.copy} />
      )}
      {state.problem !== undefined && (
        <Banner
          {...{ icon: 'circle-alert', tone: 'error', text: '' }}
          label={state.problem}
          title={state.problem}
          buttons={[{ label: 'Try again', onClick: () => source.hint() }]}
        />
      )}
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
            onChoose={(one, opens) => {
              setChosen(one.key);
              setOpen(opens);
            }}
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

function sessionName(rows: readonly AuditRow[], names: AuditDeps['names'], id: string): string {
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

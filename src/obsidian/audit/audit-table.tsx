import type { ComponentChildren, Ref } from 'preact';
import { useImperativeHandle, useLayoutEffect, useRef } from 'preact/hooks';
import type { AuditRow, AuditStatus } from '../../core/permission/audit/audit-rows';
import { isWithin } from '../ui/focus';
import { Button, Icon } from '../ui/icon';
import {
  damageWords,
  endingWords,
  objectWord,
  rowSentence,
  sessionWord,
  toolWord,
  whyWord,
  type AuditItem,
  type NameLookup,
} from './audit-words';
import { dayWords, monthWords, timeWithSeconds } from '../ui/text';
import { useLines, type DrawnLines } from './audit-lines';
import { visibleText } from '../../core/permission/audit/redact';
import { t } from '../language/text';

export interface TableHandle {
  /** focuses a row */
  focus(key: string | undefined): void;
}

interface TableProps {
  readonly items: readonly AuditItem[];
  readonly now: number;
  readonly names: NameLookup;
  readonly endingOf: (row: AuditRow) => AuditStatus;
  /** key of the chosen row */
  readonly chosen: string | undefined;
  /** the row's details are shown */
  readonly open: boolean;
  /** month that is being loaded */
  readonly loading: string | undefined;
  readonly handle: Ref<TableHandle>;
  readonly onChoose: (row: AuditRow, open: boolean) => void;
  readonly onLoad: (month: string) => void;
}

const COLUMNS = [
  t('common.agent'),
  t('common.session'),
  t('audit.tool'),
  t('audit.noteOrTask'),
  t('audit.outcome'),
  t('audit.why'),
];

/** All entries, latest first; only visible rows are drawn. */
export function AuditTable(props: TableProps) {
  const { items, now } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const wanted = useRef<string | undefined>(undefined);
  const index = chosenAt(items, props.chosen);
  const lines = useLines(items, scroller, index);
  const go = (item: AuditItem | undefined, open: boolean): void => {
    if (item?.kind !== 'row') return;
    wanted.current = item.key;
    props.onChoose(item.row, open);
  };
  useImperativeHandle(props.handle, () => ({
    focus: (key) => {
      wanted.current = key ?? items[Math.max(0, index)]?.key;
      lines.reveal(chosenAt(items, wanted.current));
      focusRow(scroller.current, wanted);
    },
  }));
  useLayoutEffect(() => {
    if (wanted.current !== undefined) lines.reveal(chosenAt(items, wanted.current));
    focusRow(scroller.current, wanted);
  });
  return (
    <div
      class={`atb-audit-table${lines.narrow ? ' is-narrow' : ''}`}
      role="table"
      aria-label={t('audit.agentAudit')}
      aria-rowcount={items.length + 1}
    >
      <div
        class="atb-audit-scroll"
        role="none"
        ref={scroller}
        onKeyDown={(event) => {
          if (isWithin(event.target, 'button')) return;
          const next = itemForKey(items, index, event.key);
          if (next === undefined) return;
          event.preventDefault();
          go(next, event.key === 'Enter' || props.open);
        }}
      >
        <div role="rowgroup" class="atb-audit-head">
          <div role="row" class="atb-audit-columns" aria-rowindex={1}>
            <span role="columnheader" aria-sort="descending">
              {dayOfFirst(items, lines, now)}
            </span>
            {COLUMNS.map((name) => (
              <span role="columnheader" key={name}>
                {name}
              </span>
            ))}
          </div>
        </div>
        <div
          class="atb-audit-lines"
          role="rowgroup"
          style={{ height: `${lines.offsets[items.length] ?? 0}px` }}
        >
          {drawnIndices(lines, index).map((at) => (
            <AuditLine key={items[at]?.key} at={at} {...{ props, lines, index, go }} />
          ))}
        </div>
      </div>
      {lines.above && (
        <Button
          class="atb-audit-above"
          icon="arrow-up"
          words={t('audit.newEntriesAbove')}
          onClick={lines.toTop}
        />
      )}
    </div>
  );
}

/** The day of the topmost visible entry. Lines further down show where another day begins. */
function dayOfFirst(items: readonly AuditItem[], { first }: DrawnLines, now: number): string {
  const item = items[first];
  if (item === undefined || item.kind === 'more') return t('audit.time');
  return dayWords(item.kind === 'row' ? item.row.at : item.at, now);
}

/**
 * Indices of the visible rows, and of the chosen row even if it is out of sight, since it may have
 * the focus.
 */
function drawnIndices({ from, to }: DrawnLines, index: number): readonly number[] {
  const near = Array.from({ length: to - from }, (_, at) => from + at);
  if (index < 0 || (index >= from && index < to)) return near;
  return index < from ? [index, ...near] : [...near, index];
}

function chosenAt(items: readonly AuditItem[], key: string | undefined): number {
  return key === undefined ? -1 : items.findIndex((item) => item.key === key);
}

/** Focuses the wanted row once it is drawn. */
function focusRow(scroller: HTMLElement | null, wanted: { current: string | undefined }): void {
  if (wanted.current === undefined || scroller === null) return;
  const rows = [...scroller.querySelectorAll<HTMLElement>('[data-key]')];
  const row = rows.find((one) => one.dataset['key'] === wanted.current);
  if (row === undefined) return;
  wanted.current = undefined;
  row.focus({ preventScroll: true });
}

interface LineProps {
  readonly props: TableProps;
  /** index in the items */
  readonly at: number;
  readonly lines: DrawnLines;
  /** index of the chosen item, which is the tab stop */
  readonly index: number;
  readonly go: (item: AuditItem, open: boolean) => void;
}

/** One line of the list. */
function AuditLine(line: LineProps) {
  const { props, at, lines } = line;
  const item = props.items[at];
  if (item === undefined) return null;
  const place = {
    style: { insetBlockStart: `${lines.offsets[at] ?? 0}px` },
    role: 'row' as const,
    // Row number in the table, from 1; the head is row 1.
    'aria-rowindex': at + 2,
  };
  if (item.kind === 'row') return <EntryLine {...line} item={item} place={place} />;
  if (item.kind === 'day') {
    return (
      <div class="atb-audit-line is-day" {...place}>
        <span role="cell">{dayWords(item.at, props.now)}</span>
      </div>
    );
  }
  const loading = props.loading !== undefined;
  const month = monthWords(item.month, props.now);
  return (
    <div class="atb-audit-line is-more" {...place}>
      <span role="cell">
        <Button
          words={loading ? t('audit.loadingMonth', { month }) : t('audit.loadMonth', { month })}
          disabled={loading}
          onClick={() => props.onLoad(item.month)}
        />
      </span>
    </div>
  );
}

function EntryLine(
  line: LineProps & {
    readonly item: Extract<AuditItem, { kind: 'row' }>;
    readonly place: object;
  },
) {
  const { item, place, lines, at, index, go } = line;
  const { chosen, open, names, endingOf } = line.props;
  const { row, key } = item;
  const ending = endingOf(row);
  const time = timeWithSeconds(row.at);
  const id = `atb-audit-${row.key}`;
  const texts = { time, ending: <EndingWords {...{ row, ending }} />, ...cellTexts(row, names) };
  return (
    <div
      class="atb-audit-line"
      {...place}
      data-key={key}
      data-ending={ending}
      tabIndex={at === Math.max(0, index) ? 0 : -1}
      aria-labelledby={id}
      aria-current={key === chosen && open ? 'true' : undefined}
      onClick={() => go(item, true)}
    >
      <span hidden id={id}>
        {rowSentence(row, ending, time.slice(0, 5))}
      </span>
      {lines.narrow ? (
        <>
          <div role="none" class="atb-audit-pair">
            {cells(texts, 'tool', 'object', 'damage', 'time')}
          </div>
          <div role="none" class="atb-audit-pair">
            {cells(texts, 'ending', 'agent', 'session', 'why')}
          </div>
        </>
      ) : (
        cells(texts, 'time', 'agent', 'session', 'tool', 'object', 'damage', 'ending', 'why')
      )}
    </div>
  );
}

function cellTexts(row: AuditRow, names: NameLookup): Cells {
  if (row.kind === 'damage') return { damage: damageWords(row) };
  const { intent } = row;
  return {
    ...{ agent: visibleText(intent.agent), session: sessionWord(intent, names) },
    ...{ tool: toolWord(intent.tool), object: objectWord(row), why: whyWord(row) },
  };
}

function EndingWords({ row, ending }: { readonly row: AuditRow; readonly ending: AuditStatus }) {
  const { icon, word } = endingWords(row, ending);
  return (
    <>
      <Icon name={icon} />
      {word}
    </>
  );
}

/** Column number of each cell, from 1. Narrow rows show the cells in another order. */
const COLUMN_OF = {
  time: 1,
  agent: 2,
  damage: 2,
  session: 3,
  tool: 4,
  object: 5,
  ending: 6,
  why: 7,
} as const;

type Cells = Partial<Readonly<Record<keyof typeof COLUMN_OF, ComponentChildren>>>;

/** A row's cells in the given order. */
function cells(texts: Cells, ...order: readonly (keyof Cells)[]): ComponentChildren {
  return order.map(
    (is) =>
      is in texts && (
        <span key={is} role="cell" aria-colindex={COLUMN_OF[is]} class={`atb-audit-${is}`}>
          {texts[is]}
        </span>
      ),
  );
}

/** Number of entries that Page Up and Page Down move by. */
const PAGE = 10;

/** The entry that a key moves to from the one at `at`; undefined if the key does nothing here. */
function itemForKey(items: readonly AuditItem[], at: number, key: string): AuditItem | undefined {
  const last = items.length - 1;
  if (key === 'Enter') return items[Math.max(0, at)];
  if (key === 'ArrowDown') return entryFrom(items, at + 1, 1);
  if (key === 'ArrowUp') return entryFrom(items, at - 1, -1);
  if (key === 'Home') return entryFrom(items, 0, 1);
  if (key === 'End') return entryFrom(items, last, -1);
  if (key === 'PageDown') return entryFrom(items, Math.min(at + PAGE, last), -1);
  return key === 'PageUp' ? entryFrom(items, Math.max(at - PAGE, 0), 1) : undefined;
}

/** The first entry from an index on; skips lines of days and months. */
function entryFrom(items: readonly AuditItem[], from: number, step: 1 | -1): AuditItem | undefined {
  let at = from;
  while (items[at] !== undefined && items[at]?.kind !== 'row') at += step;
  return items[at];
}

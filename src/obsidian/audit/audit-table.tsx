import type { ComponentChildren, Ref } from 'preact';
import { useImperativeHandle, useLayoutEffect, useRef } from 'preact/hooks';
import type { AuditRow, Ending } from '../../core/permission/audit/audit-rows';
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
  type Names,
} from './audit-words';
import { dayWords, monthWords, timeWithSeconds } from '../ui/text';
import { useLines, type DrawnLines } from './audit-lines';
import { visibleText } from '../../core/permission/audit/redact';

export interface TableHandle {
  /** puts the keyboard on a row */
  focus(key: string | undefined): void;
}

interface TableProps {
  readonly items: readonly AuditItem[];
  readonly now: number;
  readonly names: Names;
  readonly endingOf: (row: AuditRow) => Ending;
  /** key of the row that is chosen */
  readonly chosen: string | undefined;
  /** its detail is shown */
  readonly open: boolean;
  /** month that is on its way */
  readonly loading: string | undefined;
  readonly handle: Ref<TableHandle>;
  readonly onChoose: (row: AuditRow, open: boolean) => void;
  readonly onLoad: (month: string) => void;
}

const COLUMNS = ['Agent', 'Session', 'Tool', 'Note or task', 'Outcome', 'Why'];

/** All entries, the latest first; only those in sight are drawn. */
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
      aria-label="Agent audit"
      aria-rowcount={items.length + 1}
    >
      <div
        class="atb-audit-scroll"
        role="none"
        ref={scroller}
        onKeyDown={(event) => {
          if (onButton(event.target)) return;
          const next = moved(items, index, event.key);
          if (next === undefined) return;
          event.preventDefault();
          go(next, event.key === 'Enter' || props.open);
        }}
      >
        <Head day={dayOfFirst(items, lines, now)} />
        <div
          class="atb-audit-lines"
          role="rowgroup"
          style={{ height: `${lines.offsets[items.length] ?? 0}px` }}
        >
          {drawn(lines, index).map((at) => (
            <AuditLine key={items[at]?.key} at={at} {...{ props, lines, index, go }} />
          ))}
        </div>
      </div>
      {lines.above && (
        <Button
          class="atb-audit-above"
          icon="arrow-up"
          words="New entries above"
          onClick={lines.toTop}
        />
      )}
    </div>
  );
}

function Head({ day }: { readonly day: string }) {
  return (
    <div role="rowgroup" class="atb-audit-head">
      <div role="row" class="atb-audit-columns" aria-rowindex={1}>
        <span role="columnheader" aria-sort="descending">
          {day}
        </span>
        {COLUMNS.map((name) => (
          <span role="columnheader" key={name}>
            {name}
          </span>
        ))}
      </div>
    </div>
  );
}

/** The day of what is at the top: the lines below say where another begins. */
function dayOfFirst(items: readonly AuditItem[], { first }: DrawnLines, now: number): string {
  const item = items[first];
  if (item === undefined || item.kind === 'more') return 'Time';
  return dayWords(item.kind === 'row' ? item.row.at : item.at, now);
}

/** Those in sight, and the chosen one wherever it is: it may have the focus. */
function drawn({ from, to }: DrawnLines, index: number): readonly number[] {
  const near = Array.from({ length: to - from }, (_, at) => from + at);
  if (index < 0 || (index >= from && index < to)) return near;
  return index < from ? [index, ...near] : [...near, index];
}

function chosenAt(items: readonly AuditItem[], key: string | undefined): number {
  return key === undefined ? -1 : items.findIndex((item) => item.key === key);
}

function onButton(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('button') !== null;
}

/** Once it is drawn. */
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
  /** among the items */
  readonly at: number;
  readonly lines: DrawnLines;
  /** of the item that is chosen, which the Tab key comes to */
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
    // Of the table, from 1; the head is the first.
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
          words={loading ? `Loading ${month}…` : `Load ${month}`}
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
  const cells = { row, ending, time, names };
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
      {lines.narrow ? <TwoLines {...cells} /> : <Columns {...cells} />}
    </div>
  );
}

interface CellsProps {
  readonly row: AuditRow;
  readonly ending: Ending;
  readonly time: string;
  readonly names: Names;
}

function Columns({ row, ending, time, names }: CellsProps) {
  return (
    <>
      <Cell is="time">{time}</Cell>
      {row.kind === 'call' ? (
        <>
          <Cell is="agent">{visibleText(row.intent.agent)}</Cell>
          <Cell is="session">{sessionWord(row.intent, names)}</Cell>
          <Cell is="tool">{toolWord(row.intent.tool)}</Cell>
          <Cell is="object">{objectWord(row)}</Cell>
        </>
      ) : (
        <Cell is="damage">{damageWords(row)}</Cell>
      )}
      <EndingCell row={row} ending={ending} />
      <Cell is="why">{row.kind === 'call' && whyWord(row)}</Cell>
    </>
  );
}

function TwoLines({ row, ending, time, names }: CellsProps) {
  return (
    <>
      <div role="none" class="atb-audit-pair">
        {row.kind === 'call' ? (
          <>
            <Cell is="tool">{toolWord(row.intent.tool)}</Cell>
            <Cell is="object">{objectWord(row)}</Cell>
          </>
        ) : (
          <Cell is="damage">{damageWords(row)}</Cell>
        )}
        <Cell is="time">{time}</Cell>
      </div>
      <div role="none" class="atb-audit-pair">
        <EndingCell row={row} ending={ending} />
        {row.kind === 'call' && (
          <>
            <Cell is="agent">{visibleText(row.intent.agent)}</Cell>
            <Cell is="session">{sessionWord(row.intent, names)}</Cell>
            <Cell is="why">{whyWord(row)}</Cell>
          </>
        )}
      </div>
    </>
  );
}

function EndingCell({ row, ending }: { readonly row: AuditRow; readonly ending: Ending }) {
  const { icon, word } = endingWords(row, ending);
  return (
    <Cell is="ending">
      <Icon name={icon} />
      {word}
    </Cell>
  );
}

/** The column of the head that a cell belongs to, from 1; in two lines they stand in another order. */
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

function Cell(props: {
  readonly is: keyof typeof COLUMN_OF;
  readonly children: ComponentChildren;
}) {
  return (
    <span role="cell" aria-colindex={COLUMN_OF[props.is]} class={`atb-audit-${props.is}`}>
      {props.children}
    </span>
  );
}

/** Entries that Page Up and Page Down pass over. */
const PAGE = 10;

/** The entry that a key goes to from the one at `at`; undefined where the key does nothing here. */
function moved(items: readonly AuditItem[], at: number, key: string): AuditItem | undefined {
  switch (key) {
    case 'Enter':
      return items[Math.max(0, at)];
    case 'ArrowDown':
      return entryFrom(items, at + 1, 1);
    case 'ArrowUp':
      return entryFrom(items, at - 1, -1);
    case 'Home':
      return entryFrom(items, 0, 1);
    case 'End':
      return entryFrom(items, items.length - 1, -1);
    case 'PageDown':
      return entryFrom(items, Math.min(at + PAGE, items.length - 1), -1);
    case 'PageUp':
      return entryFrom(items, Math.max(at - PAGE, 0), 1);
    default:
      return undefined;
  }
}

/** The first entry from there on; days and months are passed over. */
function entryFrom(items: readonly AuditItem[], from: number, step: 1 | -1): AuditItem | undefined {
  for (let at = from; at >= 0 && at < items.length; at += step) {
    if (items[at]?.kind === 'row') return items[at];
  }
  return undefined;
}

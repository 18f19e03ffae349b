import type { Ref } from 'preact';
import { useImperativeHandle, useLayoutEffect, useRef } from 'preact/hooks';
import type { Ending } from '../../core/permission/audit/audit-filter';
import type { AuditRow } from '../../core/permission/audit/audit-row';
import { Icon } from '../part/icon';
import type { AuditItem } from './audit-items';
import { AuditLine } from './audit-line';
import { moved } from './audit-moves';
import { dayWords } from './audit-times';
import type { Names } from './audit-words';
import { useLines, type Lines } from './use-lines';

export interface TableHandle {
  /** puts the keyboard on a row */
  focus(key: string | undefined): void;
}

export interface TableProps {
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
            <DrawnLine key={items[at]?.key} at={at} {...{ props, lines, index, go }} />
          ))}
        </div>
      </div>
      {lines.above && (
        <button type="button" class="atb-button atb-audit-above" onClick={lines.toTop}>
          <Icon name="arrow-up" />
          New entries above
        </button>
      )}
    </div>
  );
}

function DrawnLine({
  at,
  props,
  lines,
  index,
  go,
}: {
  readonly at: number;
  readonly props: TableProps;
  readonly lines: Lines;
  readonly index: number;
  readonly go: (item: AuditItem, open: boolean) => void;
}) {
  const item = props.items[at];
  if (item === undefined) return null;
  const chosen = item.key === props.chosen;
  return (
    <AuditLine
      item={item}
      top={lines.offsets[at] ?? 0}
      rowIndex={at + 2}
      now={props.now}
      names={props.names}
      endingOf={props.endingOf}
      stop={at === Math.max(0, index)}
      shown={chosen && props.open}
      loading={props.loading !== undefined}
      narrow={lines.narrow}
      onOpen={() => go(item, true)}
      onLoad={props.onLoad}
    />
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
function dayOfFirst(items: readonly AuditItem[], { first }: Lines, now: number): string {
  const item = items[first];
  if (item === undefined || item.kind === 'more') return 'Time';
  return dayWords(item.kind === 'row' ? item.row.at : item.at, now);
}

/** Those in sight, and the chosen one wherever it is: it may have the focus. */
function drawn({ from, to }: Lines, index: number): readonly number[] {
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

import type { ComponentChildren } from 'preact';
import { IconButton } from '../ui/icon';
import type { Anchor } from '../ui/menu';
import { columnWord, COLUMNS, type BoardLayout, type Column } from './columns';
import type { BoardPrefs } from './board-prefs';
import { figure, t } from '../language/text';

interface Counts {
  readonly layout: Pick<BoardLayout, 'columns' | 'matching'>;
}

interface HeadsProps extends Counts {
  readonly columns: readonly Column[];
  readonly limits: BoardPrefs['limits'];
  readonly onAdd: () => void;
  readonly onMenu: (status: Column, anchor: Anchor) => void;
  /** field for a new task, below the heading of To do */
  readonly adding: ComponentChildren;
}

/** "6"; "2 of 6" if the filter hides some; with a limit "2 of 3", "4 of 3, over the limit" */
export function countWords(count: number, limit: number | undefined, matching: number): string {
  if (limit === undefined && matching !== count) {
    return t('boardView.countOf', { count: matching, limit: count });
  }
  if (limit === undefined) return figure(count);
  return t(count > limit ? 'boardView.countOverLimit' : 'boardView.countOf', {
    count,
    limit,
  });
}

/** The headings of the columns, which stay visible while scrolling. */
export function ColumnHeads(props: HeadsProps) {
  const { columns, layout, limits, onAdd, onMenu, adding } = props;
  const counts = layout.columns;
  return (
    <div class="atb-column-heads" role="row">
      {columns.map((status) => {
        const words = countWords(counts[status], limits[status], layout.matching[status]);
        const column = columnWord(status);
        const name =
          words === figure(counts[status])
            ? t('boardView.columnName', { column, count: counts[status] })
            : t('boardView.columnOfLimit', { column, words });
        return (
          <div
            class="atb-column-head"
            role="columnheader"
            data-column={status}
            key={status}
            aria-colindex={COLUMNS.indexOf(status) + 1}
            aria-label={name}
            data-over-limit={counts[status] > (limits[status] ?? Infinity)}
            onContextMenu={(event) => {
              event.preventDefault();
              onMenu(status, event);
            }}
          >
            <div class="atb-column-line">
              <ColumnMark status={status} />
              <span class="atb-column-title">{column}</span>{' '}
              <span class="atb-column-count">{words}</span>
              <ColumnButtons {...{ status, onAdd, onMenu }} />
            </div>
            {status === 'pending' && adding}
          </div>
        );
      })}
    </div>
  );
}

function ColumnButtons(props: Pick<HeadsProps, 'onAdd' | 'onMenu'> & { readonly status: Column }) {
  const { status, onAdd, onMenu } = props;
  return (
    <>
      {status === 'pending' && (
        <IconButton icon="plus" label={t('boardView.addTask')} onClick={onAdd} />
      )}
      <IconButton
        icon="ellipsis"
        label={t('boardView.moreOf', { name: columnWord(status) })}
        onClick={(event) => onMenu(status, event.currentTarget as HTMLElement)}
      />
    </>
  );
}

/** Deferred and Cancelled as narrow strips; a click opens them as columns. */
export function Strips(
  props: Counts & {
    readonly strips: readonly Column[];
    /** the column that a carry would be dropped in */
    readonly over: Column | undefined;
    readonly onOpen: (status: Column) => void;
  },
) {
  const { layout } = props;
  return (
    <>
      {props.strips.map((status) => (
        <button
          type="button"
          key={status}
          class="atb-strip"
          data-column={status}
          data-over={props.over === status}
          aria-expanded="false"
          onClick={() => props.onOpen(status)}
        >
          <ColumnMark status={status} />
          <span>
            {columnWord(status)}{' '}
            {countWords(layout.columns[status], undefined, layout.matching[status])}
          </span>
        </button>
      ))}
    </>
  );
}

/**
 * On a phone, chooses the column that is shown; each with its icon and count. The shown one has the
 * buttons of its head, too.
 */
export function ColumnSwitch(
  props: Omit<HeadsProps, 'adding'> & {
    readonly shown: Column;
    readonly over: Column | undefined;
    readonly onShow: (status: Column) => void;
  },
) {
  const { shown, layout, limits } = props;
  return (
    <div class="atb-column-switch" role="group" aria-label={t('boardView.column')}>
      {props.columns.map((status) => {
        const chosen = status === shown;
        return (
          <button
            type="button"
            key={status}
            data-column={status}
            data-over-limit={layout.columns[status] > (limits[status] ?? Infinity)}
            data-over={props.over === status}
            aria-pressed={chosen}
            onClick={() => props.onShow(status)}
          >
            <ColumnMark status={status} />
            <span class={chosen ? undefined : 'atb-unseen'}>{columnWord(status)}</span>{' '}
            <span class="atb-column-count">
              {countWords(
                layout.columns[status],
                chosen ? limits[status] : undefined,
                layout.matching[status],
              )}
            </span>
          </button>
        );
      })}
      <ColumnButtons {...props} status={shown} />
    </div>
  );
}

function ColumnMark({ status }: { readonly status: Column }) {
  const state = status === 'pending' ? 'ready' : status;
  return <span class="atb-mark" data-state={state} aria-hidden="true" />;
}

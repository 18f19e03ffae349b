import type { ComponentChildren } from 'preact';
import type { ItemRow } from './rows';

/** What every row needs of the tree that it stands in. */
export interface RowEvents {
  readonly select: (row: ItemRow) => void;
  /** A click or a tap. */
  readonly press: (row: ItemRow, event: MouseEvent) => void;
  readonly fold: (row: ItemRow) => void;
  /** Opens the conversation of the row's session. */
  readonly open: (row: ItemRow) => void;
  readonly menu: (row: ItemRow, event: MouseEvent) => void;
}

/** `stop`: the Tab key comes here; `selected`: the person is here. */
export type RowFocus = 'none' | 'stop' | 'selected';

/** One item of the tree, with what a screen reader needs; `class` and data are the caller's. */
export function TreeRow(props: {
  readonly row: ItemRow;
  readonly focus: RowFocus;
  readonly events: RowEvents;
  readonly class: string;
  readonly data?: Readonly<Record<`data-${string}`, string | undefined>>;
  readonly depth?: number;
  readonly onDblClick?: (event: MouseEvent) => void;
  readonly onPointerEnter?: () => void;
  readonly children: ComponentChildren;
}) {
  const { row, events } = props;
  const style = { '--atb-depth': props.depth ?? 0 };
  return (
    <div
      class={`atb-row ${props.class}`}
      role="treeitem"
      data-at={row.id}
      tabIndex={props.focus === 'none' ? -1 : 0}
      aria-label={row.name}
      aria-level={row.level}
      aria-setsize={row.setsize}
      aria-posinset={row.posinset}
      aria-expanded={row.expanded ?? undefined}
      aria-selected={props.focus === 'selected'}
      data-session={row.session}
      style={style}
      {...props.data}
      onClick={(event) => events.press(row, event)}
      onDblClick={props.onDblClick}
      onContextMenu={(event) => events.menu(row, event)}
      onPointerEnter={props.onPointerEnter}
      onFocus={() => events.select(row)}
    >
      {row.expanded !== null && (
        <span
          class="atb-twisty"
          aria-hidden="true"
          onClick={(event) => {
            event.stopPropagation();
            events.fold(row);
          }}
        />
      )}
      {props.children}
    </div>
  );
}

/** The element that draws a row, undefined where none does. */
export function rowElement(tree: HTMLElement, id: string | undefined): HTMLElement | undefined {
  const items = tree.querySelectorAll<HTMLElement>('[role=treeitem]');
  return [...items].find((item) => item.dataset['at'] === id);
}

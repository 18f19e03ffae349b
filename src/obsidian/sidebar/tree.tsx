import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import {
  AddRowView,
  BoardRowView,
  EditField,
  FoldRowView,
  GroupRowView,
  rowDomId,
  rowElement,
  SessionRowView,
  TaskRowView,
  type RowEvents,
  type RowFocus,
} from './row-views';
import { dropLine, lastDescendantId } from './task-drag';
import type { AddTask, Editing, UiState } from './ui-state';
import { FindingBanner, RepairBanner } from '../board/repairs';
import { isItem, type SidebarRow, type TaskTreeRow } from './rows';
import {
  VIRTUALIZE_ABOVE,
  drawnRows,
  SCROLL_STEP,
  ASSUMED_HEIGHT,
  useScrollStep,
  type DrawnRun,
} from '../ui/drawn-rows';
import { typedProblem } from '../ui/text';
import { t } from '../language/text';

interface TreeProps {
  readonly rows: readonly SidebarRow[];
  /** the row that Tab reaches */
  readonly stop: string | undefined;
  readonly ui: UiState;
  readonly events: RowEvents;
  /** Called when the focus left the tree. */
  readonly onLeft: () => void;
  readonly onAdd: AddTask;
  readonly onKey: (event: KeyboardEvent) => void;
}

/** All sessions with their tasks. The focus stays in its place whatever is redrawn. */
export function Tree(props: TreeProps) {
  const { rows, stop, ui } = props;
  const tree = useRef<HTMLDivElement>(null);
  const tabStopIndex = useMemo(() => rows.findIndex((row) => row.id === stop), [rows, stop]);
  const { runs, rest } = useDrawnRows(rows, tree, tabStopIndex);
  const tabs = useMemo(() => tabbedField(rows, tabStopIndex), [rows, tabStopIndex]);
  const addAt = useMemo(() => newTaskPosition(rows, ui.editing), [rows, ui.editing]);
  const dropTarget = ui.drag?.dropTarget;
  const dropAt = useMemo(() => dropTarget && dropLine(rows, dropTarget), [rows, dropTarget]);
  useTreeFocus(tree, props);
  let group: ComponentChildren[] = [];
  const groups = new Map([['', group]]);
  for (const { gap, from, to } of runs) {
    if (gap > 0) group.push(<Gap key={`gap ${rows[from]?.id ?? ''}`} height={gap} />);
    for (const row of rows.slice(from, to)) {
      if (row.kind === 'session') groups.set(row.id, (group = []));
      group.push(
        <RowView key={row.id} row={row} tree={props} tabs={row.id === tabs} />,
        addAt?.below === row.id && <NewTaskField key="add new" place={addAt} tree={props} />,
        dropAt?.below === row.id && (
          <DropLine key="drop" depth={dropAt.depth} follow={ui.drag?.pointer === false} />
        ),
      );
    }
  }
  if (rest > 0) group.push(<Gap key="rest" height={rest} />);
  return (
    <div class="atb-tree" ref={tree} onKeyDown={props.onKey}>
      <div
        role="tree"
        aria-label={t('note.agentTasks')}
        aria-multiselectable
        aria-owns={useAriaOwns(rows, runs, props.events.scope)}
      />
      {[...groups].map(([id, drawn]) => (
        // The head of a session is sticky while a part of its group is visible.
        <div key={id} class="atb-group" role="none">
          {drawn}
        </div>
      ))}
    </div>
  );
}

/** The value of `aria-owns`: DOM ids of the drawn items, without fields and banners. */
function useAriaOwns(
  rows: readonly SidebarRow[],
  runs: readonly DrawnRun[],
  scope: string,
): string {
  return useMemo(
    () =>
      runs
        .flatMap((run) => rows.slice(run.from, run.to))
        .filter(isItem)
        .map(({ id }) => rowDomId(scope, id))
        .join(' '),
    [rows, runs, scope],
  );
}

/** Id of the field after the current row; Tab moves from one to the other. */
function tabbedField(rows: readonly SidebarRow[], stop: number): string | undefined {
  return rows.find((row, index) => index > stop && row.kind === 'add')?.id;
}

/** Empty space for rows that are not drawn. */
function Gap({ height }: { readonly height: number }) {
  return <div role="none" style={{ height: `${height}px` }} />;
}

/** Where the field for a new task is drawn: below the subtasks of the one before it. */
interface NewTaskPosition {
  readonly below: string;
  readonly after: TaskTreeRow;
  /** whether the new task becomes a subtask */
  readonly under: boolean;
}

function newTaskPosition(
  rows: readonly SidebarRow[],
  editing: Editing | undefined,
): NewTaskPosition | undefined {
  if (editing === undefined || editing.kind === 'rename') return undefined;
  const after = rows.find((row) => row.id === editing.id);
  if (after?.kind !== 'task') return undefined;
  return { below: lastDescendantId(rows, after), after, under: editing.kind === 'under' };
}

/** If several tasks are selected, the row that Tab reaches need not be one of them. */
function rowFocus(id: string, { ui, stop }: Pick<TreeProps, 'ui' | 'stop'>): RowFocus {
  const { ids } = ui.selection;
  if (ids.has(id)) return stop === id ? 'picked stop' : 'picked';
  if (ids.size === 0 && ui.selected === id) return 'selected';
  return stop === id ? 'stop' : 'none';
}

function RowView(props: {
  readonly row: SidebarRow;
  readonly tree: TreeProps;
  /** for a field: whether Tab reaches it */
  readonly tabs: boolean;
}) {
  const { row, tree, tabs } = props;
  const { events, ui } = tree;
  const { intents } = events;
  const focus = rowFocus(row.id, tree);
  switch (row.kind) {
    case 'session':
    case 'child':
      return <SessionRowView {...{ row, focus, events }} />;
    case 'board':
      return <BoardRowView {...{ row, focus, events }} />;
    case 'older':
    case 'run':
      return <FoldRowView {...{ row, focus, events }} />;
    case 'banner':
      return row.repair === undefined ? (
        <RepairBanner board={row.board} intents={intents} />
      ) : (
        <FindingBanner board={row.board} repair={row.repair} intents={intents} />
      );
    case 'add':
      return (
        <AddRowView
          id={row.id}
          board={row.board}
          stop={tabs}
          onAdd={(title) => void intents.add(row.board, title)}
          onLeave={() => events.edited(true)}
        />
      );
    case 'group':
      return <GroupRowView {...{ row, focus, events }} />;
    case 'task':
      return (
        <TaskRowView
          {...{ row, focus, events }}
          editing={ui.editing?.kind === 'rename' && ui.editing.id === row.id}
          carried={ui.drag?.ids.includes(row.id) === true}
        />
      );
  }
}

/** The line that shows where carried tasks would be dropped. */
function DropLine({ depth, follow }: { readonly depth: number; readonly follow: boolean }) {
  const line = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (follow) line.current?.scrollIntoView({ block: 'nearest' });
  });
  return <div class="atb-drop" role="none" style={{ '--atb-depth': depth }} ref={line} />;
}

function NewTaskField({
  place,
  tree,
}: {
  readonly place: NewTaskPosition;
  readonly tree: TreeProps;
}) {
  const { after: row, under } = place;
  const { task } = row.row;
  return (
    <div class="atb-add" style={{ '--atb-depth': task.depth + (under ? 1 : 0) }}>
      <span class="atb-mark" data-state="ready" aria-hidden="true" />
      <EditField
        initial=""
        label={t(under ? 'sidebar.addSubtaskOf' : 'sidebar.addTaskAfter', { title: task.title })}
        problem={(title) => typedProblem(row.board, title)}
        onSave={(title) => tree.onAdd({ row: row.id, board: row.board, task }, title, under)}
        onClose={tree.events.edited}
        onLost={(typed) => tree.events.intents.offerLostText(task.title, typed)}
      />
    </div>
  );
}

/** Keeps the focus on the selected row of the tree, even if its element was replaced. */
function useTreeFocus(tree: RefObject<HTMLDivElement | null>, props: TreeProps): void {
  const { ui } = props;
  const inside = useRef(false);
  const onLeft = useRef(props.onLeft);
  onLeft.current = props.onLeft;
  // Elements that a redraw removes or moves lose the focus, although the person did not leave.
  const drawing = useRef(false);
  drawing.current = true;
  useLayoutEffect(() => {
    drawing.current = false;
    const at = tree.current?.ownerDocument.activeElement;
    // A field that was requested may have taken the focus while the tree was drawn.
    const lost = at === tree.current?.ownerDocument.body || tree.current?.contains(at ?? null);
    inside.current = inside.current && lost === true;
  });
  useLayoutEffect(() => {
    const element = tree.current;
    const enter = () => (inside.current = true);
    const leave = ({ relatedTarget }: FocusEvent) => {
      inside.current = drawing.current && inside.current;
      const stays = relatedTarget !== null && element?.contains(relatedTarget as Node) === true;
      if (!stays && !drawing.current && element?.ownerDocument.hasFocus() === true)
        onLeft.current();
    };
    // Capturing listeners, so that a field that closes on blur finds `inside` already updated.
    element?.addEventListener('focus', enter, true);
    element?.addEventListener('blur', leave, true);
    return () => {
      element?.removeEventListener('focus', enter, true);
      element?.removeEventListener('blur', leave, true);
    };
  }, [tree]);
  useLayoutEffect(() => {
    if (ui.treeFocusRequests > 0) inside.current = true;
  }, [ui.treeFocusRequests]);
  const sent = useRef(ui.treeFocusRequests);
  useLayoutEffect(() => {
    const element = tree.current;
    const isSent = sent.current !== ui.treeFocusRequests;
    sent.current = ui.treeFocusRequests;
    if (!inside.current || element === null || ui.editing !== undefined) return;
    const focused = element.ownerDocument.activeElement;
    const isOwn = element.contains(focused) && focused?.closest('.atb-add, .atb-banner') !== null;
    if (!isSent && isOwn) return;
    const row = rowElement(element, props.stop);
    if (row === undefined || row === focused) return;
    // The person did not go to a row that only replaced a removed one.
    const { current } = props.events;
    if (isSent || ui.selected === props.stop || current === undefined) row.focus();
    else current.restoreFocus(() => row.focus());
  });
}

/** Estimated height in px of a row that was never measured. */
function estimateHeight(row: SidebarRow): number {
  if (row.kind === 'session') return 64;
  if (row.kind === 'task' && row.row.hasReason) return 44;
  return 28;
}

/** The rows to draw: all, or in a long list those near the visible part. Follows scrolling. */
function useDrawnRows(
  rows: readonly SidebarRow[],
  tree: RefObject<HTMLElement | null>,
  alwaysDrawn: number,
): { readonly runs: readonly DrawnRun[]; readonly rest: number } {
  const measured = useRef(new Map<string, number>());
  const long = rows.length > VIRTUALIZE_ABOVE;
  const moved = useScrollStep(() => scrollerOf(tree.current), long);
  useLayoutEffect(() => {
    if (long) measure(tree.current, measured.current);
  });
  return useMemo(() => {
    if (!long) return { runs: [{ gap: 0, from: 0, to: rows.length }], rest: 0 };
    const known = measured.current;
    // Looking up ids that were joined from two strings is slow; skipped while nothing was measured.
    const heights = rows.map(
      known.size === 0 ? estimateHeight : (row) => known.get(row.id) ?? estimateHeight(row),
    );
    const view = visibleRange(tree.current);
    // The view may scroll to the session above before the rows are recomputed.
    const heads = [view.top, view.top - SCROLL_STEP].map((top) =>
      stickyHeadIndex(rows, heights, top),
    );
    return drawnRows(heights, view, new Set([alwaysDrawn, ...heads]));
    // `moved` stands for the scroll position
  }, [rows, long, alwaysDrawn, tree, moved]);
}

function scrollerOf(tree: HTMLElement | null): HTMLElement | null | undefined {
  return tree?.closest<HTMLElement>('.atb-scroll');
}

/** Index of the sticky head: that of the session whose rows are at the top of the view. */
function stickyHeadIndex(
  rows: readonly SidebarRow[],
  heights: readonly number[],
  top: number,
): number {
  let y = 0;
  const first = heights.findIndex((height) => (y += height) > top);
  return rows.findLastIndex(({ kind }, at) => kind === 'session' && at <= first);
}

function visibleRange(tree: HTMLElement | null): { top: number; bottom: number } {
  const scroller = scrollerOf(tree);
  if (tree === null || !scroller) return { top: 0, bottom: ASSUMED_HEIGHT };
  const top = scroller.getBoundingClientRect().top - tree.getBoundingClientRect().top;
  return { top, bottom: top + scroller.clientHeight };
}

function measure(tree: HTMLElement | null, heights: Map<string, number>): void {
  for (const element of tree?.querySelectorAll<HTMLElement>('[data-at]') ?? []) {
    const id = element.dataset['at'];
    if (id !== undefined && element.offsetHeight > 0) heights.set(id, element.offsetHeight);
  }
}

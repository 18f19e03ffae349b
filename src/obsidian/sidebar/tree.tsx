import type { ComponentChildren, RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { typedProblem } from '../../core/board/note/typed-task';
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
import { dropLine, lastUnder } from './carry';
import type { AddTask, Editing, UiState } from './ui-state';
import { FindingBanner, RepairBanner } from '../board/repairs';
import { isItem, type SidebarRow, type TaskTreeRow } from './rows';
import {
  DRAW_ALL,
  drawnRows,
  STEP,
  UNSEEN_HEIGHT,
  useMoved,
  type DrawnRun,
} from '../ui/drawn-rows';
import { t } from '../language/text';

interface TreeProps {
  readonly rows: readonly SidebarRow[];
  /** the row that the Tab key comes to, and whether the person is on it */
  readonly stop: string | undefined;
  readonly ui: UiState;
  readonly events: RowEvents;
  /** The keyboard went elsewhere. */
  readonly onLeft: () => void;
  readonly onAdd: AddTask;
  readonly onKey: (event: KeyboardEvent) => void;
}

/** All sessions with their tasks. The focus stays where it is, whatever is drawn anew. */
export function Tree(props: TreeProps) {
  const { rows, stop, ui } = props;
  const tree = useRef<HTMLDivElement>(null);
  const kept = useMemo(() => rows.findIndex((row) => row.id === stop), [rows, stop]);
  const { runs, rest } = useDrawnRows(rows, tree, kept);
  const tabs = useMemo(() => tabbedField(rows, kept), [rows, kept]);
  const addAt = useMemo(() => lastBelow(rows, ui.editing), [rows, ui.editing]);
  const spot = ui.carry?.spot;
  const dropAt = useMemo(() => spot && dropLine(rows, spot), [rows, spot]);
  useTreeFocus(tree, props);
  let group: ComponentChildren[] = [];
  const groups = new Map([['', group]]);
  for (const { gap, from, to } of runs) {
    if (gap > 0) group.push(<Gap key={`gap ${rows[from]?.id ?? ''}`} height={gap} />);
    for (const row of rows.slice(from, to)) {
      if (row.kind === 'session') groups.set(row.id, (group = []));
      group.push(
        <AnyRow key={row.id} row={row} tree={props} tabs={row.id === tabs} />,
        addAt?.below === row.id && <AddNew key="add new" place={addAt} tree={props} />,
        dropAt?.below === row.id && (
          <DropLine key="drop" depth={dropAt.depth} follow={ui.carry?.pointer === false} />
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
        aria-owns={useOwned(rows, runs, props.events.scope)}
      />
      {[...groups].map(([id, drawn]) => (
        // The head of a session stays in sight for as long as something of its group is.
        <div key={id} class="atb-group" role="none">
          {drawn}
        </div>
      ))}
    </div>
  );
}

/** The items that are drawn: fields and banners stand among them, and are none. */
function useOwned(rows: readonly SidebarRow[], runs: readonly DrawnRun[], scope: string): string {
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

/** Id of the field that follows the row with the keyboard: the Tab key goes from the one to the other. */
function tabbedField(rows: readonly SidebarRow[], stop: number): string | undefined {
  return rows.find((row, index) => index > stop && row.kind === 'add')?.id;
}

/** Stands for rows that are too far away to be drawn. */
function Gap({ height }: { readonly height: number }) {
  return <div role="none" style={{ height: `${height}px` }} />;
}

/** Where a task that comes after another would stand: below that one's own sub-tasks. */
interface AddPlace {
  readonly below: string;
  readonly after: TaskTreeRow;
  /** as a sub-task of it */
  readonly under: boolean;
}

function lastBelow(
  rows: readonly SidebarRow[],
  editing: Editing | undefined,
): AddPlace | undefined {
  if (editing === undefined || editing.kind === 'rename') return undefined;
  const after = rows.find((row) => row.id === editing.id);
  if (after?.kind !== 'task') return undefined;
  return { below: lastUnder(rows, after), after, under: editing.kind === 'under' };
}

/** Where several tasks are selected, the row with the keyboard need not be one of them. */
function focusOf(id: string, { ui, stop }: Pick<TreeProps, 'ui' | 'stop'>): RowFocus {
  const { ids } = ui.picked;
  if (ids.has(id)) return stop === id ? 'picked stop' : 'picked';
  if (ids.size === 0 && ui.selected === id) return 'selected';
  return stop === id ? 'stop' : 'none';
}

function AnyRow(props: {
  readonly row: SidebarRow;
  readonly tree: TreeProps;
  /** of a field: the Tab key comes to it */
  readonly tabs: boolean;
}) {
  const { row, tree, tabs } = props;
  const { events, ui } = tree;
  const { intents } = events;
  const focus = focusOf(row.id, tree);
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
          carried={ui.carry?.ids.includes(row.id) === true}
        />
      );
  }
}

/** Shows where what is carried would go. */
function DropLine({ depth, follow }: { readonly depth: number; readonly follow: boolean }) {
  const line = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (follow) line.current?.scrollIntoView({ block: 'nearest' });
  });
  return <div class="atb-drop" role="none" style={{ '--atb-depth': depth }} ref={line} />;
}

function AddNew({ place, tree }: { readonly place: AddPlace; readonly tree: TreeProps }) {
  const { after: row, under } = place;
  const { task } = row.row;
  return (
    <div class="atb-add" style={{ '--atb-depth': task.depth + (under ? 1 : 0) }}>
      <span class="atb-mark" data-state="ready" aria-hidden="true" />
      <EditField
        initial=""
        label={t(under ? 'sidebar.addSubtaskOf' : 'sidebar.addTaskAfter', { title: task.title })}
        problem={(title) => typedProblem(row.board, title)}
        onKeep={(title) => tree.onAdd({ row: row.id, board: row.board, task }, title, under)}
        onClose={tree.events.edited}
        onLost={(typed) => tree.events.intents.tellLost(task.title, typed)}
      />
    </div>
  );
}

/** Keeps the keyboard in the tree: on the selected row, also where its element was replaced. */
function useTreeFocus(tree: RefObject<HTMLDivElement | null>, props: TreeProps): void {
  const { ui } = props;
  const inside = useRef(false);
  const left = useRef(props.onLeft);
  left.current = props.onLeft;
  // What is taken out or put elsewhere loses the keyboard too, and the person did not go away.
  const drawing = useRef(false);
  drawing.current = true;
  useLayoutEffect(() => {
    drawing.current = false;
    const at = tree.current?.ownerDocument.activeElement;
    // What was drawn in the same turn may have taken it: a field that was asked for.
    const lost = at === tree.current?.ownerDocument.body || tree.current?.contains(at ?? null);
    inside.current = inside.current && lost === true;
  });
  useLayoutEffect(() => {
    const element = tree.current;
    const enter = () => (inside.current = true);
    const leave = ({ relatedTarget }: FocusEvent) => {
      inside.current = drawing.current && inside.current;
      const stays = relatedTarget !== null && element?.contains(relatedTarget as Node) === true;
      if (!stays && !drawing.current && element?.ownerDocument.hasFocus() === true) left.current();
    };
    // On their way down, so that a field that closes as it is left finds the person gone already.
    element?.addEventListener('focus', enter, true);
    element?.addEventListener('blur', leave, true);
    return () => {
      element?.removeEventListener('focus', enter, true);
      element?.removeEventListener('blur', leave, true);
    };
  }, [tree]);
  useLayoutEffect(() => {
    if (ui.toTree > 0) inside.current = true;
  }, [ui.toTree]);
  const sent = useRef(ui.toTree);
  useLayoutEffect(() => {
    const element = tree.current;
    const isSent = sent.current !== ui.toTree;
    sent.current = ui.toTree;
    if (!inside.current || element === null || ui.editing !== undefined) return;
    const focused = element.ownerDocument.activeElement;
    if (!isSent && focused?.closest('.atb-add') !== null && element.contains(focused)) return;
    const row = rowElement(element, props.stop);
    if (row === undefined || row === focused) return;
    // What took the place of a row that went away is nothing that the person went to.
    const { current } = props.events;
    if (isSent || ui.selected === props.stop || current === undefined) row.focus();
    else current.put(() => row.focus());
  });
}

/** px of a row that was never measured. */
function guess(row: SidebarRow): number {
  if (row.kind === 'session') return 64;
  if (row.kind === 'task' && row.row.hasReason) return 44;
  return 28;
}

/** The rows to draw now: all, or in a long list those near the view. Follows the scrolling. */
function useDrawnRows(
  rows: readonly SidebarRow[],
  tree: RefObject<HTMLElement | null>,
  kept: number,
): { readonly runs: readonly DrawnRun[]; readonly rest: number } {
  const measured = useRef(new Map<string, number>());
  const long = rows.length > DRAW_ALL;
  const moved = useMoved(() => scrollerOf(tree.current), long);
  useLayoutEffect(() => {
    if (long) measure(tree.current, measured.current);
  });
  return useMemo(() => {
    if (!long) return { runs: [{ gap: 0, from: 0, to: rows.length }], rest: 0 };
    const known = measured.current;
    // An id is put together from two, which takes time where it is looked up: at first nothing is known.
    const heights = rows.map(known.size === 0 ? guess : (row) => known.get(row.id) ?? guess(row));
    const view = viewOf(tree.current);
    // The view may come to the rows of the session above before it is looked at again.
    const heads = [view.top, view.top - STEP].map((top) => headAt(rows, heights, top));
    return drawnRows(heights, view, new Set([kept, ...heads]));
    // `moved` stands for where the view is
  }, [rows, long, kept, tree, moved]);
}

function scrollerOf(tree: HTMLElement | null): HTMLElement | null | undefined {
  return tree?.closest<HTMLElement>('.atb-scroll');
}

/** The head of the session whose rows are at the top of the view: it stays in sight. */
function headAt(rows: readonly SidebarRow[], heights: readonly number[], top: number): number {
  let y = 0;
  const first = heights.findIndex((height) => (y += height) > top);
  return rows.findLastIndex(({ kind }, at) => kind === 'session' && at <= first);
}

function viewOf(tree: HTMLElement | null): { top: number; bottom: number } {
  const scroller = scrollerOf(tree);
  if (tree === null || !scroller) return { top: 0, bottom: UNSEEN_HEIGHT };
  const top = scroller.getBoundingClientRect().top - tree.getBoundingClientRect().top;
  return { top, bottom: top + scroller.clientHeight };
}

function measure(tree: HTMLElement | null, heights: Map<string, number>): void {
  for (const element of tree?.querySelectorAll<HTMLElement>('[data-at]') ?? []) {
    const id = element.dataset['at'];
    if (id !== undefined && element.offsetHeight > 0) heights.set(id, element.offsetHeight);
  }
}

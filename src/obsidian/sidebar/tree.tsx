import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { AddRowView } from './add-row';
import type { Carry } from './carry';
import { EditField } from './edit-field';
import { BoardRowView, GroupRowView, OlderRowView, SessionRowView } from './head-row';
import type { Intents } from './intents';
import { FindingBanner } from './finding-banner';
import { RepairBanner } from './repair-banner';
import { targetOf } from '../desk/board-writes';
import type { ItemRow, SidebarRow } from './rows';
import { TaskRowView } from './task-row';
import { rowElement, type RowEvents, type RowFocus } from './tree-row';
import { useDrawnRows } from './use-drawn-rows';

/** What is typed where: a new title for a row, a task after it, or one under it. */
export interface Editing {
  readonly kind: 'rename' | 'add' | 'under';
  readonly id: string;
}

export interface TreeProps {
  readonly rows: readonly SidebarRow[];
  /** the row that the Tab key comes to, and whether the person is on it */
  readonly stop: string | undefined;
  readonly selected: string | undefined;
  readonly editing: Editing | undefined;
  readonly carry: Carry | undefined;
  /** how often the keyboard was sent to the tree */
  readonly toTree: number;
  readonly events: RowEvents;
  readonly intents: Intents;
  /** A field is done with; `back`: the keyboard returns to its row. */
  readonly onEdited: (back: boolean) => void;
  readonly onKey: (event: KeyboardEvent) => void;
}

/** All sessions with their tasks. The focus stays where it is, whatever is drawn anew. */
export function Tree(props: TreeProps) {
  const { rows, stop } = props;
  const tree = useRef<HTMLDivElement>(null);
  const kept = useMemo(() => rows.findIndex((row) => row.id === stop), [rows, stop]);
  const { runs, rest } = useDrawnRows(rows, tree, kept);
  const addAt = useMemo(() => lastBelow(rows, props.editing), [rows, props.editing]);
  const dropAt = useMemo(() => lastBelow(rows, droppedAt(props.carry)), [rows, props.carry]);
  useTreeFocus(tree, props);
  return (
    <div class="atb-tree" role="tree" aria-label="Agent tasks" ref={tree} onKeyDown={props.onKey}>
      {runs.flatMap((run) => [
        run.gap > 0 && <Gap key={`gap ${rows[run.from]?.id ?? ''}`} height={run.gap} />,
        ...rows
          .slice(run.from, run.to)
          .map((row) => (
            <AnyRow key={row.id} row={row} tree={props} addAt={addAt} dropAt={dropAt} />
          )),
      ])}
      {rest > 0 && <Gap key="rest" height={rest} />}
    </div>
  );
}

/** Stands for rows that are too far away to be drawn. */
function Gap({ height }: { readonly height: number }) {
  return <div role="none" style={{ height: `${height}px` }} />;
}

/** Where a task that comes after another would stand: below that one's own sub-tasks. */
interface AddPlace {
  readonly below: string;
  readonly after: Extract<ItemRow, { kind: 'outline' }>;
  /** as a sub-task of it */
  readonly under: boolean;
}

function lastBelow(
  rows: readonly SidebarRow[],
  editing: Editing | undefined,
): AddPlace | undefined {
  if (editing === undefined || editing.kind === 'rename') return undefined;
  const at = rows.findIndex((row) => row.id === editing.id);
  const after = rows[at];
  if (after?.kind !== 'outline') return undefined;
  const next = rows.findIndex(
    (row, index) => index > at && (row.kind !== 'outline' || row.level <= after.level),
  );
  const below = rows[(next < 0 ? rows.length : next) - 1]?.id ?? after.id;
  return { below, after, under: editing.kind === 'under' };
}

function AnyRow(props: {
  readonly row: SidebarRow;
  readonly tree: TreeProps;
  readonly addAt: AddPlace | undefined;
  readonly dropAt: AddPlace | undefined;
}) {
  const { row, tree, addAt, dropAt } = props;
  const { events, intents, editing } = tree;
  const focus: RowFocus =
    tree.selected === row.id ? 'selected' : tree.stop === row.id ? 'stop' : 'none';
  switch (row.kind) {
    case 'session':
    case 'child':
      return <SessionRowView {...{ row, focus, events }} />;
    case 'board':
      return <BoardRowView {...{ row, focus, events }} />;
    case 'older':
      return <OlderRowView {...{ row, focus, events }} />;
    case 'banner':
      return row.repair === undefined ? (
        <RepairBanner board={row.board} intents={intents} />
      ) : (
        <FindingBanner board={row.board} repair={row.repair} intents={intents} />
      );
    case 'add':
      return <AddRowView board={row.board} onAdd={(title) => intents.add(row.board, title)} />;
    case 'outline':
      if (row.row.kind !== 'task') return <GroupRowView {...{ row, focus, events }} />;
      return (
        <>
          <TaskRowView
            {...{ row, focus, events, intents }}
            editing={editing?.kind === 'rename' && editing.id === row.id}
            onEdited={tree.onEdited}
          />
          {addAt?.below === row.id && <AddNew place={addAt} tree={tree} />}
          {dropAt?.below === row.id && <DropLine place={dropAt} />}
        </>
      );
  }
}

/** A place for what is carried, drawn as for a task that is added. */
function droppedAt(carry: Carry | undefined): Editing | undefined {
  if (carry === undefined || carry.at === carry.id) return undefined;
  return { kind: carry.under ? 'under' : 'add', id: carry.at };
}

function DropLine({ place: { after, under } }: { readonly place: AddPlace }) {
  const line = useRef<HTMLDivElement>(null);
  const depth = (after.row.kind === 'task' ? after.row.task.depth : 0) + (under ? 1 : 0);
  useLayoutEffect(() => line.current?.scrollIntoView({ block: 'nearest' }));
  return <div class="atb-drop" role="none" style={{ '--atb-depth': depth }} ref={line} />;
}

function AddNew({ place, tree }: { readonly place: AddPlace; readonly tree: TreeProps }) {
  const { after: row, under } = place;
  const outline = row.row;
  if (outline.kind !== 'task') return null;
  const { task } = outline;
  const beside = targetOf(task);
  return (
    <div class="atb-add" role="none" style={{ '--atb-depth': task.depth + (under ? 1 : 0) }}>
      <span class="atb-mark" data-state="ready" aria-hidden="true" />
      <EditField
        initial=""
        label={`Add ${under ? 'subtask of' : 'task after'} ${task.title}`}
        onKeep={(title) =>
          tree.intents.add(row.board, title, under ? { parent: beside } : { after: beside })
        }
        onClose={tree.onEdited}
        onLost={(typed) => tree.intents.tellLost(task.title, typed)}
      />
    </div>
  );
}

/** Keeps the keyboard in the tree: on the selected row, also where its element was replaced. */
function useTreeFocus(tree: RefObject<HTMLDivElement | null>, props: TreeProps): void {
  const inside = useRef(false);
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
    const leave = () => (inside.current = drawing.current && inside.current);
    // On their way down, so that a field that closes as it is left finds the person gone already.
    element?.addEventListener('focus', enter, true);
    element?.addEventListener('blur', leave, true);
    return () => {
      element?.removeEventListener('focus', enter, true);
      element?.removeEventListener('blur', leave, true);
    };
  }, [tree]);
  useLayoutEffect(() => {
    if (props.toTree > 0) inside.current = true;
  }, [props.toTree]);
  useLayoutEffect(() => {
    const element = tree.current;
    if (!inside.current || element === null || props.editing !== undefined) return;
    const focused = element.ownerDocument.activeElement;
    if (focused?.closest('.atb-add') !== null && element.contains(focused)) return;
    const row = rowElement(element, props.stop);
    if (row !== undefined && row !== focused) row.focus();
  });
}

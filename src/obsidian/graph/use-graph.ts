import type { Ref, RefObject } from 'preact';
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { whatIf } from '../../core/board/graph/schedule';
import type { Board, Task } from '../../core/board/task';
import { reviewActs, type Intents } from '../board/intents';
import type { AddPlace } from '../board-view/quick-add';
import { useCurrentTask, type CurrentTask } from '../model/current-task';
import type { Overview } from '../model/overview';
import { isWritable } from '../board-view/shown-boards';
import { nextPaint } from '../model/pending-status';
import type { ViewWithActions, ViewActions } from '../ui/view-actions';
import { nodeElement, type GraphActions, type ShownGraph } from './graph-canvas';
import { GRAPH_KEYS, nextListNode, nextNode, type GraphDirection } from './graph-keys';
import { titleLookup, whatIfWords } from './graph-words';
import { layoutPlan, loadDagre, type Dagre, type PlanLayout } from './layout';
import { measureTitles } from './measure-titles';
import {
  DEFAULT_TOGGLES,
  FOLDED_KEY,
  isOutsideKey,
  MAX_DRAWN,
  outsideTasks,
  planDrawing,
  type Dependency,
  type GraphToggles,
  type OutsideTask,
  type PlanDrawing,
} from './plan-drawing';
import { ZOOM_STEP, type Viewport } from './viewport';
import { t } from '../language/text';

export interface GraphDeps {
  readonly overview: Overview;
  readonly intents: Intents;
  readonly today: () => string;
  readonly phone: () => boolean;
  /** Announces an action to screen readers. */
  readonly tell: (sentence: string) => void;
  /** Asks for the format, and exports the plan. */
  readonly exportGraph: (board: Board) => void;
  /** one of our views was shown */
  readonly shown: () => void;
}

export interface GraphProps {
  readonly deps: GraphDeps;
  readonly path: string;
  /** the current task, if the view follows the other views */
  readonly current?: CurrentTask;
  /** key of the task for which the view was opened */
  readonly initialTask: string | undefined;
  readonly handle?: Ref<ViewWithActions>;
}

/** `GraphProps` with the board and those beside it. */
export type PlanProps = GraphProps & { readonly board: Board; readonly boards: readonly Board[] };

/** State of the view apart from the plan itself. */
interface GraphUi {
  readonly toggles: GraphToggles;
  /** list or drawing; undefined: chosen by size */
  readonly list: boolean | undefined;
  readonly selected: string | undefined;
  readonly edge: Dependency | undefined;
  /** the selected task whose panel was closed */
  readonly dismissed: string | undefined;
  /** key of the task to ask "what if it were done" about: under the pointer, or chosen by key */
  readonly whatIf: string | undefined;
  readonly find: string;
  readonly scale: number;
  /** key of the task that is being renamed */
  readonly editing: string | undefined;
  /** where the open field for new tasks adds them */
  readonly adding: AddPlace | undefined;
}

const INITIAL_GRAPH_UI: GraphUi = {
  toggles: DEFAULT_TOGGLES,
  list: undefined,
  selected: undefined,
  edge: undefined,
  dismissed: undefined,
  whatIf: undefined,
  find: '',
  scale: 1,
  editing: undefined,
  adding: undefined,
};

/** The state of an open graph. */
export interface GraphState {
  readonly ui: GraphUi;
  readonly change: (part: Partial<GraphUi>) => void;
  readonly shown: ShownGraph;
  /** undefined if it is not drawn, or not yet */
  readonly layout: PlanLayout | undefined;
  /** the plan is too large for anything but a list */
  readonly tooMany: boolean;
  readonly asList: boolean;
  readonly tasks: ReadonlyMap<string, Task>;
  readonly acts: PlanActions;
  readonly goTo: GoTo;
  readonly root: RefObject<HTMLDivElement | null>;
  readonly viewport: RefObject<Viewport | null>;
}

export function useGraph(props: PlanProps): GraphState {
  const { board, boards, deps, initialTask } = props;
  const [ui, setUi] = useState<GraphUi>({ ...INITIAL_GRAPH_UI, selected: initialTask });
  const change = useCallback((part: Partial<GraphUi>) => setUi((now) => ({ ...now, ...part })), []);
  const named = board.tasks.some(({ waitsFor }) => waitsFor !== null);
  const outside = useMemo(
    () => (named ? outsideTasks(board, boards) : []),
    [named && board, named && boards],
  );
  const drawing = useMemo(
    () => planDrawing(board, ui.toggles, outside),
    [board, ui.toggles, outside],
  );
  const tasks = useMemo(() => new Map(board.tasks.map((task) => [task.key, task])), [board]);
  const titleOf = useMemo(() => titleLookup(tasks, outside), [tasks, outside]);
  const tooMany = drawing.tasks.length > MAX_DRAWN;
  const asList = tooMany || (ui.list ?? deps.phone());
  const layout = useLayout(drawing, !asList, ui.toggles.waves);
  const root = useRef<HTMLDivElement>(null);
  const viewport = useRef<Viewport>(null);
  const stop = tabStopOf(drawing, ui.selected);
  const shown: ShownGraph = {
    ...{ board, drawing, titleOf, stop, edge: ui.edge, selected: ui.selected, editing: ui.editing },
    today: deps.today(),
    editable: isWritable(board),
    found: useMemo(() => findTasks(drawing, ui.find), [drawing, ui.find]),
    wouldBeReady: useMemo(() => readyIfDone(board, ui.whatIf), [board, ui.whatIf]),
  };
  const { current } = props;
  const goTo = useGoTo(root, viewport, {
    layout,
    stop,
    setUi,
    initialTask,
    tasks,
    drawing,
    current,
  });
  useFollowCurrentNode(props, root, viewport, { layout, drawing, tasks, setUi });
  const open = isPanelOpen(ui) ? ui.selected : undefined;
  useLayoutEffect(() => {
    // The panel that has just opened leaves less room for the graph or the list.
    const key = ui.editing ?? open;
    if (key !== undefined) revealNode(root, viewport, layout, key);
    // A change of the layout keeps the task where it is.
  }, [open, ui.editing]);
  const folded = drawing.folded[0];
  const acts = useGraphActions(props, tasks, { change, goTo, root, folded, outside });
  return { ui, change, shown, layout, tooMany, asList, tasks, acts, goTo, root, viewport };
}

function isPanelOpen({ selected, dismissed }: GraphUi): boolean {
  return selected !== undefined && dismissed !== selected;
}

function revealNode(
  root: RefObject<HTMLDivElement | null>,
  viewport: RefObject<Viewport | null>,
  layout: PlanLayout | undefined,
  key: string,
): void {
  const box = layout?.boxes.get(key);
  if (box !== undefined) viewport.current?.reveal(box);
  else nodeElement(root.current, key)?.scrollIntoView({ block: 'nearest' });
}

/** The node that is the tab stop; for a folded task, the node that it is folded into. */
function tabStopOf({ tasks, folded, outside, waves }: PlanDrawing, selected: string | undefined) {
  if (selected === FOLDED_KEY && folded.length > 0) return FOLDED_KEY;
  if (tasks.some(({ task }) => task.key === selected)) return selected;
  if (outside.some(({ key }) => key === selected)) return selected;
  if (selected !== undefined && folded.includes(selected)) return FOLDED_KEY;
  const now = waves.find(({ title }) => title === t('graph.now')) ?? waves[0];
  return now?.tasks[0]?.task.key;
}

function findTasks({ tasks }: PlanDrawing, find: string): ReadonlySet<string> {
  const words = find
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return new Set();
  const fits = ({ title, n }: Task) =>
    words.every((word) => `${title} #${n ?? ''}`.toLowerCase().includes(word));
  return new Set(tasks.filter(({ task }) => fits(task)).map(({ task }) => task.key));
}

function readyIfDone(board: Board, key: string | undefined): ReadonlySet<string> {
  return new Set(key === undefined ? [] : whatIf(board, key).makesReady);
}

/** The layout, computed again only if a position could change. */
function useLayout(
  drawing: PlanDrawing,
  isNeeded: boolean,
  byWave: boolean,
): PlanLayout | undefined {
  const [dagre, setDagre] = useState<Dagre>();
  const twoLines = useMemo(() => measureTitles(), []);
  const last = useRef<{ readonly inputs: string; readonly layout: PlanLayout } | undefined>(
    undefined,
  );
  useLayoutEffect(() => {
    if (!isNeeded || dagre !== undefined) return;
    // Laying out a large plan takes a while, so the rest of the view is painted first.
    void nextPaint()
      .then(loadDagre)
      .then((loaded) => setDagre(() => loaded));
  }, [isNeeded, dagre]);
  if (!isNeeded || dagre === undefined) return undefined;
  const { edges, folded, outside, tasks } = drawing;
  const boxes = tasks.map(({ task, wave, frame }) => [task.key, wave, frame, twoLines(task.title)]);
  const others = outside.map(({ key, title }) => [key, twoLines(title)]);
  const inputs = JSON.stringify([boxes, others, edges, folded.length > 0, byWave]);
  if (last.current?.inputs !== inputs)
    last.current = { inputs, layout: layoutPlan(drawing, dagre, twoLines, byWave) };
  return last.current.layout;
}

type GoTo = (key: string) => void;

/** Returns a function that focuses a node and scrolls to it, if need be once it is drawn. */
function useGoTo(
  root: RefObject<HTMLDivElement | null>,
  viewport: RefObject<Viewport | null>,
  context: {
    readonly layout: PlanLayout | undefined;
    readonly stop: string | undefined;
    readonly initialTask: string | undefined;
    readonly setUi: (change: (now: GraphUi) => GraphUi) => void;
    readonly tasks: ReadonlyMap<string, Task>;
    readonly drawing: PlanDrawing;
    readonly current: CurrentTask | undefined;
  },
): GoTo {
  const { layout, stop, initialTask, current } = context;
  const now = useRef(context);
  now.current = context;
  const pendingFocus = useRef<string | undefined>(undefined);
  /** the node that had the focus last */
  const lastFocused = useRef<string | undefined>(undefined);
  const goTo = useCallback((key: string) => {
    const { tasks, drawing, setUi } = now.current;
    pendingFocus.current = key;
    setUi((ui) => ({
      ...withTaskVisible(ui, drawing, tasks.get(key)),
      ...{ selected: key, edge: undefined },
    }));
  }, []);
  useLayoutEffect(() => {
    if (initialTask !== undefined) goTo(initialTask);
  }, [initialTask, goTo]);
  useLayoutEffect(() => {
    const follow = ({ target }: FocusEvent) => {
      const node = (target as Element).closest<HTMLElement>('[data-node]');
      lastFocused.current = node?.dataset['node'];
      const box = now.current.layout?.boxes.get(lastFocused.current ?? '');
      // The Tab key may focus a node that is out of sight; a clicked one is in sight.
      if (box !== undefined && node?.matches(':focus-visible') === true)
        viewport.current?.reveal(box);
    };
    const element = root.current;
    element?.addEventListener('focusin', follow);
    return () => element?.removeEventListener('focusin', follow);
  }, [root]);
  useLayoutEffect(() => {
    const { activeElement, body } = root.current?.ownerDocument ?? {};
    const lost =
      lastFocused.current !== undefined &&
      activeElement === body &&
      nodeElement(root.current, lastFocused.current) === null;
    const key = pendingFocus.current ?? (lost ? stop : undefined);
    const node = key === undefined ? null : nodeElement(root.current, key);
    if (key === undefined || node === null) return;
    const isLost = pendingFocus.current === undefined;
    pendingFocus.current = undefined;
    const box = layout?.boxes.get(key);
    const focus = () => node.focus({ preventScroll: box !== undefined });
    if (isLost && current !== undefined) current.restoreFocus(focus);
    else focus();
    if (box !== undefined) viewport.current?.reveal(box);
  });
  return goTo;
}

/** Follows the current task of other views; the panel stays open or closed. */
function useFollowCurrentNode(
  { board: { path }, current }: PlanProps,
  root: RefObject<HTMLDivElement | null>,
  viewport: RefObject<Viewport | null>,
  context: {
    readonly layout: PlanLayout | undefined;
    readonly drawing: PlanDrawing;
    readonly tasks: ReadonlyMap<string, Task>;
    readonly setUi: (change: (now: GraphUi) => GraphUi) => void;
  },
): void {
  const { layout, drawing, tasks, setUi } = context;
  const keyOf = (id: string) => (id.startsWith(`${path}\n`) ? id.slice(path.length + 1) : '');
  useCurrentTask(current, root, {
    drawn: layout !== undefined,
    idOf: (element) => {
      const key = element.closest<HTMLElement>('[data-node]')?.dataset['node'];
      return key !== undefined && tasks.has(key) ? `${path}\n${key}` : undefined;
    },
    adopt: (id) => {
      const key = keyOf(id);
      if (!tasks.has(key)) return;
      setUi((ui) => {
        const dismissed = isPanelOpen(ui) ? undefined : key;
        return { ...ui, selected: key, edge: undefined, dismissed };
      });
    },
    reveal: (id) => {
      const key = drawing.folded.includes(keyOf(id)) ? FOLDED_KEY : keyOf(id);
      revealNode(root, viewport, layout, key);
    },
  });
}

/** Returns the state with the toggle set that shows a hidden task. */
function withTaskVisible(ui: GraphUi, { tasks }: PlanDrawing, task: Task | undefined): GraphUi {
  if (task === undefined || tasks.some((one) => one.task.key === task.key)) return ui;
  const which = task.status === 'cancelled' ? 'cancelled' : 'finished';
  return { ...ui, toggles: { ...ui.toggles, [which]: true } };
}

export type PlanActions = GraphActions & {
  readonly edit: (key: string) => void;
  /** Opens the field for new tasks after or under a task; without one, at the end of the plan. */
  readonly add: (key: string | undefined, under: boolean) => void;
  readonly undepend: (edge: Dependency) => void;
  readonly pickDependency: (key: string) => void;
  readonly dropDependency: (key: string) => void;
};

/** The actions on tasks and edges, by pointer or key. */
function useGraphActions(
  { board, deps }: PlanProps,
  tasks: ReadonlyMap<string, Task>,
  {
    change,
    goTo,
    folded,
    root,
    outside,
  }: {
    readonly change: (part: Partial<GraphUi>) => void;
    readonly goTo: GoTo;
    /** the first of the folded finished tasks */
    readonly folded: string | undefined;
    readonly root: RefObject<HTMLDivElement | null>;
    readonly outside: readonly OutsideTask[];
  },
): PlanActions {
  return useMemo(() => {
    const { intents } = deps;
    const forTask = (key: string, run: (task: Task) => void) => {
      const task = tasks.get(key);
      if (task !== undefined) run(task);
    };
    const edit = (key: string) => change({ editing: key });
    const add = (key: string | undefined, under: boolean) => {
      const kind = key === undefined ? 'end' : under ? 'under' : 'after';
      change({ adding: { kind, plan: board.path, task: key, asked: Date.now() } });
    };
    return {
      ...{ intents, edit, add },
      edited: (key, back) => {
        change({ editing: undefined });
        if (back && tasks.has(key)) goTo(key);
      },
      select: (key) => change({ selected: key, edge: undefined }),
      show: () => change({ dismissed: undefined }),
      selectEdge: (edge) => change({ edge, selected: undefined }),
      open: (key, newTab) => {
        const at = outside.find((one) => one.key === key)?.at ?? { board, task: tasks.get(key) };
        if (at.task !== undefined) intents.open(at.board, at.task, newTab);
      },
      menu: (key, anchor) => {
        if ('clientX' in anchor) anchor.preventDefault();
        const own = {
          rename: () => edit(key),
          addAfter: () => add(key, false),
          addUnder: () => add(key, true),
        };
        forTask(key, (task) => intents.taskMenu(board, task, anchor, own));
      },
      tick: (key) => forTask(key, (task) => intents.tick(board, task)),
      unfold: () => folded !== undefined && goTo(folded),
      hover: (key) => change({ whatIf: key }),
      depend: ({ task: key, on }) =>
        forTask(key, (task) =>
          forTask(on, (other) => {
            goTo(key);
            intents.dependOn(board, task, other);
          }),
        ),
      undepend: ({ task: key, on }) =>
        forTask(key, (task) => {
          const other = tasks.get(on) ?? { id: on, line: 0, title: on };
          const inside = root.current?.ownerDocument.activeElement;
          // The focused edge is about to be removed.
          if (inside?.closest('[data-edge]') !== null) goTo(key);
          else change({ edge: undefined });
          intents.undependOn(board, task, other);
        }),
      pickDependency: (key) => forTask(key, (task) => intents.depend(board, task)),
      dropDependency: (key) => forTask(key, (task) => intents.undepend(board, task)),
    };
  }, [board, deps, tasks, change, goTo, folded, root, outside]);
}

/** Moves from the current node or edge in a direction. */
export function moveInDirection(state: GraphState, direction: GraphDirection): void {
  const { ui, shown, layout, goTo } = state;
  const { drawing, stop } = shown;
  const { edge } = ui;
  const from = ui.selected ?? stop;
  if (edge !== undefined) return goTo(direction === 'after' ? edge.task : edge.on);
  if (from === undefined) return;
  const next = state.asList
    ? nextListNode(drawing, from, direction)
    : layout && nextNode(layout, drawing, from, direction);
  if (next !== undefined) goTo(next);
}

/** The actions of the graph now, for keys and commands. */
export function graphActions({ deps }: PlanProps, state: GraphState): ViewActions {
  const { ui, shown, layout, acts, change, viewport, root, asList } = state;
  const { intents } = deps;
  const { edge, toggles } = ui;
  const toggle = (name: keyof GraphToggles) => () =>
    change({ toggles: { ...toggles, [name]: !toggles[name] } });
  const zoomAction = (by: 'in' | 'out' | 'fit') => () => zoom(viewport.current, layout, by);
  const isOpen = isPanelOpen(ui);
  return {
    undo: () => intents.undo(),
    redo: () => intents.redo(),
    'mark-seen': () => intents.markSeen(),
    'show-keys': () => intents.showKeys(t('graph.keysOfTheGraph'), GRAPH_KEYS),
    'filter-board': () => root.current?.querySelector<HTMLElement>('input[type=search]')?.focus(),
    'toggle-critical-path': toggle('critical'),
    'toggle-finished': toggle('finished'),
    ...(shown.drawing.cancelled > 0 && { 'toggle-cancelled': toggle('cancelled') }),
    ...(!state.tooMany && { 'toggle-list': () => change({ list: !asList }) }),
    ...(!asList && {
      'toggle-waves': toggle('waves'),
      'zoom-in': zoomAction('in'),
      'zoom-out': zoomAction('out'),
      'zoom-to-fit': zoomAction('fit'),
    }),
    ...(edge !== undefined && shown.editable && { 'remove-edge': () => acts.undepend(edge) }),
    ...((isOpen || edge !== undefined || ui.whatIf !== undefined) && {
      'close-details': () => change({ whatIf: undefined, edge: undefined, dismissed: ui.selected }),
    }),
    ...(shown.editable && {
      'add-task-here': () => acts.add(state.tasks.get(ui.selected ?? '')?.key, false),
    }),
    ...nodeActions(deps, state),
  };
}

/** The actions on the selected task. */
function nodeActions({ intents, tell }: GraphDeps, state: GraphState): ViewActions {
  const { ui, shown, acts, change, root, tasks } = state;
  const { board, editable, titleOf } = shown;
  const { selected = '' } = ui;
  if (selected === FOLDED_KEY) return { 'open-task': acts.unfold, 'tick-task': acts.unfold };
  if (isOutsideKey(selected)) {
    const openIn = (newTab: boolean) => () => acts.open(selected, newTab);
    return { 'open-task': openIn(false), 'open-task-in-tab': openIn(true) };
  }
  const at = tasks.get(selected);
  if (at === undefined) return {};
  const node = nodeElement(root.current, at.key);
  const haveDone = intents.delegateAction(board, [at]);
  const isAsked = ui.whatIf === at.key;
  return {
    'open-task': () => intents.open(board, at, false),
    'open-task-in-tab': () => intents.open(board, at, true),
    'what-if': () => {
      change({ whatIf: isAsked ? undefined : at.key });
      if (!isAsked) tell(whatIfWords(board, at, titleOf));
    },
    ...(node !== null && { 'show-menu': () => acts.menu(at.key, node) }),
    ...(editable && {
      'tick-task': () => intents.tick(board, at),
      ...(node !== null && { 'set-status': () => intents.statusMenu(board, [at], node) }),
      ...(haveDone && { 'have-it-done': haveDone }),
      ...reviewActs(intents, board, at),
      'rename-task': () => acts.edit(at.key),
      'add-subtask': () => acts.add(at.key, true),
      'add-dependency': () => acts.pickDependency(at.key),
      'remove-dependency': () => acts.dropDependency(at.key),
      'remove-task': () => intents.remove(board, [at]),
    }),
  };
}

export function zoom(
  viewport: Viewport | null,
  layout: PlanLayout | undefined,
  by: 'in' | 'out' | 'fit',
): void {
  if (by === 'fit') {
    if (layout !== undefined) viewport?.fit(layout);
  } else viewport?.zoom(by === 'in' ? ZOOM_STEP : 1 / ZOOM_STEP);
}

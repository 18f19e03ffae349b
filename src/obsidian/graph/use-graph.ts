import type { Ref, RefObject } from 'preact';
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { whatIf } from '../../core/board/graph/schedule';
import type { Board, Task } from '../../core/board/task';
import type { Intents } from '../board/intents';
import { useCurrentTask, type CurrentTask } from '../model/current-task';
import type { Overview } from '../model/overview';
import { nextPaint } from '../model/pending-status';
import type { ActingView, ViewActs } from '../ui/view-actions';
import { nodeElement, type GraphActs, type GraphShown } from './graph-canvas';
import { GRAPH_KEYS, listNode, nextNode, type GraphWay } from './graph-keys';
import { titlesOf, whatIfWords } from './graph-words';
import { layoutPlan, loadDagre, type Dagre, type PlanLayout } from './layout';
import { measureTitles } from './measure-titles';
import {
  FIRST_TOGGLES,
  FOLDED,
  planDrawing,
  type Dependency,
  type GraphToggles,
  type PlanDrawing,
} from './plan-drawing';
import { ZOOM_STEP, type Viewport } from './viewport';
import { t } from '../language/text';

/** Plans with more open tasks than this are listed, not drawn. */
const MAX_DRAWN = 500;

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
  readonly wanted: string | undefined;
  /** Called when another task is selected. */
  readonly onSelect: (key: string | undefined) => void;
  readonly handle?: Ref<ActingView>;
}

/** `GraphProps` with the board. */
export type PlanProps = GraphProps & { readonly board: Board };

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
}

const FRESH: GraphUi = {
  toggles: FIRST_TOGGLES,
  list: undefined,
  selected: undefined,
  edge: undefined,
  dismissed: undefined,
  whatIf: undefined,
  find: '',
  scale: 1,
};

/** The state of an open graph. */
export interface GraphState {
  readonly ui: GraphUi;
  readonly change: (part: Partial<GraphUi>) => void;
  readonly shown: GraphShown;
  /** undefined if it is not drawn, or not yet */
  readonly layout: PlanLayout | undefined;
  /** the plan is too large for anything but a list */
  readonly tooMany: boolean;
  readonly asList: boolean;
  readonly tasks: ReadonlyMap<string, Task>;
  readonly acts: Acts;
  readonly goTo: GoTo;
  readonly root: RefObject<HTMLDivElement | null>;
  readonly viewport: RefObject<Viewport | null>;
}

export function useGraph(props: PlanProps): GraphState {
  const { board, deps, wanted } = props;
  const [ui, setUi] = useState<GraphUi>({ ...FRESH, selected: wanted });
  const change = useCallback((part: Partial<GraphUi>) => setUi((now) => ({ ...now, ...part })), []);
  const drawing = useMemo(() => planDrawing(board, ui.toggles), [board, ui.toggles]);
  const tasks = useMemo(() => new Map(board.tasks.map((task) => [task.key, task])), [board]);
  const titleOf = useMemo(() => titlesOf(tasks), [tasks]);
  const tooMany = drawing.open > MAX_DRAWN;
  const asList = tooMany || (ui.list ?? deps.phone());
  const layout = useLayout(drawing, !asList, ui.toggles.waves);
  const root = useRef<HTMLDivElement>(null);
  const viewport = useRef<Viewport>(null);
  const stop = stopOf(drawing, ui.selected);
  const shown: GraphShown = {
    ...{ board, drawing, titleOf, stop, edge: ui.edge, selected: ui.selected },
    today: deps.today(),
    editable: board.continued === undefined,
    found: useMemo(() => matches(drawing, ui.find), [drawing, ui.find]),
    then: useMemo(() => thenReady(board, ui.whatIf), [board, ui.whatIf]),
  };
  useLayoutEffect(() => props.onSelect(ui.selected), [ui.selected]);
  const { current } = props;
  const goTo = useGoTo(root, viewport, { layout, stop, setUi, wanted, tasks, drawing, current });
  useFollowing(props, root, viewport, { layout, drawing, tasks, setUi });
  const acts = useActs(props, tasks, { change, goTo, root, folded: drawing.folded[0] });
  return { ui, change, shown, layout, tooMany, asList, tasks, acts, goTo, root, viewport };
}

/** The node that is the tab stop; for a folded task, the node that it is folded into. */
function stopOf({ tasks, folded, waves }: PlanDrawing, selected: string | undefined) {
  if (selected === FOLDED && folded.length > 0) return FOLDED;
  if (tasks.some(({ task }) => task.key === selected)) return selected;
  if (selected !== undefined && folded.includes(selected)) return FOLDED;
  const now = waves.find(({ title }) => title === t('graph.now')) ?? waves[0];
  return now?.tasks[0]?.task.key;
}

function matches({ tasks }: PlanDrawing, find: string): ReadonlySet<string> {
  const words = find
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return new Set();
  const fits = ({ title, n }: Task) =>
    words.every((word) => `${title} #${n ?? ''}`.toLowerCase().includes(word));
  return new Set(tasks.filter(({ task }) => fits(task)).map(({ task }) => task.key));
}

function thenReady(board: Board, key: string | undefined): ReadonlySet<string> {
  return new Set(key === undefined ? [] : whatIf(board, key).makesReady);
}

/** The layout, computed again only if a position could change. */
function useLayout(drawing: PlanDrawing, wanted: boolean, byWave: boolean): PlanLayout | undefined {
  const [dagre, setDagre] = useState<Dagre>();
  const twoLines = useMemo(() => measureTitles(), []);
  const last = useRef<{ readonly of: string; readonly layout: PlanLayout } | undefined>(undefined);
  useLayoutEffect(() => {
    if (!wanted || dagre !== undefined) return;
    // Laying out a large plan takes a while, so the rest of the view is painted first.
    void nextPaint()
      .then(loadDagre)
      .then((loaded) => setDagre(() => loaded));
  }, [wanted, dagre]);
  if (!wanted || dagre === undefined) return undefined;
  const { edges, folded, tasks } = drawing;
  const boxes = tasks.map(({ task, wave, frame }) => [task.key, wave, frame, twoLines(task.title)]);
  const of = JSON.stringify([boxes, edges, folded.length > 0, byWave]);
  if (last.current?.of !== of)
    last.current = { of, layout: layoutPlan(drawing, dagre, twoLines, byWave) };
  return last.current.layout;
}

type GoTo = (key: string) => void;

/** Returns a function that focuses a node and scrolls to it, if need be once it is drawn. */
function useGoTo(
  root: RefObject<HTMLDivElement | null>,
  viewport: RefObject<Viewport | null>,
  around: {
    readonly layout: PlanLayout | undefined;
    readonly stop: string | undefined;
    readonly wanted: string | undefined;
    readonly setUi: (change: (now: GraphUi) => GraphUi) => void;
    readonly tasks: ReadonlyMap<string, Task>;
    readonly drawing: PlanDrawing;
    readonly current: CurrentTask | undefined;
  },
): GoTo {
  const { layout, stop, wanted, current } = around;
  const now = useRef(around);
  now.current = around;
  const waiting = useRef<string | undefined>(undefined);
  /** the node that had the focus last */
  const held = useRef<string | undefined>(undefined);
  const goTo = useCallback((key: string) => {
    const { tasks, drawing, setUi } = now.current;
    waiting.current = key;
    setUi((ui) => ({
      ...withShown(ui, drawing, tasks.get(key)),
      ...{ selected: key, edge: undefined },
    }));
  }, []);
  useLayoutEffect(() => {
    if (wanted !== undefined) goTo(wanted);
  }, [wanted, goTo]);
  useLayoutEffect(() => {
    const follow = ({ target }: FocusEvent) => {
      const node = (target as Element).closest<HTMLElement>('[data-node]');
      held.current = node?.dataset['node'];
      const box = now.current.layout?.boxes.get(held.current ?? '');
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
      held.current !== undefined &&
      activeElement === body &&
      nodeElement(root.current, held.current) === null;
    const key = waiting.current ?? (lost ? stop : undefined);
    const node = key === undefined ? null : nodeElement(root.current, key);
    if (key === undefined || node === null) return;
    const isLost = waiting.current === undefined;
    waiting.current = undefined;
    const box = layout?.boxes.get(key);
    const focus = () => node.focus({ preventScroll: box !== undefined });
    if (isLost && current !== undefined) current.put(focus);
    else focus();
    if (box !== undefined) viewport.current?.reveal(box);
  });
  return goTo;
}

/** Follows the current task of other views; the panel stays open or closed. */
function useFollowing(
  { board: { path }, current }: PlanProps,
  root: RefObject<HTMLDivElement | null>,
  viewport: RefObject<Viewport | null>,
  around: {
    readonly layout: PlanLayout | undefined;
    readonly drawing: PlanDrawing;
    readonly tasks: ReadonlyMap<string, Task>;
    readonly setUi: (change: (now: GraphUi) => GraphUi) => void;
  },
): void {
  const { layout, drawing, tasks, setUi } = around;
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
        const isOpen = ui.selected !== undefined && ui.dismissed !== ui.selected;
        return { ...ui, selected: key, edge: undefined, dismissed: isOpen ? undefined : key };
      });
    },
    reveal: (id) => {
      const key = drawing.folded.includes(keyOf(id)) ? FOLDED : keyOf(id);
      const box = layout?.boxes.get(key);
      if (box !== undefined) viewport.current?.reveal(box);
      else nodeElement(root.current, key)?.scrollIntoView({ block: 'nearest' });
    },
  });
}

/** Returns the state with the toggle set that shows a hidden task. */
function withShown(ui: GraphUi, { tasks }: PlanDrawing, task: Task | undefined): GraphUi {
  if (task === undefined || tasks.some((one) => one.task.key === task.key)) return ui;
  const which = task.status === 'cancelled' ? 'cancelled' : 'finished';
  return { ...ui, toggles: { ...ui.toggles, [which]: true } };
}

type Acts = GraphActs & {
  readonly undepend: (edge: Dependency) => void;
  readonly pickDependency: (key: string) => void;
  readonly dropDependency: (key: string) => void;
};

/** The actions on tasks and edges, by pointer or key. */
function useActs(
  { board, deps }: PlanProps,
  tasks: ReadonlyMap<string, Task>,
  {
    change,
    goTo,
    folded,
    root,
  }: {
    readonly change: (part: Partial<GraphUi>) => void;
    readonly goTo: GoTo;
    /** the first of the folded finished tasks */
    readonly folded: string | undefined;
    readonly root: RefObject<HTMLDivElement | null>;
  },
): Acts {
  return useMemo(() => {
    const { intents } = deps;
    const forTask = (key: string, run: (task: Task) => void) => {
      const task = tasks.get(key);
      if (task !== undefined) run(task);
    };
    return {
      select: (key) => change({ selected: key, edge: undefined }),
      show: () => change({ dismissed: undefined }),
      selectEdge: (edge) => change({ edge, selected: undefined }),
      open: (key, newTab) => forTask(key, (task) => intents.open(board, task, newTab)),
      menu: (key, anchor) => {
        if (anchor instanceof MouseEvent) anchor.preventDefault();
        forTask(key, (task) => intents.taskMenu(board, task, anchor, {}));
      },
      tick: (key) => forTask(key, (task) => intents.tick(board, task)),
      unfold: () => folded !== undefined && goTo(folded),
      point: (key) => change({ whatIf: key }),
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
  }, [board, deps, tasks, change, goTo, folded, root]);
}

/** Moves from the current node or edge in a direction. */
export function goWay(state: GraphState, way: GraphWay): void {
  const { ui, shown, layout, goTo } = state;
  const { drawing, stop } = shown;
  const { edge } = ui;
  const from = ui.selected ?? stop;
  if (edge !== undefined) return goTo(way === 'after' ? edge.task : edge.on);
  if (from === undefined) return;
  const next = state.asList
    ? listNode(drawing, from, way)
    : layout && nextNode(layout, drawing, from, way);
  if (next !== undefined) goTo(next);
}

/** The actions of the graph now, for keys and commands. */
export function graphActs({ deps }: PlanProps, state: GraphState): ViewActs {
  const { ui, shown, layout, acts, change, viewport, root, asList } = state;
  const { intents } = deps;
  const { edge, toggles } = ui;
  const toggle = (name: keyof GraphToggles) => () =>
    change({ toggles: { ...toggles, [name]: !toggles[name] } });
  const zooms = (by: 'in' | 'out' | 'fit') => () => zoom(viewport.current, layout, by);
  const isOpen = ui.selected !== undefined && ui.dismissed !== ui.selected;
  return {
    undo: () => intents.undo(),
    redo: () => intents.redo(),
    'show-keys': () => intents.showKeys(t('graph.keysOfTheGraph'), GRAPH_KEYS),
    'filter-board': () => root.current?.querySelector<HTMLElement>('input[type=search]')?.focus(),
    'toggle-critical-path': toggle('critical'),
    'toggle-finished': toggle('finished'),
    ...(shown.drawing.cancelled > 0 && { 'toggle-cancelled': toggle('cancelled') }),
    ...(!state.tooMany && { 'toggle-list': () => change({ list: !asList }) }),
    ...(!asList && {
      'toggle-waves': toggle('waves'),
      'zoom-in': zooms('in'),
      'zoom-out': zooms('out'),
      'zoom-to-fit': zooms('fit'),
    }),
    ...(edge !== undefined && shown.editable && { 'remove-edge': () => acts.undepend(edge) }),
    ...((isOpen || edge !== undefined || ui.whatIf !== undefined) && {
      'close-details': () => change({ whatIf: undefined, edge: undefined, dismissed: ui.selected }),
    }),
    ...nodeActs(deps, state),
  };
}

/** The actions on the selected task. */
function nodeActs({ intents, tell }: GraphDeps, state: GraphState): ViewActs {
  const { ui, shown, acts, change, root, tasks } = state;
  const { board, editable, titleOf } = shown;
  if (ui.selected === FOLDED) return { 'open-task': acts.unfold, 'tick-task': acts.unfold };
  const at = tasks.get(ui.selected ?? '');
  if (at === undefined) return {};
  const node = nodeElement(root.current, at.key);
  const again = ui.whatIf === at.key;
  return {
    'open-task': () => intents.open(board, at, false),
    'open-task-in-tab': () => intents.open(board, at, true),
    'what-if': () => {
      change({ whatIf: again ? undefined : at.key });
      if (!again) tell(whatIfWords(board, at, titleOf));
    },
    ...(node !== null && { 'show-menu': () => acts.menu(at.key, node) }),
    ...(editable && {
      'tick-task': () => intents.tick(board, at),
      ...(node !== null && { 'set-status': () => intents.statusMenu(board, [at], node) }),
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

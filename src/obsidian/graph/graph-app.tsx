import type { App } from 'obsidian';
import type { RefObject } from 'preact';
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { whatIf } from '../../core/board/graph/schedule';
import type { Board, Task } from '../../core/board/task';
import { RepairBanner } from '../board/repairs';
import type { Intents } from '../board/intents';
import { useOverview, type Overview } from '../model/overview';
import { inField } from '../ui/focus';
import { GraphBanners } from './graph-banners';
import { GraphCanvas, nodeElement, type GraphActs, type GraphShown } from './graph-canvas';
import { GraphInspector } from './graph-inspector';
import { graphKey, listNode, nextNode, type GraphWay, type KeyActs } from './graph-keys';
import { GraphToolbar, showGraphKeys } from './graph-toolbar';
import { summaryWords, titlesOf, whatIfWords, type TitleOf } from './graph-words';
import { layoutPlan, loadDagre, type Dagre, type PlanLayout } from './layout';
import {
  FIRST_TOGGLES,
  FOLDED,
  planDrawing,
  type Dependency,
  type GraphToggles,
  type PlanDrawing,
} from './plan-drawing';
import { measureTitles } from './measure-titles';
import { ZOOM_STEP, type Viewport } from './viewport';
import { WaveList } from './wave-list';

/** More open tasks than this are listed, not drawn. */
export const MOST_DRAWN = 500;

export interface GraphDeps {
  readonly overview: Overview;
  readonly intents: Intents;
  readonly today: () => string;
  readonly phone: () => boolean;
  /** Says to screen readers what was done. */
  readonly tell: (sentence: string) => void;
  /** Asks as what, and exports the plan. */
  readonly exportGraph: (board: Board) => void;
  /** one of our views came up */
  readonly shown: () => void;
}

interface GraphProps {
  readonly app: App;
  readonly deps: GraphDeps;
  readonly path: string;
  /** key of the task that the view was opened for */
  readonly wanted: string | undefined;
  /** The person is on another task. */
  readonly onSelect: (key: string | undefined) => void;
}

/** What the person looks at, beside the plan itself. */
interface GraphUi {
  readonly toggles: GraphToggles;
  /** as a list, or drawn; undefined: as it suits */
  readonly list: boolean | undefined;
  readonly selected: string | undefined;
  readonly edge: Dependency | undefined;
  /** the panel was closed while this task was selected */
  readonly dismissed: string | undefined;
  /** the task in question: under the pointer, or asked for by key */
  readonly whatIf: string | undefined;
  readonly find: string;
  readonly scale: number;
}

export function GraphApp(props: GraphProps) {
  const { deps, path } = props;
  const { boards, loaded } = useOverview(deps.overview);
  const board = boards.find((one) => one.path === path);
  if (!loaded) return null;
  if (board === undefined) return <p class="atb-graph-none">This plan is not there any more.</p>;
  if (board.broken !== null) {
    return (
      <RepairBanner
        board={board}
        intents={{
          open: () => deps.intents.open(board, undefined, false),
          checkAgain: () => deps.intents.checkAgain(),
        }}
      />
    );
  }
  return <PlanGraphView {...props} board={board} />;
}

function PlanGraphView(props: GraphProps & { readonly board: Board }) {
  const { app, board, deps, wanted } = props;
  const [ui, setUi] = useState<GraphUi>({ ...FRESH, selected: wanted });
  const change = useCallback((part: Partial<GraphUi>) => setUi((now) => ({ ...now, ...part })), []);
  const drawing = useMemo(() => planDrawing(board, ui.toggles), [board, ui.toggles]);
  const tasks = useMemo(() => new Map(board.tasks.map((task) => [task.key, task])), [board]);
  const titleOf = useMemo(() => titlesOf(tasks), [tasks]);
  const tooMany = drawing.open > MOST_DRAWN;
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
  const goTo = useGoTo(root, viewport, {
    layout,
    stop,
    setUi: change,
    wanted,
    selected: ui.selected,
  });
  const acts = useActs(props, tasks, { change, goTo, root });
  const onKey = (event: KeyboardEvent) => {
    if (event.isComposing || inField(event.target)) return;
    const on = keyActs(props, {
      ui,
      shown,
      layout,
      asList,
      acts,
      goTo,
      change,
      viewport,
      root,
      tasks,
    });
    if (isButton(event) || !graphKey(event, viewport.current?.toEnd === -1, on)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const one = drawing.tasks.find(({ task }) => task.key === ui.selected);
  return (
    <div class="atb-graph-app" ref={root} onKeyDown={onKey}>
      <GraphToolbar
        {...{ drawing, asList, tooMany }}
        {...ui}
        found={[...shown.found]}
        onChange={change}
        onGoTo={goTo}
        onZoom={(by) => zoom(viewport.current, layout, by)}
        onExport={() => deps.exportGraph(board)}
        onKeys={() => showGraphKeys(app)}
      />
      <GraphBanners
        {...{ shown, tooMany }}
        onRemove={(edge) => acts.undepend(edge)}
        onChoose={() => root.current?.querySelector<HTMLElement>('input[type=search]')?.focus()}
      />
      <div class="atb-graph-body">
        {asList || layout === undefined ? (
          asList && <WaveList {...{ shown, acts }} beside={false} />
        ) : (
          <>
            <GraphCanvas
              {...{ shown, layout, acts, viewport }}
              onScale={(scale) => change({ scale })}
            />
            <WaveList {...{ shown, acts }} beside />
          </>
        )}
        {one !== undefined && ui.dismissed !== ui.selected && (
          <GraphInspector
            {...{ board, drawing, one, titleOf }}
            editable={shown.editable}
            acts={{
              close: () => change({ dismissed: ui.selected }),
              goTo: (key) => goTo(key),
              open: acts.open,
              menu: acts.menu,
              addDependency: acts.pickDependency,
              removeDependency: acts.undepend,
            }}
          />
        )}
      </div>
      <Summary {...{ board, drawing, titleOf }} task={tasks.get(ui.whatIf ?? '')} />
    </div>
  );
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

/** Enter and Space are a button's own; an edge is one too, and takes them as a task does. */
function isButton({ target, key }: KeyboardEvent): boolean {
  return (key === 'Enter' || key === ' ') && target instanceof HTMLButtonElement;
}

/** The node that the Tab key comes to; a finished task stands in the one that it folded into. */
function stopOf({ tasks, folded, waves }: PlanDrawing, selected: string | undefined) {
  if (selected === FOLDED && folded.length > 0) return FOLDED;
  if (tasks.some(({ task }) => task.key === selected)) return selected;
  if (selected !== undefined && folded.includes(selected)) return FOLDED;
  const now = waves.find(({ title }) => title === 'Now') ?? waves[0];
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

/** Where everything stands. It is computed anew only where something would stand elsewhere. */
function useLayout(drawing: PlanDrawing, wanted: boolean, byWave: boolean): PlanLayout | undefined {
  const [dagre, setDagre] = useState<Dagre>();
  const twoLines = useMemo(() => measureTitles(), []);
  const last = useRef<{ readonly of: string; readonly layout: PlanLayout } | undefined>(undefined);
  useLayoutEffect(() => {
    if (wanted && dagre === undefined) void loadDagre().then((loaded) => setDagre(() => loaded));
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

/** Goes to a node with keyboard and view, also once it is drawn. */
function useGoTo(
  root: RefObject<HTMLDivElement | null>,
  viewport: RefObject<Viewport | null>,
  around: {
    readonly layout: PlanLayout | undefined;
    readonly stop: string | undefined;
    readonly selected: string | undefined;
    readonly wanted: string | undefined;
    readonly setUi: (part: Partial<GraphUi>) => void;
  },
): GoTo {
  const { layout, stop, selected, wanted } = around;
  const waiting = useRef<string | undefined>(undefined);
  /** the node that had the keyboard last */
  const held = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    waiting.current = wanted;
    if (wanted !== undefined) around.setUi({ selected: wanted });
  }, [wanted]);
  useLayoutEffect(() => {
    const follow = ({ target }: FocusEvent) => {
      held.current = (target as Element).closest<HTMLElement>('[data-node]')?.dataset['node'];
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
    waiting.current = undefined;
    const box = layout?.boxes.get(key);
    node.focus({ preventScroll: box !== undefined });
    if (box !== undefined) viewport.current?.reveal(box);
  });
  void selected;
  return useCallback((key) => {
    waiting.current = key;
    around.setUi({ selected: key, edge: undefined });
  }, []);
}

type Acts = GraphActs & {
  readonly undepend: (edge: Dependency) => void;
  readonly pickDependency: (key: string) => void;
  readonly dropDependency: (key: string) => void;
};

/** What is done with tasks and edges, by pointer or key. */
function useActs(
  { board, deps }: GraphProps & { readonly board: Board },
  tasks: ReadonlyMap<string, Task>,
  {
    change,
    goTo,
    root,
  }: {
    readonly change: (part: Partial<GraphUi>) => void;
    readonly goTo: GoTo;
    readonly root: RefObject<HTMLDivElement | null>;
  },
): Acts {
  return useMemo(() => {
    const { intents, tell } = deps;
    const with_ = (key: string, run: (task: Task) => void) => {
      const task = tasks.get(key);
      if (task !== undefined) run(task);
    };
    const written = async (done: Promise<boolean>, sentence: string) => {
      if (await done) tell(sentence);
    };
    return {
      select: (key) => change({ selected: key, edge: undefined }),
      show: () => change({ dismissed: undefined }),
      selectEdge: (edge) => change({ edge, selected: undefined }),
      open: (key, newTab) => with_(key, (task) => intents.open(board, task, newTab)),
      menu: (key, anchor) => {
        if (anchor instanceof MouseEvent) anchor.preventDefault();
        with_(key, (task) => intents.taskMenu(board, task, anchor, {}));
      },
      tick: (key) => with_(key, (task) => intents.tick(board, task)),
      unfold: () => change({ toggles: { ...FIRST_TOGGLES, finished: true } }),
      point: (key) => change({ whatIf: key }),
      depend: ({ task: key, on }) =>
        with_(key, (task) =>
          with_(on, (other) => {
            const said = `Dependency added. ${task.title} now waits for ${other.title}.`;
            void written(intents.dependOn(board, task, other), said);
          }),
        ),
      undepend: ({ task: key, on }) =>
        with_(key, (task) => {
          const other = tasks.get(on) ?? { id: on, line: 0, title: on };
          const said = `Dependency removed. ${task.title} no longer waits for ${other.title}.`;
          const inside = root.current?.ownerDocument.activeElement;
          // The edge that has the keyboard goes.
          if (inside?.closest('[data-edge]') !== null) goTo(key);
          else change({ edge: undefined });
          void written(intents.undependOn(board, task, other), said);
        }),
      pickDependency: (key) => with_(key, (task) => intents.depend(board, task)),
      dropDependency: (key) => with_(key, (task) => intents.undepend(board, task)),
    };
  }, [board, deps, tasks, change, goTo, root]);
}

interface KeyContext {
  readonly ui: GraphUi;
  readonly shown: GraphShown;
  readonly layout: PlanLayout | undefined;
  readonly asList: boolean;
  readonly acts: Acts;
  readonly goTo: GoTo;
  readonly change: (part: Partial<GraphUi>) => void;
  readonly viewport: RefObject<Viewport | null>;
  readonly root: RefObject<HTMLDivElement | null>;
  readonly tasks: ReadonlyMap<string, Task>;
}

function keyActs(
  { app, board, deps }: GraphProps & { readonly board: Board },
  context: KeyContext,
): KeyActs {
  const { ui, shown, layout, acts, goTo, change, viewport, root, tasks } = context;
  const { intents } = deps;
  const { drawing, editable, stop, titleOf } = shown;
  const at = tasks.get(ui.selected ?? '');
  const go = (way: GraphWay) => {
    const { edge } = ui;
    const from = ui.selected ?? stop;
    if (edge !== undefined) return goTo(way === 'after' ? edge.task : edge.on);
    if (from === undefined) return;
    const next = context.asList
      ? listNode(drawing, from, way)
      : layout && nextNode(layout, drawing, from, way);
    if (next !== undefined) goTo(next);
  };
  const whatIfKey = () => {
    if (at === undefined) return;
    const again = ui.whatIf === at.key;
    change({ whatIf: again ? undefined : at.key });
    if (!again) deps.tell(whatIfWords(board, at, titleOf));
  };
  const anchor = at && nodeElement(root.current, at.key);
  const edits = (run: () => void) => () => editable && run();
  return {
    ...{ go, whatIf: whatIfKey },
    zoom: (by) => zoom(viewport.current, layout, by),
    find: () => root.current?.querySelector<HTMLElement>('input[type=search]')?.focus(),
    keys: () => showGraphKeys(app),
    undo: (again) => (again ? intents.redo() : intents.undo()),
    escape: () => change({ whatIf: undefined, edge: undefined, dismissed: ui.selected }),
    task: at && {
      open: () => intents.open(board, at, false),
      openInTab: () => intents.open(board, at, true),
      tick: edits(() => intents.tick(board, at)),
      status: edits(() => anchor && intents.statusMenu(board, at, anchor)),
      depend: edits(() => acts.pickDependency(at.key)),
      undepend: edits(() => acts.dropDependency(at.key)),
      menu: () => anchor && acts.menu(at.key, anchor),
      remove: edits(() => intents.remove(board, at)),
    },
    edge: ui.edge && { remove: edits(() => ui.edge && acts.undepend(ui.edge)) },
  };
}

function zoom(
  viewport: Viewport | null,
  layout: PlanLayout | undefined,
  by: 'in' | 'out' | 'fit',
): void {
  if (by === 'fit') {
    if (layout !== undefined) viewport?.fit(layout);
  } else viewport?.zoom(by === 'in' ? ZOOM_STEP : 1 / ZOOM_STEP);
}

/** The critical path in words, and what holds the plan up; what would follow, while that is asked. */
function Summary(props: {
  readonly board: Board;
  readonly drawing: PlanDrawing;
  readonly titleOf: TitleOf;
  readonly task: Task | undefined;
}) {
  const { board, drawing, titleOf, task } = props;
  const { path, inOrder, stuck } = summaryWords(drawing, titleOf);
  return (
    <div class="atb-graph-summary">
      {task === undefined ? (
        <>
          <span title={inOrder}>{path}</span>
          <span class="atb-unseen">{inOrder}</span>
          {stuck !== undefined && <span class="atb-graph-held">{stuck}</span>}
        </>
      ) : (
        <span>{whatIfWords(board, task, titleOf)}</span>
      )}
    </div>
  );
}

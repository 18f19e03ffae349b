import { markChecked } from '../../core/board/task-display';
import type { RefObject } from 'preact';
import { useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { waitPath } from '../../core/board/graph/cycles';
import type { Board } from '../../core/board/task';
import type { Intents } from '../board/intents';
import { RenameField } from '../sidebar/row-views';
import { Icon, StatusCheckbox } from '../ui/icon';
import type { Anchor } from '../ui/menu';
import { edgeWords, nodeFacts, nodeName, outsideTitle, type TitleOf } from './graph-words';
import { TWO_LINE_HEIGHT, type Box, type PlacedEdge, type PlanLayout } from './layout';
import {
  FOLDED_KEY,
  isOutsideKey,
  type Dependency,
  type DrawnTask,
  type OutsideTask,
  type PlanDrawing,
} from './plan-drawing';
import { followPointers, Viewport, type LinkDrag } from './viewport';
import { t } from '../language/text';
import { plainLine } from '../ui/text';

/** Actions on the drawn nodes and edges. */
export interface GraphActions {
  readonly intents: Pick<Intents, 'rename' | 'offerLostText'>;
  /** The field for the title of a task was closed; `back`: the focus returns to the task. */
  readonly edited: (key: string, back: boolean) => void;
  readonly select: (key: string) => void;
  /** Reopens the panel of the selected task. */
  readonly show: () => void;
  readonly selectEdge: (edge: Dependency) => void;
  readonly open: (key: string, newTab: boolean) => void;
  readonly menu: (key: string, anchor: Anchor) => void;
  readonly tick: (key: string) => void;
  readonly unfold: () => void;
  /** The pointer moved to a task, or off all tasks. */
  readonly hover: (key: string | undefined) => void;
  readonly depend: (edge: Dependency) => void;
}

export interface ShownGraph {
  readonly board: Board;
  readonly drawing: PlanDrawing;
  readonly titleOf: TitleOf;
  readonly today: string;
  readonly editable: boolean;
  /** key of the selected node */
  readonly selected: string | undefined;
  /** key of the node that is the tab stop */
  readonly stop: string | undefined;
  readonly edge: Dependency | undefined;
  /** key of the task that is being renamed */
  readonly editing: string | undefined;
  /** keys of the tasks that the search found */
  readonly found: ReadonlySet<string>;
  /** keys of tasks that could start if the task in question were done */
  readonly wouldBeReady: ReadonlySet<string>;
}

/** Smallest initial scale: a large graph is cut off rather than too small to read. */
const MIN_INITIAL_SCALE = 0.8;

interface CanvasProps {
  readonly shown: ShownGraph;
  readonly layout: PlanLayout;
  readonly acts: GraphActions;
  readonly viewport: RefObject<Viewport | null>;
  readonly onScale: (scale: number) => void;
}

/** The drawn plan: nodes and frames above lines. */
export function GraphCanvas(props: CanvasProps) {
  const { shown, layout, acts } = props;
  const { board, drawing, selected, stop } = shown;
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLDivElement>(null);
  const hovered = useRef<string | undefined>(undefined);
  useViewport(frame, canvas, props);
  useKeepPosition(layout, props.viewport, [hovered.current, selected]);
  useLayoutEffect(() => {
    for (const node of canvas.current?.querySelectorAll<HTMLElement>('[data-node]') ?? []) {
      node.toggleAttribute('data-then', shown.wouldBeReady.has(node.dataset['node'] ?? ''));
    }
  });
  const folded = layout.boxes.get(FOLDED_KEY);
  const hover = (key: string | undefined, type = 'mouse') => {
    if (key === hovered.current) return;
    hovered.current = key;
    if (type === 'mouse') acts.hover(key);
  };
  return (
    <div
      class="atb-graph-frame"
      ref={frame}
      role="application"
      aria-label={t('graph.graphOf', { title: board.title })}
      onPointerOver={({ target, pointerType }) => {
        const node = (target as Element).closest<HTMLElement>('[data-node]');
        hover(node?.dataset['node'], pointerType);
      }}
      onPointerLeave={() => hover(undefined)}
    >
      <div
        class="atb-graph-canvas"
        ref={canvas}
        style={{ '--atb-width': `${layout.width}px`, '--atb-height': `${layout.height}px` }}
      >
        {layout.columns.map(({ title, x }) => (
          <div
            key={title}
            class="atb-graph-wave"
            style={{ '--atb-x': `${x}px` }}
            aria-hidden="true"
          >
            {title}
          </div>
        ))}
        {useEdges(props)}
        {folded && (
          <FoldedNode
            box={folded}
            count={drawing.folded.length}
            {...{ acts }}
            isStop={stop === FOLDED_KEY}
          />
        )}
        {drawing.outside.map((one) => (
          <OutsideNode
            key={one.key}
            {...{ one, acts }}
            box={layout.boxes.get(one.key)}
            isStop={stop === one.key}
          />
        ))}
        {useNodes(props)}
      </div>
    </div>
  );
}

/** The edges, memoized until something about them changes. */
function useEdges({ shown: { edge, selected, titleOf }, layout, acts }: CanvasProps) {
  return useMemo(
    () => <Edges {...{ layout, edge, selected, titleOf }} onSelect={acts.selectEdge} />,
    [layout, edge, selected, titleOf, acts],
  );
}

/** The nodes, memoized so that moving the pointer does not redraw them. */
function useNodes({ shown, layout, acts }: CanvasProps) {
  const { board, drawing, selected, stop, editable, editing, found, today, titleOf } = shown;
  const frames = useMemo(() => new Set(drawing.tasks.map((one) => one.frame)), [drawing]);
  return useMemo(
    () =>
      drawing.tasks.map((one) => {
        const { key } = one.task;
        const box = layout.boxes.get(key);
        return (
          box && (
            <Node
              key={key}
              {...{ one, box, board, acts, today, editable }}
              isFrame={frames.has(key)}
              name={nodeName(one, today)}
              about={edgeWords(one, board, titleOf)}
              state={selected === key ? 'selected' : stop === key ? 'stop' : 'none'}
              found={found.has(key)}
              editing={editing === key}
            />
          )
        );
      }),
    [
      ...[drawing, layout, board, frames, selected, stop, editable, editing, found, today],
      ...[acts, titleOf],
    ],
  );
}

function useViewport(
  frame: RefObject<HTMLDivElement | null>,
  canvas: RefObject<HTMLDivElement | null>,
  props: CanvasProps,
): void {
  const now = useRef(props);
  now.current = props;
  useLayoutEffect(() => {
    if (frame.current === null || canvas.current === null) return undefined;
    const { layout, viewport: place, onScale } = now.current;
    const viewport = new Viewport(frame.current, canvas.current, onScale);
    place.current = viewport;
    viewport.fit(layout, MIN_INITIAL_SCALE);
    const link = (from: string) => startLink(from, frame.current, now.current);
    const undo = followPointers(frame.current, viewport, link);
    return () => {
      place.current = null;
      undo();
    };
  }, [frame, canvas]);
}

/**
 * Keeps a node in place when the layout changes: the first visible one of `preferred`, else any visible
 * one.
 */
function useKeepPosition(
  layout: PlanLayout,
  viewport: RefObject<Viewport | null>,
  preferred: readonly (string | undefined)[],
): void {
  const last = useRef(layout);
  useLayoutEffect(() => {
    const before = last.current;
    last.current = layout;
    const at = viewport.current;
    if (before === layout || at === null) return;
    const seen = (key: string | undefined): key is string => {
      const box = before.boxes.get(key ?? '');
      return box !== undefined && layout.boxes.has(key ?? '') && at.isVisible(box);
    };
    const key = [...preferred, ...before.boxes.keys()].find(seen);
    const [was, is] = [before.boxes.get(key ?? ''), layout.boxes.get(key ?? '')];
    if (was !== undefined && is !== undefined) at.keepInPlace(was, is);
  });
}

/**
 * Starts a drag that draws a line to the pointer, and marks whether the task under it may depend on
 * `from`.
 */
function startLink(
  from: string,
  frame: HTMLElement | null,
  { shown: { board, editable }, layout, acts }: CanvasProps,
): LinkDrag | undefined {
  const line = frame?.querySelector('.atb-graph-link');
  const start = layout.boxes.get(from);
  if (!editable || !line || start === undefined) return undefined;
  let marked: Element | null = null;
  const mark = (over: string | undefined) => {
    marked?.removeAttribute('data-drop');
    marked = over === undefined || over === from ? null : nodeElement(frame, over);
    const closes = over !== undefined && waitPath(board, over, [from]) !== undefined;
    marked?.setAttribute('data-drop', closes ? 'no' : 'yes');
  };
  return {
    move: ({ x, y }, over) => {
      line.setAttribute('d', `M${start.x + start.width} ${start.y + start.height / 2}L${x} ${y}`);
      mark(over);
    },
    end: (over) => {
      line.setAttribute('d', '');
      mark(undefined);
      if (over !== undefined && over !== from && over !== FOLDED_KEY)
        acts.depend({ task: over, on: from });
    },
  };
}

export function nodeElement(within: Element | null, key: string): HTMLElement | null {
  return within?.querySelector<HTMLElement>(`[data-node="${CSS.escape(key)}"]`) ?? null;
}

function Edges(props: {
  readonly layout: PlanLayout;
  readonly edge: Dependency | undefined;
  readonly selected: string | undefined;
  readonly titleOf: TitleOf;
  readonly onSelect: (edge: Dependency) => void;
}) {
  const { layout, edge, selected } = props;
  // Critical edges are drawn above the others.
  const edges = [...layout.edges].sort((a, b) => Number(a.critical) - Number(b.critical));
  return (
    <svg class="atb-graph-edges" width={layout.width} height={layout.height}>
      {edges.map((one) => (
        <Edge
          key={`${one.from}\n${one.to}`}
          one={one}
          isSelected={edge?.on === one.from && edge.task === one.to}
          isNear={one.from === selected || one.to === selected}
          {...props}
        />
      ))}
      <path class="atb-graph-link" d="" />
    </svg>
  );
}

function Edge(props: {
  readonly one: PlacedEdge;
  readonly isSelected: boolean;
  /** ends at the selected task */
  readonly isNear: boolean;
  readonly titleOf: TitleOf;
  readonly onSelect: (edge: Dependency) => void;
}) {
  const { one, isSelected, titleOf } = props;
  const { from, to, line, tip } = one;
  const arrow = (
    <path
      class="atb-graph-tip"
      d={`M${tip.x - 8} ${tip.y - 4}L${tip.x} ${tip.y}L${tip.x - 8} ${tip.y + 4}z`}
    />
  );
  const drawn = (
    <>
      <path class="atb-graph-line" d={line} />
      {arrow}
    </>
  );
  if (from === FOLDED_KEY || isOutsideKey(from)) {
    return (
      <g class="atb-graph-edge" data-outside={isOutsideKey(from)} data-near={props.isNear}>
        {drawn}
      </g>
    );
  }
  const select = () => props.onSelect({ task: to, on: from });
  return (
    <g
      class="atb-graph-edge"
      data-edge={`${from} ${to}`}
      data-critical={one.critical}
      data-near={props.isNear}
      role="button"
      tabindex={-1}
      aria-label={t('graph.toWaitsForFrom', { to: titleOf(to), from: titleOf(from) })}
      aria-pressed={isSelected}
      onClick={select}
    >
      <path class="atb-graph-hit" d={line} />
      {drawn}
    </g>
  );
}

function Node(props: {
  readonly one: DrawnTask;
  readonly box: Box;
  readonly isFrame: boolean;
  readonly name: string;
  readonly about: string;
  readonly state: 'selected' | 'stop' | 'none';
  readonly found: boolean;
  readonly editing: boolean;
  readonly today: string;
  readonly editable: boolean;
  readonly board: Board;
  readonly acts: GraphActions;
}) {
  const { one, box, acts, state } = props;
  const { key } = one.task;
  const title = plainLine(one.task.title);
  const lines = box.height >= TWO_LINE_HEIGHT ? 2 : 1;
  const about = useId();
  return (
    <div
      class={`atb-graph-node${props.isFrame ? ' atb-graph-parent' : ''}`}
      role="group"
      aria-label={props.name}
      aria-describedby={about}
      aria-current={state === 'selected' ? 'true' : undefined}
      tabIndex={state === 'none' ? -1 : 0}
      title={title}
      data-node={key}
      data-state={one.mark}
      data-critical={one.critical}
      data-stuck={one.stuck.length > 0}
      data-found={props.found}
      style={boxStyle(box)}
      onFocus={() => acts.select(key)}
      onClick={acts.show}
      onDblClick={() => acts.open(key, false)}
      onContextMenu={(event) => acts.menu(key, event)}
    >
      <StatusCheckbox
        state={one.mark}
        checked={markChecked(one.mark)}
        label={title}
        disabled={!props.editable}
        onTick={() => acts.tick(key)}
      />
      <span class="atb-graph-words">
        <GraphTitle {...props} {...{ lines }} /> <NodeFacts {...{ one }} today={props.today} />
      </span>
      <span hidden id={about}>
        {props.about}
      </span>
      {props.editable && <span class="atb-graph-handle" data-handle={key} aria-hidden="true" />}
    </div>
  );
}

/** The title of a task, or the field in its place while it is renamed. */
export function GraphTitle(props: {
  readonly one: DrawnTask;
  readonly board: Board;
  readonly editing: boolean;
  readonly lines?: number;
  readonly acts: GraphActions;
}) {
  const { one, board, editing, acts } = props;
  const { task, mark } = one;
  if (editing) {
    return (
      <RenameField
        {...{ board, task, intents: acts.intents }}
        onClose={(back) => acts.edited(task.key, back)}
      />
    );
  }
  return (
    <span class="atb-graph-title" data-state={mark} style={{ '--atb-lines': props.lines }}>
      {plainLine(task.title)}
    </span>
  );
}

function NodeFacts({ one, today }: { readonly one: DrawnTask; readonly today: string }) {
  return (
    <span class="atb-graph-facts">
      {nodeFacts(one, today).map(({ icon, text }) => (
        <span key={text} class="atb-fact">
          {icon !== null && <Icon name={icon} />}
          {text}
        </span>
      ))}
      <span class="atb-graph-then">{t('graph.couldStart')}</span>
    </span>
  );
}

function boxStyle({ x, y, width, height }: Box): Record<string, string> {
  return {
    ...{ '--atb-x': `${x}px`, '--atb-y': `${y}px` },
    ...{ '--atb-width': `${width}px`, '--atb-height': `${height}px` },
  };
}

function FoldedNode(props: {
  readonly box: Box;
  readonly count: number;
  readonly isStop: boolean;
  readonly acts: GraphActions;
}) {
  const { box, count, acts } = props;
  return (
    <button
      type="button"
      class="atb-graph-node atb-graph-folded"
      data-node={FOLDED_KEY}
      aria-expanded="false"
      tabIndex={props.isStop ? 0 : -1}
      style={boxStyle(box)}
      onFocus={() => acts.select(FOLDED_KEY)}
      onClick={acts.unfold}
    >
      <span class="atb-mark" data-state="completed" aria-hidden="true" />
      {t('graph.finishedCount', { count })}
      <Icon name="chevron-right" />
    </button>
  );
}

/** A task of another plan: a click opens its note. */
function OutsideNode(props: {
  readonly one: OutsideTask;
  readonly box: Box | undefined;
  readonly isStop: boolean;
  readonly acts: GraphActions;
}) {
  const { one, box, acts } = props;
  if (box === undefined) return null;
  return (
    <button
      type="button"
      class="atb-graph-node atb-graph-folded atb-graph-outside"
      data-node={one.key}
      title={outsideTitle(one)}
      tabIndex={props.isStop ? 0 : -1}
      style={boxStyle(box)}
      onFocus={() => acts.select(one.key)}
      onClick={(event) => acts.open(one.key, event.ctrlKey || event.metaKey)}
    >
      <span class="atb-mark" data-state={one.mark} aria-hidden="true" />
      <OutsideWords {...one} lines={box.height >= TWO_LINE_HEIGHT ? 2 : 1} />
    </button>
  );
}

/** The title of a task of another plan, and that plan. */
export function OutsideWords({
  title,
  plan,
  mark,
  lines,
}: OutsideTask & { readonly lines?: number }) {
  return (
    <span class="atb-graph-words">
      <span class="atb-graph-title" data-state={mark} style={{ '--atb-lines': lines }}>
        {plainLine(title)}
      </span>{' '}
      <span class="atb-graph-facts">
        <span class="atb-fact">
          <Icon name="messages-square" />
          {plan}
        </span>
      </span>
      <span class="atb-unseen">{t('graph.neverHoldsUpHere')}</span>
    </span>
  );
}

import {
  FOLDED_KEY,
  isOutsideKey,
  waveTitle,
  type DrawnEdge,
  type DrawnTask,
  type PlanDrawing,
} from './plan-drawing';

/** A graph of dagre: nodes and edges with labels, into which `layout` writes their positions. */
interface DagreGraph {
  setGraph(label: object): unknown;
  setDefaultEdgeLabel(label: () => object): unknown;
  setNode(key: string, label: object): unknown;
  setEdge(from: string, to: string): unknown;
  nodes(): readonly string[];
  edges(): readonly { readonly v: string; readonly w: string }[];
  node(key: string): unknown;
  edge(from: string, to: string): unknown;
}

/** The parts of dagre that are used. It is loaded when the first graph opens. */
export interface Dagre {
  readonly layout: (graph: DagreGraph) => unknown;
  readonly Graph: new (options: object) => DagreGraph;
}

export async function loadDagre(): Promise<Dagre> {
  return await import('@dagrejs/dagre');
}

/** A rectangle in px, measured from the inline start: the right edge in right-to-left text. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface PlacedEdge extends DrawnEdge {
  /** the line as the `d` of an SVG path; its arrow ends at `tip` */
  readonly line: string;
  readonly tip: { readonly x: number; readonly y: number };
}

export interface PlanLayout {
  /** by key, including `FOLDED_KEY` */
  readonly boxes: ReadonlyMap<string, Box>;
  readonly edges: readonly PlacedEdge[];
  readonly columns: readonly { readonly title: string; readonly x: number }[];
  readonly width: number;
  readonly height: number;
}

const NODE = { width: 216, height: 52 };
/** height in px of a node whose title has two lines */
export const TWO_LINE_HEIGHT = 70;
const FOLDED_NODE = { width: 140, height: 44 };
/** px of a frame above and around its contents */
const FRAME_HEAD = 60;
const FRAME_PADDING = 8;
/** height in px of the waves' titles above the graph */
const COLUMN_TITLE_HEIGHT = 40;
const ARROW_LENGTH = 7;
/** a position where no node is */
const OFFSCREEN_POINT = { x: -1e6, y: -1e6 };
/** px between two waves */
const RANKSEP = 56;

/**
 * Lays out a plan. Each frame is laid out by itself and is one node in its parent's layout, since
 * dagre can't end an edge at a frame.
 * @param twoLines whether a title needs two lines
 */
export function layoutPlan(
  drawing: PlanDrawing,
  dagre: Dagre,
  twoLines: (title: string) => boolean,
  byWave = true,
): PlanLayout {
  const plan = new FrameTree(drawing);
  const top = layoutLevel(plan, null, { dagre, twoLines, byWave });
  const boxes = new Map<string, Box>();
  const routes = new Map<string, Route>();
  placeAbsolutely(top, { x: 0, y: byWave ? COLUMN_TITLE_HEIGHT : 0 }, boxes, routes);
  const edges = drawing.edges.flatMap((edge) => {
    const lifted = plan.lift(edge);
    const route = lifted && routes.get(routeId(lifted.from, lifted.to));
    return placedEdge(edge, boxes, route ?? [], arrowOffset(edge, drawing.edges, boxes));
  });
  const columns = byWave ? columnsOf(top, plan.lastWave) : [];
  return {
    boxes,
    edges,
    columns,
    width: top.width,
    height: top.height + (byWave ? COLUMN_TITLE_HEIGHT : 0),
  };
}

/**
 * The tasks of each frame and of the top level, and the edges between them. An edge between parts
 * of them is drawn between the members themselves.
 */
class FrameTree {
  private readonly tasks: ReadonlyMap<string, DrawnTask>;
  private readonly membersByFrame = new Map<string | null, string[]>();
  private readonly edgesByFrame = new Map<string | null, Map<string, DrawnEdge>>();
  /** titles of the tasks of other plans */
  private readonly titles: ReadonlyMap<string, string>;
  /** the wave after all others, for tasks that have none */
  readonly lastWave: number;

  constructor(drawing: PlanDrawing) {
    this.tasks = new Map(drawing.tasks.map((one) => [one.task.key, one]));
    this.lastWave = Math.max(0, ...drawing.tasks.map(({ wave }) => wave ?? 0)) + 1;
    const others = drawing.outside.map(({ key }) => key);
    if (drawing.folded.length > 0) others.push(FOLDED_KEY);
    if (others.length > 0) this.membersByFrame.set(null, others);
    this.titles = new Map(drawing.outside.map(({ key, title }) => [key, title]));
    for (const { frame, task } of drawing.tasks) {
      const members = this.membersByFrame.get(frame);
      if (members === undefined) this.membersByFrame.set(frame, [task.key]);
      else members.push(task.key);
    }
    for (const edge of drawing.edges) {
      const lifted = this.lift(edge);
      if (lifted === undefined) continue;
      const edges = this.edgesByFrame.get(lifted.frame) ?? new Map<string, DrawnEdge>();
      edges.set(routeId(lifted.from, lifted.to), { ...edge, ...lifted });
      this.edgesByFrame.set(lifted.frame, edges);
    }
  }

  members(frame: string | null): readonly string[] {
    return this.membersByFrame.get(frame) ?? [];
  }

  /** undefined for the node of the folded tasks */
  title(key: string): string | undefined {
    return this.tasks.get(key)?.task.title ?? this.titles.get(key);
  }

  edges(frame: string | null): readonly DrawnEdge[] {
    return [...(this.edgesByFrame.get(frame)?.values() ?? [])];
  }

  /** Moves the ends of an edge up to the members of the innermost frame that contains both. */
  lift({
    from,
    to,
  }: DrawnEdge): (Pick<DrawnEdge, 'from' | 'to'> & { frame: string | null }) | undefined {
    const [one, other] = [this.pathTo(from), this.pathTo(to)];
    const at = one.findIndex((key, index) => key !== other[index]);
    const [start, end] = [one[at], other[at]];
    if (start === undefined || end === undefined) return undefined;
    return { from: start, to: end, frame: at === 0 ? null : (one[at - 1] ?? null) };
  }

  /**
   * Ranks of a frame's members by wave. A nested frame ranks by its first open member; a finished
   * task ranks before the tasks that waited for it, and tasks of other plans before all others.
   */
  ranks(frame: string | null): ReadonlyMap<string, number> {
    const edges = this.edges(frame);
    const members = this.members(frame);
    const ranks = new Map(members.map((key) => [key, this.firstWave(key)]));
    const finished = (key: string) => key === FOLDED_KEY || this.tasks.get(key)?.wave === 0;
    const inFrame = Math.min(
      ...members.filter((key) => !finished(key)).map((key) => ranks.get(key) ?? 0),
    );
    const early = members.filter(finished);
    for (const key of early) ranks.set(key, frame === null || inFrame === Infinity ? 0 : inFrame);
    // Each round places one more link of a chain of finished tasks.
    for (let round = 0, moved = true; moved && round < early.length; round += 1) {
      moved = false;
      for (const { from, to } of edges) {
        const [own = 0, next = 0] = [ranks.get(from), ranks.get(to)];
        if (!finished(from) || own < next) continue;
        ranks.set(from, next - 1);
        moved = true;
      }
    }
    const before = Math.min(...ranks.values()) - 1;
    for (const key of members) if (isOutsideKey(key)) ranks.set(key, before);
    return ranks;
  }

  private firstWave(key: string): number {
    const inside = this.members(key).filter((one) => this.tasks.get(one)?.wave !== 0);
    const own = this.tasks.get(key)?.wave ?? this.lastWave;
    return Math.min(own, ...inside.map((one) => this.firstWave(one)));
  }

  private pathTo(key: string): readonly string[] {
    const path = [key];
    for (let at = this.tasks.get(key)?.frame; at; at = this.tasks.get(at)?.frame) path.unshift(at);
    return path;
  }
}

/** Where an edge crosses the columns between its ends: a straight line across each. */
type Route = readonly { readonly from: number; readonly to: number; readonly y: number }[];

interface Level {
  readonly boxes: ReadonlyMap<string, Box>;
  readonly inner: ReadonlyMap<string, Level>;
  readonly routes: ReadonlyMap<string, Route>;
  readonly ranks: ReadonlyMap<string, number>;
  readonly width: number;
  readonly height: number;
}

interface LayoutOptions {
  readonly dagre: Dagre;
  readonly twoLines: (title: string) => boolean;
  readonly byWave: boolean;
}

function layoutLevel(plan: FrameTree, frame: string | null, options: LayoutOptions): Level {
  const { Graph, layout } = options.dagre;
  const members = plan.members(frame);
  const ranks = plan.ranks(frame);
  const inner = new Map<string, Level>();
  const graph = new Graph({ directed: true });
  // dagre requests two ranks per step and halves their distance, to have room for labels of edges.
  // There are none, so each wave is one rank: that saves a node for each rank that an edge crosses.
  const byWave = (of: DagreGraph) => {
    const before = Math.min(0, ...ranks.values()) - 1;
    for (const key of of.nodes())
      Object.assign(of.node(key) as object, { rank: ranks.get(key) ?? before });
    // dagre expects a point on each edge, but creates none for an edge that crosses no rank.
    for (const { v, w } of of.edges())
      Object.assign(of.edge(v, w) as object, { points: [OFFSCREEN_POINT] });
  };
  const ranking = options.byWave
    ? { ranker: byWave, ranksep: 2 * RANKSEP }
    : { ranker: 'tight-tree', ranksep: RANKSEP };
  graph.setGraph({ rankdir: 'LR', rankalign: 'top', nodesep: 24, edgesep: 16, ...ranking });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const key of members) {
    if (plan.members(key).length > 0) inner.set(key, layoutLevel(plan, key, options));
    graph.setNode(key, { ...sizeOf(plan.title(key), inner.get(key), options) });
  }
  const edges = plan
    .edges(frame)
    .filter(({ from, to }) => (ranks.get(from) ?? 0) < (ranks.get(to) ?? 0));
  for (const { from, to } of edges) graph.setEdge(from, to);
  layout(graph);
  const boxes = boxesOf(graph, members);
  const routes = new Map(
    edges.map(({ from, to }) => [routeId(from, to), routeOf(graph, { from, to }, ranks, boxes)]),
  );
  const all = [...boxes.values()];
  const width = Math.max(0, ...all.map((box) => box.x + box.width));
  return {
    boxes,
    inner,
    routes,
    ranks,
    width,
    height: Math.max(0, ...all.map((box) => box.y + box.height)),
  };
}

function sizeOf(title: string | undefined, inner: Level | undefined, { twoLines }: LayoutOptions) {
  if (title === undefined) return FOLDED_NODE;
  const height = twoLines(title) ? TWO_LINE_HEIGHT : NODE.height;
  if (inner === undefined) return { width: NODE.width, height };
  const head = height - NODE.height + FRAME_HEAD;
  return {
    width: Math.max(NODE.width, inner.width) + 2 * FRAME_PADDING,
    height: head + inner.height + FRAME_PADDING,
  };
}

interface DagreNode {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function boxesOf(graph: DagreGraph, members: readonly string[]): ReadonlyMap<string, Box> {
  const boxes = members.map((key): [string, Box] => {
    const { x, y, width, height } = graph.node(key) as DagreNode;
    return [key, { x: x - width / 2, y: y - height / 2, width, height }];
  });
  const left = Math.min(...boxes.map(([, { x }]) => x));
  const top = Math.min(...boxes.map(([, { y }]) => y));
  return new Map(boxes.map(([key, box]) => [key, { ...box, x: box.x - left, y: box.y - top }]));
}

/**
 * The route of an edge through the columns between its ends, from the points that dagre placed
 * there.
 */
function routeOf(
  graph: DagreGraph,
  { from, to }: Pick<DrawnEdge, 'from' | 'to'>,
  ranks: ReadonlyMap<string, number>,
  boxes: ReadonlyMap<string, Box>,
): Route {
  const { points = [] } = graph.edge(from, to) as { points?: readonly { x: number; y: number }[] };
  const node = graph.node(from) as DagreNode;
  const start = boxes.get(from);
  if (start === undefined) return [];
  const [left, top] = [node.x - node.width / 2 - start.x, node.y - node.height / 2 - start.y];
  const [first = 0, last = 0] = [ranks.get(from), ranks.get(to)];
  const between = new Set([...ranks.values()].filter((rank) => rank > first && rank < last));
  return [...between]
    .sort((a, b) => a - b)
    .flatMap((rank) => {
      const column = [...boxes].filter(([key]) => ranks.get(key) === rank).map(([, box]) => box);
      const begin = Math.min(...column.map(({ x }) => x));
      const end = Math.max(...column.map(({ x, width }) => x + width));
      const point = points.find(({ x }) => x - left >= begin && x - left <= end);
      return point === undefined ? [] : [{ from: begin, to: end, y: point.y - top }];
    });
}

function placeAbsolutely(
  level: Level,
  at: { readonly x: number; readonly y: number },
  boxes: Map<string, Box>,
  routes: Map<string, Route>,
): void {
  for (const [key, box] of level.boxes) {
    const placed = { ...box, x: at.x + box.x, y: at.y + box.y };
    boxes.set(key, placed);
    const inner = level.inner.get(key);
    if (inner === undefined) continue;
    placeAbsolutely(
      inner,
      { x: placed.x + FRAME_PADDING, y: placed.y + box.height - FRAME_PADDING - inner.height },
      boxes,
      routes,
    );
  }
  for (const [id, route] of level.routes) {
    routes.set(
      id,
      route.map(({ from, to, y }) => ({ from: from + at.x, to: to + at.x, y: y + at.y })),
    );
  }
}

function routeId(from: string, to: string): string {
  return `${from}\n${to}`;
}

/**
 * Vertical offset of an edge's arrow: arrows into one node end side by side, in the order of their
 * lines.
 */
function arrowOffset(
  { from, to }: DrawnEdge,
  edges: readonly DrawnEdge[],
  boxes: ReadonlyMap<string, Box>,
): number {
  const into = edges.filter((edge) => edge.to === to);
  const middle = (key: string) => (boxes.get(key)?.y ?? 0) + (boxes.get(key)?.height ?? 0) / 2;
  const sorted = [...into].sort((a, b) => middle(a.from) - middle(b.from));
  const at = sorted.findIndex((edge) => edge.from === from);
  const step = Math.min(10, 28 / Math.max(1, into.length));
  return (at - (into.length - 1) / 2) * step;
}

function placedEdge(
  edge: DrawnEdge,
  boxes: ReadonlyMap<string, Box>,
  route: Route,
  shift: number,
): readonly PlacedEdge[] {
  const [start, end] = [boxes.get(edge.from), boxes.get(edge.to)];
  if (start === undefined || end === undefined) return [];
  const tip = { x: end.x, y: end.y + end.height / 2 + shift };
  let [x, y] = [start.x + start.width, start.y + start.height / 2];
  let line = `M${x} ${y}`;
  const curve = (toX: number, toY: number) => {
    const half = Math.max(16, Math.abs(toX - x) / 2);
    line += `C${x + half} ${y} ${toX - half} ${toY} ${toX} ${toY}`;
    [x, y] = [toX, toY];
  };
  for (const across of route) {
    curve(across.from, across.y);
    line += `H${across.to}`;
    x = across.to;
  }
  curve(tip.x - ARROW_LENGTH, tip.y);
  return [{ ...edge, line, tip }];
}

function columnsOf(top: Level, last: number): PlanLayout['columns'] {
  const starts = new Map<string, number>();
  for (const [key, { x }] of top.boxes) {
    const rank = top.ranks.get(key) ?? 0;
    const title = waveTitle(isOutsideKey(key) ? -Infinity : rank === last ? Infinity : rank);
    starts.set(title, Math.min(x, starts.get(title) ?? Infinity));
  }
  return [...starts].map(([title, x]) => ({ title, x }));
}

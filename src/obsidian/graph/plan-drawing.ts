import { withoutArchived } from '../../core/board/archive/archived-numbers';
import { boardFacts, isFinished } from '../../core/board/facts';
import { cycles } from '../../core/board/graph/cycles';
import { topologicalOrder, planGraph, type PlanGraph } from '../../core/board/graph/plan-graph';
import { criticalTasks, schedule, waves } from '../../core/board/graph/schedule';
import { stuckTasks, type StuckCause } from '../../core/board/graph/stuck-tasks';
import type { Board, Task } from '../../core/board/task';
import { markState, type MarkState } from '../../core/board/task-display';
import { t } from '../language/text';

/** The person's choices of what to show of a plan. */
export interface GraphToggles {
  readonly critical: boolean;
  readonly waves: boolean;
  readonly finished: boolean;
  readonly cancelled: boolean;
}

export const DEFAULT_TOGGLES: GraphToggles = {
  critical: true,
  waves: true,
  finished: false,
  cancelled: false,
};

/** Plans with more tasks to draw than this are listed, and not exported as a picture. */
export const MAX_DRAWN = 500;

/** Key of the node that represents the finished tasks that are not drawn; no task has this key. */
export const FOLDED_KEY = 'finished tasks';

export interface DrawnTask {
  readonly task: Task;
  readonly mark: MarkState;
  /** 1: can be worked on now; 0: finished; null: waits for a cycle, so it has no wave */
  readonly wave: number | null;
  /** key of the task in whose frame it is drawn */
  readonly frame: string | null;
  readonly critical: boolean;
  /** empty if it can be finished */
  readonly stuck: readonly StuckCause[];
  /** as `TaskFacts` */
  readonly frees: number;
}

/** `to` waits for `from`; both are drawn. */
export interface DrawnEdge {
  readonly from: string;
  readonly to: string;
  readonly critical: boolean;
}

/** A dependency by the keys of both tasks: `task` waits for `on`. */
export interface Dependency {
  readonly task: string;
  readonly on: string;
}

/** A plan as a graph, without positions. Tasks are identified by key. */
export interface PlanDrawing {
  /** in the order of the note, so that a frame comes before its contents */
  readonly tasks: readonly DrawnTask[];
  readonly edges: readonly DrawnEdge[];
  /** tasks that can be worked on at the same time, wave by wave; those without a wave come last */
  readonly waves: readonly { readonly title: string; readonly tasks: readonly DrawnTask[] }[];
  /** finished tasks that are folded into one node */
  readonly folded: readonly string[];
  readonly open: number;
  readonly cancelled: number;
  readonly path: readonly string[];
  /** for each cycle, the dependencies of which one has to be removed */
  readonly cycles: readonly {
    readonly way: readonly string[];
    readonly edges: readonly Dependency[];
  }[];
}

export function planDrawing(board: Board, toggles: GraphToggles): PlanDrawing {
  const byKey = new Map(board.tasks.map((task) => [task.key, task]));
  const graph = planGraph(withoutArchived(board));
  const order = topologicalOrder(graph);
  const path = [...criticalTasks(board.tasks)];
  const shown = shownTasks(board, toggles, byKey);
  const waveOf = waveNumbers(graph, order);
  const facts = boardFacts(board);
  const stuck = stuckTasks(board);
  const critical = new Set(toggles.critical ? path : []);
  const tasks = board.tasks
    .filter(({ key }) => shown.has(key))
    .map((task): DrawnTask => {
      const { key } = task;
      return {
        task,
        mark: markState(task, facts.get(key)?.blocked === true),
        wave: isFinished(task) ? 0 : (waveOf.get(key) ?? null),
        frame: frameOf(task, shown, byKey),
        critical: critical.has(key),
        stuck: stuck.get(key) ?? [],
        frees: isFinished(task) ? 0 : (facts.get(key)?.frees ?? 0),
      };
    });
  const folded = board.tasks
    .filter(({ key, status }) => status === 'completed' && !shown.has(key))
    .map(({ key }) => key);
  return {
    ...{ tasks, folded, path },
    edges: edgesOf(tasks, new Set(folded), toggles.critical ? path : []),
    waves: groupByWave(tasks),
    open: board.tasks.filter((task) => !isFinished(task)).length,
    cancelled: board.tasks.filter(({ status }) => status === 'cancelled').length,
    cycles: cycles(graph, order).map((way) => {
      const keys = way.map((task) => graph.tasks[task]?.key ?? '');
      return { way: keys, edges: cycleEdges(keys, byKey) };
    }),
  };
}

type TasksByKey = ReadonlyMap<string, Task>;

/** The tasks to draw. Finished tasks are folded by default, except in the frame of an open task. */
function shownTasks(
  { tasks }: Board,
  { finished, cancelled }: GraphToggles,
  byKey: TasksByKey,
): ReadonlySet<string> {
  const shown = tasks.filter((task) => {
    if (task.status === 'cancelled') return cancelled;
    if (task.status !== 'completed' || finished) return true;
    return ancestors(task, byKey).some((one) => !isFinished(one));
  });
  return new Set(shown.map(({ key }) => key));
}

/** The ancestors of a task, the nearest first. */
function ancestors(task: Task, byKey: TasksByKey): readonly Task[] {
  const found: Task[] = [];
  for (let at = byKey.get(task.parent ?? ''); at; at = byKey.get(at.parent ?? '')) found.push(at);
  return found;
}

function frameOf(task: Task, shown: ReadonlySet<string>, byKey: TasksByKey): string | null {
  return ancestors(task, byKey).find(({ key }) => shown.has(key))?.key ?? null;
}

function waveNumbers(graph: PlanGraph, order: Int32Array): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  waves(graph, schedule(graph, order)).forEach((group, at) => {
    for (const task of group) numbers.set(graph.tasks[task]?.key ?? '', at + 1);
  });
  return numbers;
}

/** No edge is drawn between tasks without a wave, since they have no order. */
function edgesOf(
  tasks: readonly DrawnTask[],
  folded: ReadonlySet<string>,
  path: readonly string[],
): readonly DrawnEdge[] {
  const drawn = new Map(tasks.map((one) => [one.task.key, one]));
  const step = new Map(path.map((key, at) => [key, at]));
  return tasks.flatMap(({ task: { key: to, dependsOn }, wave }): readonly DrawnEdge[] => {
    const ends = new Set(dependsOn.map((id) => (folded.has(id) ? FOLDED_KEY : id)));
    return [...ends].flatMap((from) => {
      const start = drawn.get(from);
      if (from !== FOLDED_KEY && (start === undefined || (start.wave === null && wave === null)))
        return [];
      const [one, next] = [step.get(from), step.get(to)];
      return [{ from, to, critical: one !== undefined && next === one + 1 }];
    });
  });
}

function groupByWave(tasks: readonly DrawnTask[]): PlanDrawing['waves'] {
  const found = new Map<number, DrawnTask[]>();
  for (const one of tasks) {
    const at = one.wave ?? Infinity;
    const group = found.get(at);
    if (group === undefined) found.set(at, [one]);
    else group.push(one);
  }
  const inOrder = [...found].sort(([a], [b]) => a - b);
  return inOrder.map(([wave, all]) => ({ title: waveTitle(wave), tasks: all }));
}

/** @param wave as in `DrawnTask`; Infinity for tasks without a wave */
export function waveTitle(wave: number): string {
  if (wave === Infinity) return t('graph.cantStart');
  if (wave <= 0) return t('graph.finished');
  return wave === 1 ? t('graph.now') : t('graph.wave', { wave });
}

/**
 * The dependencies along a cycle that are written in the note. A subtask also waits for its
 * parents' dependencies.
 */
function cycleEdges(way: readonly string[], byKey: TasksByKey): readonly Dependency[] {
  return way.slice(0, -1).flatMap((key, at) => {
    const [task, on] = [byKey.get(key), way[at + 1] ?? ''];
    if (task === undefined) return [];
    const waits = [task, ...ancestors(task, byKey)].filter((one) => one.dependsOn.includes(on));
    return waits.map((one) => ({ task: one.key, on }));
  });
}

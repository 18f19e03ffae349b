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

const OUTSIDE = 'outside ';

/** Whether a node is a task of another plan; no task's key looks like that. */
export const isOutsideKey = (key: string) => key.startsWith(OUTSIDE);

/** A task of another plan that tasks here name in `waitsFor`; it blocks nothing. */
export interface OutsideTask {
  readonly key: string;
  readonly title: string;
  /** title of its plan, or its session as written if it is not found */
  readonly plan: string;
  readonly mark: MarkState;
  readonly at: { readonly board: Board; readonly task: Task } | undefined;
}

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

/** `to` waits for `from`, or names it if that is in another plan; both are drawn. */
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
  /** tasks of other plans that tasks here name */
  readonly outside: readonly OutsideTask[];
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

export function planDrawing(
  board: Board,
  toggles: GraphToggles,
  named: readonly OutsideTask[] = [],
): PlanDrawing {
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
  const shownNames = new Set(tasks.flatMap(({ task }) => outsideKeys(task)));
  const outside = named.filter(({ key }) => shownNames.has(key));
  return {
    ...{ tasks, folded, path },
    outside,
    edges: [
      ...edgesOf(tasks, new Set(folded), toggles.critical ? path : []),
      ...outside.flatMap(({ key: from }) =>
        tasks
          .filter(({ task }) => outsideKeys(task).includes(from))
          .map(({ task: { key: to } }) => ({ from, to, critical: false })),
      ),
    ],
    waves: groupByWave(tasks),
    open: board.tasks.filter((task) => !isFinished(task)).length,
    cancelled: board.tasks.filter(({ status }) => status === 'cancelled').length,
    cycles: cycles(graph, order).map((way) => {
      const keys = way.map((task) => graph.tasks[task]?.key ?? '');
      return { way: keys, edges: cycleEdges(keys, byKey) };
    }),
  };
}

/** The keys of the tasks of other plans that a task names. */
export function outsideKeys({ waitsFor }: Task): readonly string[] {
  const named = (waitsFor ?? '').split(',').map((one) => one.trim());
  return [...new Set(named)].flatMap((one) => (one === '' ? [] : `${OUTSIDE}${one}`));
}

/** Finds the tasks of other plans that the tasks of a board name. */
export function outsideTasks(board: Board, boards: readonly Board[]): readonly OutsideTask[] {
  return [...new Set(board.tasks.flatMap(outsideKeys))].map((key): OutsideTask => {
    const name = key.slice(OUTSIDE.length);
    const [session, id] = [
      name.slice(0, Math.max(0, name.lastIndexOf('/'))),
      name.slice(name.lastIndexOf('/') + 1),
    ];
    const found = boards.flatMap((one) => {
      const task = one.path === board.path ? undefined : one.tasks.find((other) => other.id === id);
      return task === undefined ? [] : [{ board: one, task }];
    });
    // A plan that goes on in another session takes its tasks and their ids along.
    const at = found.find((one) => one.board.session === session) ?? found[0];
    if (at === undefined) return { key, title: id, plan: session, mark: 'waiting', at };
    const blocked = boardFacts(at.board).get(at.task.key)?.blocked === true;
    const { title: plan } = at.board;
    return { key, title: at.task.title, plan, mark: markState(at.task, blocked), at };
  });
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

/** @param wave as in `DrawnTask`; Infinity for tasks without a wave, -Infinity for other plans' */
export function waveTitle(wave: number): string {
  if (wave === Infinity) return t('graph.cantStart');
  if (wave === -Infinity) return t('graph.otherSessions');
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

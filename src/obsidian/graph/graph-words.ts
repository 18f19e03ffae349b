import { boardFacts, isFinished } from '../../core/board/facts';
import { duration, nodeOrder, planGraph } from '../../core/board/graph/plan-graph';
import { planLength, schedule, slackOf, whatIf } from '../../core/board/graph/schedule';
import type { StuckCause } from '../../core/board/graph/stuck-tasks';
import { withoutArchived } from '../../core/board/archive/archived-numbers';
import type { Board, Task } from '../../core/board/task';
import { markWord } from '../../core/board/task-words';
import { countOf } from '../board/board-actions';
import { dayInWords } from '../session/state-line';
import type { DrawnTask, PlanDrawing } from './plan-drawing';

interface NodeFact {
  readonly icon: string | null;
  readonly text: string;
}

/** A number and the facts that fit: what stands in the way first. `today`: `YYYY-MM-DD`. */
export function nodeFacts({ task, stuck, frees }: DrawnTask, today: string): readonly NodeFact[] {
  const number = task.n === null ? [] : [{ icon: null, text: `#${task.n}` }];
  if (isFinished(task)) return number;
  const facts: NodeFact[] = [];
  if (task.status === 'failed') facts.push({ icon: null, text: task.reason ?? 'Failed' });
  if (stuck.length > 0) facts.push({ icon: 'ban', text: 'Stuck' });
  if (frees > 0) facts.push({ icon: 'lock-open', text: `Frees ${frees}` });
  if (['medium', 'high', 'critical'].includes(task.risk ?? '')) {
    facts.push({ icon: 'triangle-alert', text: `${capital(task.risk ?? '')} risk` });
  }
  if (task.owner === 'me') facts.push({ icon: 'user-round', text: 'You' });
  if (task.due !== null) {
    facts.push({ icon: 'calendar', text: capital(dayInWords(task.due, today)) });
  }
  return [...number, ...facts.slice(0, 2)];
}

export function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** The accessible name: first what the node shows, then its state. */
export function nodeName(one: DrawnTask, today: string): string {
  const shown = [one.task.title, ...nodeFacts(one, today).map(({ text }) => text)].join(' ');
  return [shown, markWord(one.mark).toLowerCase(), ...(one.critical ? ['critical path'] : [])].join(
    ', ',
  );
}

/** "waits for Build the inverted index"; empty where it waits for nothing that is open */
export function waitsWords({ task }: DrawnTask, board: Board, titleOf: TitleOf): string {
  const on = boardFacts(board).get(task.key)?.blockedBy ?? [];
  const never = task.waitsFor === null ? [] : [`${task.waitsFor} never holds up this task`];
  const waits = on.length > 0 && !isFinished(task) ? [`waits for ${listed(on.map(titleOf))}`] : [];
  return [...waits, ...never].join('; ');
}

/** "waits for Build the inverted index; frees 2" */
export function edgeWords(one: DrawnTask, board: Board, titleOf: TitleOf): string {
  const waits = waitsWords(one, board, titleOf);
  return [...(waits === '' ? [] : [waits]), ...(one.frees > 0 ? [`frees ${one.frees}`] : [])].join(
    '; ',
  );
}

/** The title of a task by its key; the id itself where there is none. */
export type TitleOf = (key: string) => string;

export function titlesOf(tasks: ReadonlyMap<string, Task>): TitleOf {
  return (key) => tasks.get(key)?.title ?? key;
}

/** "a", "a and b", "a, b and c" */
export function listed(titles: readonly string[]): string {
  const last = titles.at(-1) ?? '';
  return titles.length < 2 ? last : `${titles.slice(0, -1).join(', ')} and ${last}`;
}

/** What stands in the way of a task, and the way out. */
export function stuckWords(key: string, cause: StuckCause, titleOf: TitleOf): string {
  switch (cause.kind) {
    case 'failed':
      return `${titleOf(cause.task)} failed. Open it again, or cancel it.`;
    case 'missing': {
      const who = cause.task === key ? 'It' : titleOf(cause.task);
      return `${who} waits for ${cause.id}, which is not on this board. Remove that dependency, or bring the task back.`;
    }
    case 'cycle':
      return cycleWords(cause.way, titleOf);
  }
}

/** "A and B wait for each other. Remove one of the dependencies." */
export function cycleWords(way: readonly string[], titleOf: TitleOf): string {
  const titles = way.slice(0, -1).map(titleOf);
  if (titles.length === 1) return `${listed(titles)} waits for itself. Remove that dependency.`;
  return `${listed(titles)} wait for each other. Remove one of the dependencies.`;
}

/** What follows if a task alone is done, for a screen reader. */
export function whatIfWords(board: Board, { key, title }: Task, titleOf: TitleOf): string {
  const { makesReady, stillWait } = whatIf(board, key);
  const ready =
    makesReady.length === 0
      ? 'nothing else can be started'
      : `${listed(makesReady.map(titleOf))} can be started`;
  const rest = stillWait.length === 0 ? '' : ` ${stillWords(board, key, stillWait, titleOf)}`;
  return `When ${title} is done, ${ready}.${rest}`;
}

/** "Measure on 10,000 notes still waits for Choose a sample vault." */
export function stillWords(
  board: Board,
  key: string,
  stillWait: readonly string[],
  titleOf: TitleOf,
): string {
  const facts = boardFacts(board);
  return stillWait
    .map((one) => {
      const others = (facts.get(one)?.blockedBy ?? []).filter((id) => id !== key);
      const on = others.length === 0 ? 'a task above it' : listed(others.map(titleOf));
      return `${titleOf(one)} still waits for ${on}.`;
    })
    .join(' ');
}

/** Figures of one task within the plan, as pairs of a name and a value. */
export function pathFacts(
  board: Board,
  drawing: Pick<PlanDrawing, 'path'>,
  task: Task,
): readonly (readonly [string, string])[] {
  const graph = planGraph(withoutArchived(board));
  const plan = schedule(graph, nodeOrder(graph));
  const node = graph.index.get(task.key) ?? -1;
  const placed = !isFinished(task) && (plan.end[node] ?? -1) >= 0;
  const slack = placed ? slackOf(graph, plan, planLength(graph, plan), node) : undefined;
  const at = drawing.path.indexOf(task.key);
  const behind = dependents(board, task.key);
  return [
    ['Critical path', at < 0 ? 'Not on it' : `${at + 1} of ${drawing.path.length}`],
    ['Slack', slack === undefined ? 'Not known' : slackWords(slack, graph.unit)],
    [
      'Bottleneck',
      behind === 0
        ? 'No task depends on it'
        : `${countOf(behind, 'task')} ${behind === 1 ? 'depends' : 'depend'} on it`,
    ],
    ['Risk', task.risk === null ? 'Not assessed' : capital(task.risk)],
  ];
}

function slackWords(slack: number, unit: 'tasks' | 'minutes'): string {
  if (slack <= 0) return 'None';
  return unit === 'minutes' ? duration(slack) : countOf(slack, 'task');
}

/** Open tasks that wait for a task, directly or by others. */
function dependents({ tasks }: Pick<Board, 'tasks'>, key: string): number {
  const waiting = new Set<string>([key]);
  for (const at of waiting) {
    for (const one of tasks) {
      if (!isFinished(one) && one.dependsOn.includes(at)) waiting.add(one.key);
    }
  }
  return waiting.size - 1;
}

/** The line below the graph: the critical path, and what holds the plan up. */
export function summaryWords(
  { path, tasks, open }: PlanDrawing,
  titleOf: TitleOf,
): { readonly path: string; readonly inOrder: string; readonly stuck: string | undefined } {
  const end = path.at(-1);
  const stuck = tasks.filter((one) => one.stuck.length > 0);
  const failed = new Set(
    stuck.flatMap(({ stuck: causes }) =>
      causes.flatMap((one) => (one.kind === 'failed' ? [one.task] : [])),
    ),
  );
  const by =
    failed.size === 0
      ? ''
      : `${countOf(failed.size, 'failed task')} ${failed.size === 1 ? 'holds' : 'hold'} it up: ${listed([...failed].map(titleOf))}`;
  const count = stuck.length === 0 ? '' : `${countOf(stuck.length, 'task')} can’t be finished`;
  return {
    path:
      end === undefined
        ? `${countOf(open, 'open task')}, none waits for another`
        : `Critical path: ${countOf(path.length, 'task')} left, ends with ${titleOf(end)}`,
    inOrder: path.length === 0 ? '' : `In order: ${path.map(titleOf).join(', ')}.`,
    stuck: stuck.length === 0 ? undefined : [count, ...(by === '' ? [] : [by])].join(' · '),
  };
}

import { boardFacts, isFinished } from '../../core/board/facts';
import { topologicalOrder, planGraph } from '../../core/board/graph/plan-graph';
import { planLength, schedule, slackOf, whatIf } from '../../core/board/graph/schedule';
import type { StuckCause } from '../../core/board/graph/stuck-tasks';
import { withoutArchived } from '../../core/board/archive/archived-numbers';
import type { Board, Task } from '../../core/board/task';
import { dayLabel } from '../session/state-line';
import { outsideKeys, type DrawnTask, type OutsideTask, type PlanDrawing } from './plan-drawing';
import { listed } from '../language/listed';
import { COMMA, t } from '../language/text';
import { workTime, plainLine } from '../ui/text';

interface NodeFact {
  readonly icon: string | null;
  readonly text: string;
}

const RISKS = ['low', 'medium', 'high', 'critical'] as const;

/** The task's number and at most two facts, blocking ones first. `today`: `YYYY-MM-DD`. */
export function nodeFacts({ task, stuck, frees }: DrawnTask, today: string): readonly NodeFact[] {
  const number = task.n === null ? [] : [{ icon: null, text: `#${task.n}` }];
  if (isFinished(task)) return number;
  const facts: NodeFact[] = [];
  if (task.status === 'failed') facts.push({ icon: null, text: task.reason ?? t('graph.failed') });
  if (stuck.length > 0) facts.push({ icon: 'ban', text: t('graph.stuck') });
  if (frees > 0) facts.push({ icon: 'lock-open', text: t('boardView.freesFrees', { frees }) });
  const risk = RISKS.find((one) => one === task.risk);
  if (risk !== undefined && risk !== 'low') {
    facts.push({ icon: 'triangle-alert', text: t(`risk.${risk}`) });
  }
  if (task.owner === 'me') facts.push({ icon: 'user-round', text: t('common.you') });
  if (task.due !== null) {
    facts.push({ icon: 'calendar', text: dayLabel(task.due, today) });
  }
  return [...number, ...facts.slice(0, 2)];
}

/** The accessible name: first what the node shows, then its status. */
export function nodeName(one: DrawnTask, today: string): string {
  const shown = [plainLine(one.task.title), ...nodeFacts(one, today).map(({ text }) => text)].join(
    ' ',
  );
  return [
    shown,
    t(`markInside.${one.mark}`),
    ...(one.critical ? [t('graph.onCriticalPath')] : []),
  ].join(COMMA);
}

/** "waits for Build the inverted index"; empty if it waits for no open task */
export function waitsWords({ task }: DrawnTask, board: Board, titleOf: TitleOf): string {
  const on = boardFacts(board).get(task.key)?.blockedBy ?? [];
  const never = outsideKeys(task).map((key) => t('graph.neverHoldsUp', { task: titleOf(key) }));
  const waits =
    on.length > 0 && !isFinished(task)
      ? [t('graph.waitsForTitles', { titles: listed(on.map(titleOf)) })]
      : [];
  return [...waits, ...never].join('; ');
}

/** "waits for Build the inverted index; frees 2" */
export function edgeWords(one: DrawnTask, board: Board, titleOf: TitleOf): string {
  const waits = waitsWords(one, board, titleOf);
  return [
    ...(waits === '' ? [] : [waits]),
    ...(one.frees > 0 ? [t('graph.freesLower', { frees: one.frees })] : []),
  ].join('; ');
}

/** The title of a task by its key, with its plan if that is another; else the key itself. */
export type TitleOf = (key: string) => string;

export function titleLookup(
  tasks: ReadonlyMap<string, Task>,
  outside: readonly OutsideTask[] = [],
): TitleOf {
  const others = new Map(outside.map((one) => [one.key, outsideTitle(one)]));
  return (key) => others.get(key) ?? plainLine(tasks.get(key)?.title ?? key);
}

/** "Publish the beta (Release notes)" */
export function outsideTitle({ title, plan }: OutsideTask): string {
  return plan === '' ? title : t('graph.taskOfPlan', { task: plainLine(title), plan });
}

/** What blocks a task, and how to resolve that. */
export function stuckWords(key: string, cause: StuckCause, titleOf: TitleOf): string {
  switch (cause.kind) {
    case 'failed':
      return t('graph.taskFailed', { task: titleOf(cause.task) });
    case 'missing':
      return cause.task === key
        ? t('graph.waitsForMissing', { id: cause.id })
        : t('graph.otherWaitsForMissing', { task: titleOf(cause.task), id: cause.id });
    case 'cycle':
      return cycleWords(cause.way, titleOf);
  }
}

/** "A and B wait for each other. Remove one of the dependencies." */
export function cycleWords(way: readonly string[], titleOf: TitleOf): string {
  const tasks = way.slice(0, -1).map(titleOf);
  const titles = listed(tasks);
  return t(tasks.length === 1 ? 'graph.waitsForItself' : 'graph.waitForEachOther', { titles });
}

/** What follows if only this task is done, for a screen reader. */
export function whatIfWords(board: Board, { key, title }: Task, titleOf: TitleOf): string {
  const { makesReady, stillWait } = whatIf(board, key);
  const ready =
    makesReady.length === 0
      ? t('graph.whenDoneNothing', { title })
      : t('graph.whenDoneReady', { title, tasks: listed(makesReady.map(titleOf)) });
  const rest = stillWait.length === 0 ? [] : [stillWaitingWords(board, key, stillWait, titleOf)];
  return [ready, ...rest].join(' ');
}

/** "Measure on 10,000 notes still waits for Choose a sample vault." */
export function stillWaitingWords(
  board: Board,
  key: string,
  stillWait: readonly string[],
  titleOf: TitleOf,
): string {
  const facts = boardFacts(board);
  return stillWait
    .map((one) => {
      const others = (facts.get(one)?.blockedBy ?? []).filter((id) => id !== key);
      const task = titleOf(one);
      return others.length === 0
        ? t('graph.stillWaitsAbove', { task })
        : t('graph.stillWaitsFor', { task, on: listed(others.map(titleOf)) });
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
  const plan = schedule(graph, topologicalOrder(graph));
  const node = graph.index.get(task.key) ?? -1;
  const placed = !isFinished(task) && (plan.end[node] ?? -1) >= 0;
  const slack = placed ? slackOf(graph, plan, planLength(graph, plan), node) : undefined;
  const at = drawing.path.indexOf(task.key);
  const dependentCount = dependents(board, task.key);
  const risk = RISKS.find((one) => one === task.risk);
  return [
    [
      t('boardView.criticalPath'),
      at < 0 ? t('graph.notOnIt') : t('graph.placeOf', { place: at + 1, of: drawing.path.length }),
    ],
    [t('graph.slack'), slack === undefined ? t('graph.notKnown') : slackWords(slack, graph.unit)],
    [
      t('graph.bottleneck'),
      dependentCount === 0
        ? t('graph.noTaskDependsOnIt')
        : t('graph.dependOnIt', { count: dependentCount }),
    ],
    [
      t('graph.risk'),
      risk === undefined ? (task.risk ?? t('graph.notAssessed')) : t(`riskLevel.${risk}`),
    ],
  ];
}

function slackWords(slack: number, unit: 'tasks' | 'minutes'): string {
  if (slack <= 0) return t('graph.none');
  return unit === 'minutes' ? workTime(slack) : t('common.tasks', { count: slack });
}

/** Number of open tasks that wait for a task, directly or indirectly. */
function dependents({ tasks }: Pick<Board, 'tasks'>, key: string): number {
  const waiting = new Set<string>([key]);
  for (const at of waiting) {
    for (const one of tasks) {
      if (!isFinished(one) && one.dependsOn.includes(at)) waiting.add(one.key);
    }
  }
  return waiting.size - 1;
}

/** The line below the graph: the critical path, and what blocks the plan. */
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
      : t('graph.heldUpBy', { count: failed.size, titles: listed([...failed].map(titleOf)) });
  const count = stuck.length === 0 ? '' : t('graph.stuckCount', { count: stuck.length });
  return {
    path:
      end === undefined
        ? t('graph.noneWaits', { count: open })
        : t('graph.pathLeft', { count: path.length, end: titleOf(end) }),
    inOrder: path.length === 0 ? '' : t('graph.inOrder', { titles: path.map(titleOf).join(COMMA) }),
    stuck: stuck.length === 0 ? undefined : [count, ...(by === '' ? [] : [by])].join(' · '),
  };
}

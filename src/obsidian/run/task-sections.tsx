import { plainLine, workTime } from '../ui/text';
import { COMMA, figure, t } from '../language/text';
import { stepsOf, type RunView } from '../../core/orchestrator/runs';
import type { Step } from '../../core/orchestrator/state';
import { RunButtons, type RunIntent } from './run-intent';
import { RunRow, RunSection, TaskBody, useTruncatedList, type RunProps } from './section';
import { canRetry, doneTasks, knownRun } from './run-words';
import { stepButtons } from './step-choices';
import type { Board, Task } from '../../core/board/task';
import {
  startableTasks,
  type PlanSnapshot,
  type PlannedTask,
} from '../../core/orchestrator/plan-snapshot';
import { Icon } from '../ui/icon';
import { boardFacts } from '../../core/board/facts';
import { MAX_CRITERIA, criteriaLimitFault } from '../../core/orchestrator/verdict';
import { markState, type MarkState } from '../../core/board/task-display';
import { readCompletionLines } from '../../core/board/note/task-block';
import { reasonLine } from '../model/row-words';

/** The tasks that are being worked on. Those that wait for the person have cards. */
export function NowSection({ view, now, onDo }: RunProps) {
  const run = knownRun(view);
  const steps = stepsOf(view).filter((step) => !canRetry(step));
  if (run === undefined || steps.length === 0) return null;
  const { attempts, parallel } = run.wish.limits;
  return (
    <RunSection name={t('run.now')} aside={t('run.ofMost', { n: steps.length, most: parallel })}>
      <ul class="atb-run-list">
        {steps.map((step) => (
          <li key={step.task} data-task={step.task}>
            <RunRow
              id={`now ${step.task}`}
              class="atb-run-task"
              title={step.title}
              onClick={() => onDo({ kind: 'board', task: step.task })}
            >
              <TaskBody
                mark="in_progress"
                title={step.title}
                text={stepWords(step, attempts, run.wish.agent)}
              />
              <span class="atb-count">
                {workTime(Math.max(0, Math.floor((now - step.since) / 60_000)))}
              </span>
            </RunRow>
            <div class="atb-run-under">
              <RunButtons buttons={stepButtons(step)} onDo={onDo} />
            </div>
          </li>
        ))}
      </ul>
    </RunSection>
  );
}

/** "Attempt 1 of 3 · explore · Checking" */
function stepWords(step: Step, attempts: number, planner: string): string {
  const { doing } = step;
  const turn = doing.kind === 'work' || doing.kind === 'check' ? doing.turn : undefined;
  const parts = [
    t('run.attemptOf', { n: step.attempt, of: attempts }),
    plainLine(step.agent ?? planner),
  ];
  if (doing.kind === 'saving') parts.push(t('run.creatingACheckpointFirst'));
  if (doing.kind === 'check') parts.push(t('run.checking'));
  if (doing.kind === 'work' && doing.turn.kind === 'due') parts.push(t('run.waitsForItsTurn'));
  if (turn?.kind === 'working' && turn.stop !== null) parts.push(t('run.stopping'));
  return parts.join(' · ');
}

/**
 * A section with the first tasks of a list of the plan; the rest is counted, and shown on request.
 */
export function PlanSection(props: {
  readonly name: string;
  readonly tasks: readonly PlannedTask[];
  readonly board: Board | undefined;
  readonly most: number;
  /** whether the heading says how many are shown */
  readonly counts?: boolean;
  readonly onDo: (intent: RunIntent) => void;
}) {
  const { name, tasks, most, board, onDo } = props;
  const [shown, more] = useTruncatedList(tasks, most, (count) => t('run.showMoreTasks', { count }));
  if (tasks.length === 0) return null;
  const counts = t('run.ofMost', { n: shown.length, most: tasks.length });
  return (
    <RunSection name={name} aside={props.counts === true ? counts : undefined}>
      <RowList listId={name} rows={shown.map((task) => planRow(task, board))} onDo={onDo} />
      {more}
    </RunSection>
  );
}

/**
 * Tasks as rows that open them on their board. @param props.of distinguishes the lists of one panel
 */
function RowList(props: {
  readonly listId: string;
  readonly rows: readonly PlanRow[];
  readonly onDo: (intent: RunIntent) => void;
}) {
  return (
    <ul class="atb-run-list">
      {props.rows.map(({ id, line, title, mark, text }) => (
        <li key={id ?? `@${line}`} data-task={id}>
          <RunRow
            id={`${props.listId} ${id ?? `@${line}`}`}
            class="atb-run-task"
            title={title}
            onClick={() => props.onDo({ kind: 'board', task: id })}
          >
            <TaskBody {...{ mark, title, text }} />
          </RunRow>
        </li>
      ))}
    </ul>
  );
}

/** Most hints that are drawn; the rest is counted. */
const MAX_HINTS = 8;

/** Hints to check before the plan is approved. */
export function HintSection({ hints }: { readonly hints: readonly PlanHint[] }) {
  if (hints.length === 0) return null;
  const left = hints.length - MAX_HINTS;
  return (
    <RunSection name={t('run.checkThePlan')}>
      <ul class="atb-run-list">
        {hints.slice(0, MAX_HINTS).map(({ icon, text }) => (
          <li class="atb-run-hint" key={text}>
            <Icon name={icon} />
            <span>{text}</span>
          </li>
        ))}
      </ul>
      {left > 0 && <p class="atb-run-none">{t('run.andMore', { count: left })}</p>}
    </RunSection>
  );
}

/** A hint about a plan before it is carried out. */
interface PlanHint {
  readonly icon: string;
  readonly text: string;
}

/** Finds what a person should check before approving a plan. */
export function checkPlan(look: PlanSnapshot, board: Board | undefined): readonly PlanHint[] {
  if (look.kind !== 'plan') return [];
  const open = look.tasks.filter(({ status }) => status !== 'completed' && status !== 'cancelled');
  const unchecked = open.filter(
    ({ success, approve, mine }) => success.length === 0 && !approve && !mine,
  );
  const hints = (fits: (one: PlannedTask) => boolean, icon: string, words: HintText) =>
    open.filter(fits).map((one) => ({ icon, text: words(one) }));
  return [
    ...open.flatMap((one) => riskHints(one, board)),
    ...hints(
      ({ success }) => criteriaLimitFault(success) !== undefined,
      'triangle-alert',
      ({ title, success }) =>
        t('run.tooManyToJudge', { title, count: success.length, most: MAX_CRITERIA }),
    ),
    ...hints(
      ({ owner }) => owner === 'me',
      'user-round',
      ({ title }) => t('run.yoursRunWillWait', { title }),
    ),
    ...hints(
      ({ approve }) => approve,
      'hand',
      ({ title }) => t('run.doneWhenYouApprove', { title }),
    ),
    ...(unchecked.length === 0
      ? []
      : [{ icon: 'list-checks', text: uncheckedWords(unchecked, open) }]),
  ];
}

type HintText = (one: PlannedTask) => string;

function riskHints(planned: PlannedTask, board: Board | undefined): PlanHint[] {
  const task = taskOfPlan(board, planned);
  if (board === undefined || task === undefined) return [];
  const { title, risk } = task;
  if (risk !== 'high' && risk !== 'critical') return [];
  const { children: count = 0 } = boardFacts(board).get(task.key) ?? {};
  const text =
    count === 0 ? t(`planRisk.${risk}`, { title }) : t(`splitRisk.${risk}`, { title, count });
  return [{ icon: 'triangle-alert', text }];
}

function uncheckedWords(unchecked: readonly PlannedTask[], open: readonly PlannedTask[]): string {
  const [only] = unchecked;
  const count = unchecked.length;
  if (count === 1) return t('run.oneUnchecked', { title: only?.title ?? '' });
  return count === open.length ? t('run.allUnchecked') : t('run.someUnchecked', { count });
}

/** A task of the plan as the panel lists it. */
interface PlanRow {
  readonly id: string | null;
  readonly line: number;
  readonly title: string;
  readonly mark: MarkState;
  /** the muted line under the title; may be empty */
  readonly text: string;
}

/** The task of the board that matches a task of the run's plan. */
function taskOfPlan(
  board: Board | undefined,
  { id, line, title }: Pick<PlannedTask, 'id' | 'line' | 'title'>,
): Task | undefined {
  return board?.tasks.find((one) =>
    id === null ? one.line === line && one.title === title : one.id === id,
  );
}

/** A row with details from the board: why the task waits, or what to know before it starts. */
function planRow(planned: PlannedTask, board: Board | undefined): PlanRow {
  const { id, line, title, status } = planned;
  const task = taskOfPlan(board, planned);
  if (board === undefined || task === undefined) {
    const mark = status === 'pending' ? (planned.startable ? 'ready' : 'waiting') : status;
    return { id, line, title, mark, text: planned.mine ? YOURS_TEXT : '' };
  }
  const facts = boardFacts(board);
  const own = facts.get(task.key);
  const mark = markState(task, own?.blocked === true);
  const byKey = new Map(board.tasks.map((one) => [one.key, one]));
  const reason = reasonLine(task, byKey, facts)?.text;
  const known = [riskWords(task), own?.children ? t('run.subtasks', { count: own.children }) : ''];
  const text = planned.mine ? YOURS_TEXT : (reason ?? joinNonEmpty(known));
  return { id, line, title, mark, text };
}

const YOURS_TEXT = t('run.yoursDoneWhenYouTickIt');

/** "High risk", or empty. */
function riskWords({ risk }: Task): string {
  return risk === 'high' || risk === 'critical' ? t(`risk.${risk}`) : '';
}

function joinNonEmpty(words: readonly string[]): string {
  return words.filter((one) => one !== '').join(COMMA);
}

const MAX_RESULTS = 10;

/** Results of the tasks that are done. */
export function ResultsSection(props: {
  readonly results: readonly PlanRow[];
  readonly onDo: (intent: RunIntent) => void;
}) {
  const { results } = props;
  const [shown, more] = useTruncatedList(results, MAX_RESULTS, (count) =>
    t('run.showMoreResults', { count }),
  );
  if (results.length === 0) return null;
  return (
    <RunSection name={t('run.results')} aside={figure(results.length)}>
      <RowList listId="result" rows={shown} onDo={props.onDo} />
      {more}
    </RunSection>
  );
}

/** Finished tasks: those of the run, newest first, then those completed otherwise. */
export function resultRows(view: RunView, board: Board | undefined): readonly PlanRow[] {
  const done = knownRun(view)?.done ?? [];
  if (view.plan.kind !== 'plan') {
    return done.toReversed().map(({ task, title, result }) => ({
      ...{ id: task, line: 0, title, text: result, mark: 'completed' },
    }));
  }
  const order = new Map(done.map(({ task }, at) => [task, at]));
  const resultById = new Map(done.map(({ task, result }) => [task, result]));
  const position = (id: string | null) => (id === null ? -1 : (order.get(id) ?? -1));
  return doneTasks(view)
    .map((planned) => {
      const task = taskOfPlan(board, planned);
      const onBoard = task === undefined ? undefined : readCompletionLines(task).results.at(-1);
      const { id, line, title } = planned;
      const text = onBoard ?? (id === null ? '' : (resultById.get(id) ?? ''));
      return { id, line, title, text, mark: 'completed' as const };
    })
    .sort((a, b) => position(b.id) - position(a.id));
}

/** Open tasks without a step: those that can start first, in the order of the run. */
export function nextTasks(look: PlanSnapshot, steps: readonly Step[]): readonly PlannedTask[] {
  if (look.kind !== 'plan') return [];
  const taken = new Set(steps.map(({ task }) => task));
  const first = startableTasks(look, taken);
  const known = new Set(first);
  const open = look.tasks.filter(
    (one) =>
      (one.status === 'pending' || one.status === 'in_progress') &&
      !known.has(one) &&
      !(one.id !== null && taken.has(one.id)),
  );
  return [...first, ...open.filter(({ mine }) => mine), ...open.filter(({ mine }) => !mine)];
}

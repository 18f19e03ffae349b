import { stepsOf, type RunView } from '../../core/orchestrator/runs';
import { attentionReasons, reasonCard } from './reason-card';
import {
  checkPlan,
  HintSection,
  nextTasks,
  NowSection,
  PlanSection,
  resultRows,
  ResultsSection,
} from './task-sections';
import { RunButtons, type RunIntent } from './run-intent';
import { LimitsSection, RunHead } from './run-head';
import { Roving, type RunProps } from './section';
import { activeRun, knownRun, plannedTasks } from './run-words';
import { TimelineSection } from './timeline-section';
import { Card } from '../ui/banner';
import { t } from '../language/text';
import { plainLine } from '../ui/text';

/** Most tasks that are shown of the next ones, and of a plan to be approved. */
const MAX_NEXT_TASKS = 4;

/** The whole panel of one run: its head, requests to the person, and its sections. */
export function RunBody(props: RunProps) {
  const { view, board, onDo } = props;
  // Also true while the run is paused before the approval.
  const approves = activeRun(view)?.stage.kind === 'approving';
  // The row that Tab reaches before any row was focused.
  const [step] = stepsOf(view);
  return (
    <Roving first={step && `now ${step.task}`}>
      <RunHead {...props} />
      <RunCards {...{ view, onDo }} />
      {approves ? <Approving {...props} /> : <Executing {...props} />}
      <ResultsSection results={resultRows(view, board)} onDo={onDo} />
      <TimelineSection {...props} />
    </Roving>
  );
}

function Approving({ view, board, onDo }: RunProps) {
  const tasks = plannedTasks(view);
  const run = knownRun(view);
  return (
    <>
      <PlanSection
        name={t('run.firstTasks')}
        counts
        most={MAX_NEXT_TASKS}
        {...{ tasks, board, onDo }}
      />
      <HintSection hints={checkPlan(view.plan, board)} />
      {run !== undefined && <LimitsSection limits={run.wish.limits} />}
    </>
  );
}

function Executing(props: RunProps) {
  const { view } = props;
  const ownTaskIds = new Set(
    attentionReasons(view).flatMap((why) => (why.kind === 'own' ? why.task.id : [])),
  );
  const open = activeRun(view) === undefined ? [] : nextTasks(view.plan, stepsOf(view));
  // Omits the person's tasks that have a card above.
  const tasks = open.filter(({ id, mine }) => !(mine && ownTaskIds.has(id)));
  return (
    <>
      <NowSection {...props} />
      <PlanSection name={t('run.next')} most={MAX_NEXT_TASKS} {...props} tasks={tasks} />
    </>
  );
}

/** Most cards that are drawn; the rest is counted. */
const MAX_CARDS = 20;

/** Cards for what needs the person, with buttons for what can be done about each. */
function RunCards({ view, onDo }: { view: RunView; onDo: (intent: RunIntent) => void }) {
  const reasons = attentionReasons(view);
  const left = reasons.length - MAX_CARDS;
  return (
    <>
      {reasons.slice(0, MAX_CARDS).map((why, at) => {
        const { key, title, icon, tone, text, buttons } = reasonCard(view, why);
        const task = 'task' in why ? (why.task?.id ?? null) : null;
        const primary = at === 0 && view.state.kind === 'waiting';
        return (
          <Card key={key} {...{ icon, tone, task }} name={title} class="atb-run-card">
            <div class="atb-run-card-title">{plainLine(title)}</div>
            {text !== '' && <div class="atb-card-text">{text}</div>}
            <RunButtons {...{ primary, buttons, onDo }} />
          </Card>
        );
      })}
      {left > 0 && <p class="atb-run-none">{t('run.andMore', { count: left })}</p>}
    </>
  );
}

import type { Board } from '../../core/board/task';
import type { RunView } from '../../core/orchestrator/runs';
import { attention } from './attention';
import { checkPlan } from './check-plan';
import type { Deed } from './deed';
import { LimitsSection } from './limits-section';
import { nextTasks } from './next-tasks';
import { NowSection } from './now-section';
import { HintSection, PlanSection } from './plan-section';
import { results } from './results';
import { ResultsSection } from './results-section';
import { Roving } from './roving';
import { RunCards } from './run-cards';
import { RunHead } from './run-head';
import { goingOf, runOf, stepsOf } from './run-of';
import { TimelineSection } from './timeline-section';

/** Tasks that are shown of those that come next, and of a plan that is to be approved. */
const NEXT = 4;

export interface RunBodyProps {
  readonly view: RunView;
  readonly board: Board | undefined;
  /** ms since the epoch */
  readonly now: number;
  readonly phone: boolean;
  readonly onDo: (deed: Deed) => void;
}

/** All of one run: its head, what needs the person, and its parts under their names. */
export function RunBody(props: RunBodyProps) {
  const { view, board, now, onDo } = props;
  return (
    <Roving first={firstRow(view)}>
      <RunHead {...{ view, now, onDo }} phone={props.phone} />
      <RunCards {...{ view, onDo }} />
      {approves(view) ? <Approving {...props} /> : <Executing {...props} />}
      <ResultsSection results={results(view, board)} onDo={onDo} />
      <TimelineSection {...{ view, board, now, onDo }} />
    </Roving>
  );
}

/** Also while it is paused before the approval. */
function approves(view: RunView): boolean {
  return goingOf(view)?.stage.kind === 'approving';
}

function Approving({ view, board, onDo }: RunBodyProps) {
  const { look } = view;
  const tasks = look.kind === 'plan' ? look.tasks : [];
  const run = runOf(view);
  return (
    <>
      <PlanSection name="First steps" counts most={NEXT} {...{ tasks, board, onDo }} />
      <HintSection hints={checkPlan(look, board)} />
      {run !== undefined && <LimitsSection limits={run.wish.limits} />}
    </>
  );
}

function Executing({ view, board, now, onDo }: RunBodyProps) {
  const asked = new Set(attention(view).flatMap((why) => (why.kind === 'own' ? why.task.id : [])));
  const open = goingOf(view) === undefined ? [] : nextTasks(view.look, stepsOf(view));
  // What has a card above stands there.
  const tasks = open.filter(({ id, mine }) => !(mine && asked.has(id)));
  return (
    <>
      <NowSection {...{ view, now, onDo }} />
      <PlanSection name="Next" most={NEXT} {...{ tasks, board, onDo }} />
    </>
  );
}

/** The row that the Tab key stops at before one was focused. */
function firstRow(view: RunView): string | undefined {
  const [step] = stepsOf(view);
  if (step !== undefined) return `now ${step.task}`;
  return undefined;
}

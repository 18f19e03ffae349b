import type { Board } from '../../core/board/task';
import { stepsOf, type RunView } from '../../core/orchestrator/runs';
import { attention, reasonCard } from './reason-card';
import {
  checkPlan,
  HintSection,
  nextTasks,
  NowSection,
  PlanSection,
  results,
  ResultsSection,
} from './task-sections';
import { RunButtons, type RunIntent } from './run-intent';
import { LimitsSection, RunHead } from './run-head';
import { Roving } from './section';
import { goingOf, knownRun } from './run-words';
import { TimelineSection } from './timeline-section';
import { count } from '../../core/orchestrator/run-words';
import { Card } from '../ui/banner';

/** Tasks that are shown of those that come next, and of a plan that is to be approved. */
const NEXT = 4;

interface RunBodyProps {
  readonly view: RunView;
  readonly board: Board | undefined;
  /** ms since the epoch */
  readonly now: number;
  readonly phone: boolean;
  readonly onDo: (deed: RunIntent) => void;
}

/** All of one run: its head, what needs the person, and its parts under their names. */
export function RunBody(props: RunBodyProps) {
  const { view, board, now, onDo } = props;
  return (
    <Roving first={firstRow(view)}>
      <RunHead {...{ view, board, now, onDo }} phone={props.phone} />
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
  const run = knownRun(view);
  return (
    <>
      <PlanSection name="First tasks" counts most={NEXT} {...{ tasks, board, onDo }} />
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

/** Cards that are drawn; the rest is counted. */
const MOST = 20;

/** What needs the person, each with what can be done about it. */
function RunCards(props: { readonly view: RunView; readonly onDo: (deed: RunIntent) => void }) {
  const { view, onDo } = props;
  const reasons = attention(view);
  const left = reasons.length - MOST;
  return (
    <>
      {reasons.slice(0, MOST).map((why, at) => {
        const card = reasonCard(view, why);
        const primary = at === 0 && view.state.kind === 'waiting';
        const { title, icon, tone, text, buttons } = card;
        return (
          <Card key={card.key} {...{ icon, tone }} name={title} class="atb-run-card">
            <div class="atb-run-card-title">{title}</div>
            {text !== '' && <div class="atb-card-text">{text}</div>}
            <RunButtons {...{ primary, buttons, onDo }} />
          </Card>
        );
      })}
      {left > 0 && <p class="atb-run-none">And {count(left)} more.</p>}
    </>
  );
}

import { useContext } from 'preact/hooks';
import type { Board } from '../../core/board/task';
import { stepsOf, takenTasks, withUnchecked, type RunView } from '../../core/orchestrator/runs';
import { Icon, Spinner } from '../ui/icon';
import { RunButtons, UnderWayContext, type RunIntent, type RunIntentButton } from './run-intent';
import { goingOf, knownRun, named, stateWords } from './run-words';
import { RunSection } from './section';
import { count, counted, leftWords, timeLeft } from '../../core/orchestrator/run-words';
import { stateName, type RunState, type StateName } from '../../core/orchestrator/state';
import { duration } from '../../core/board/graph/plan-graph';
import { planProgress, progressWords } from '../../core/board/plan-progress';
import type { Limits } from '../../core/orchestrator/limits';

/** Where the run stands, what it is for, and what it used of what it may. */
export function RunHead(props: {
  readonly view: RunView;
  readonly board: Board | undefined;
  /** ms since the epoch */
  readonly now: number;
  readonly phone: boolean;
  readonly onDo: (deed: RunIntent) => void;
}) {
  const { view, board, now } = props;
  const words = headWords(view);
  const doing = useContext(UnderWayContext);
  const estimate = estimateWords(view);
  const run = knownRun(view);
  const used = figures(view, board, now);
  const approving = view.state.kind === 'going' && view.state.stage.kind === 'approving';
  return (
    <div class="atb-run-head">
      <div class="atb-run-line">
        <div class="atb-run-state" role="status" data-tone={words.tone}>
          {doing !== undefined || words.icon === 'spinner' ? (
            <Spinner />
          ) : (
            <Icon name={words.icon} />
          )}
          <span>{doing ?? stateWords(view)}</span>
        </div>
        {estimate !== '' && <Estimate words={estimate} />}
      </div>
      {run !== undefined && <Goal goal={run.wish.goal} />}
      {words.text !== '' && <p class="atb-run-cause">{words.text}</p>}
      <RunButtons primary buttons={words.buttons} onDo={props.onDo} />
      {used !== undefined && !approving && <Used used={used} phone={props.phone} />}
    </div>
  );
}

/** How long is large; what says so stands quieter below it. */
function Estimate({ words }: { readonly words: string }) {
  const [long = words, ...from] = words.split(', ');
  return (
    <div class="atb-run-left">
      {long}
      {from.length > 0 && (
        <span class="atb-run-from">
          <span class="atb-unseen">, </span>
          {from.join(', ')}
        </span>
      )}
    </div>
  );
}

/** A long goal is cut to some lines; its title tells all of it. */
function Goal({ goal }: { readonly goal: string }) {
  return (
    <div class="atb-run-goal" title={goal}>
      {goal}
    </div>
  );
}

function Used({ used, phone }: { readonly used: Figures; readonly phone: boolean }) {
  const { done, total, lines } = used;
  const list = (
    <dl class="atb-run-figures">
      {lines.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
  return (
    <>
      <div
        class="atb-bar atb-run-bar"
        role="progressbar"
        aria-label={`Tasks, ${done} of ${total}`}
        aria-valuemin={0}
        aria-valuemax={Math.max(1, total)}
        aria-valuenow={done}
        aria-valuetext={`${done} of ${total}`}
      >
        <span style={{ width: `${total === 0 ? 0 : (100 * done) / total}%` }} />
      </div>
      {phone ? (
        <RunSection name="Limits" aside={lines[0]?.value} folded>
          {list}
        </RunSection>
      ) : (
        list
      )}
    </>
  );
}

/** What stands at the head of the panel under the state's word. */
interface HeadWords {
  /** `spinner`, or the name of an icon */
  readonly icon: string;
  readonly tone: 'plain' | 'error';
  /** its cause, where the cards below don't say it; may be empty */
  readonly text: string;
  readonly buttons: readonly RunIntentButton[];
}

const ICONS: Readonly<Record<StateName, string>> = {
  idle: 'circle-alert',
  planning: 'spinner',
  approving: 'hand',
  executing: 'spinner',
  validating: 'spinner',
  retrying: 'spinner',
  paused: 'circle-pause',
  waiting: 'hand',
  completed: 'circle-check',
  failed: 'circle-alert',
  cancelled: 'circle-slash',
};

/** Where nobody carries the run out, nothing turns. */
export function headWords(view: RunView): HeadWords {
  const name = stateName(view.state);
  const rests = view.by === 'nobody' || view.fault !== null;
  const icon = ICONS[name] === 'spinner' && rests ? 'circle-pause' : ICONS[name];
  const tone = name === 'failed' || name === 'idle' ? 'error' : 'plain';
  return { icon, tone, text: causeOf(view, name), buttons: buttonsOf(name) };
}

function causeOf(view: RunView, name: StateName): string {
  const { state, look } = view;
  const tasks = look.kind === 'plan' ? look.tasks : [];
  switch (name) {
    case 'idle':
      return 'The files of this run can’t be read.';
    case 'planning':
      return planningWords(view);
    case 'approving':
      return look.kind === 'unreadable'
        ? look.message
        : `The agent planned ${counted(tasks.length, 'task')}. Change the board as you like; the run starts from what it says when you approve.`;
    case 'validating':
      return `Another session is checking ${named(stepsOf(view).filter(({ doing }) => doing.kind === 'check'))}.`;
    case 'retrying':
      return retryWords(view);
    case 'paused':
      return 'No task starts until you resume. Turns that run are finished first.';
    case 'completed': {
      const total = tasks.filter(({ status }) => status !== 'cancelled').length;
      const done = tasks.filter(({ status }) => status === 'completed').length;
      return total === 0 ? '' : `${done} of ${counted(total, 'task')} done.`;
    }
    case 'failed':
      return state.kind === 'failed' ? failedWords(state) : '';
    case 'cancelled':
      return 'You cancelled it. The board stays as it is.';
    case 'executing':
    case 'waiting':
      return '';
  }
}

function failedWords({ reason, message }: Extract<RunState, { kind: 'failed' }>): string {
  return reason === 'no_plan' ? `No attempt made a plan. ${message}` : message;
}

function planningWords(view: RunView): string {
  const going = goingOf(view);
  if (going?.stage.kind !== 'planning') return '';
  const { attempt, wrong, doing } = going.stage;
  if (doing.kind === 'writing') return 'The plan came as text. It is put onto the board.';
  if (attempt === 1) return 'The agent makes the plan.';
  const { attempts } = going.run.wish.limits;
  return `Attempt ${attempt - 1} made no plan: ${wrong ?? ''} Trying again, ${attempt} of ${attempts}.`;
}

/** "Attempt 1 failed: 2 of 40 samples split wrongly. Trying again, 2 of 3." */
function retryWords(view: RunView): string {
  const attempts = goingOf(view)?.run.wish.limits.attempts ?? 0;
  const steps = stepsOf(view).filter(({ attempt, wrong }) => attempt > 1 && wrong !== null);
  return steps
    .map(({ attempt, wrong }) => {
      const why = (wrong ?? '').replace(/[.\s]+$/, '');
      return `Attempt ${attempt - 1} failed: ${why}. Trying again, ${attempt} of ${attempts}.`;
    })
    .join(' ');
}

function buttonsOf(name: StateName): readonly RunIntentButton[] {
  switch (name) {
    case 'approving':
      return [
        { label: 'Approve and run', deed: { kind: 'act', action: { type: 'approve' } } },
        { label: 'Open board', deed: { kind: 'board' } },
        { label: 'Ask for another plan…', deed: { kind: 'replan' }, quiet: true },
      ];
    case 'paused':
      return [{ label: 'Resume', deed: { kind: 'act', action: { type: 'resume' } } }];
    case 'completed':
    case 'failed':
    case 'cancelled':
      return [{ label: 'Start another run', deed: { kind: 'start' } }];
    case 'idle':
    case 'planning':
    case 'executing':
    case 'validating':
    case 'retrying':
    case 'waiting':
      return [];
  }
}

/** How long it still takes, and what says so; nothing where it is no question. */
export function estimateWords(view: RunView): string {
  const going = goingOf(view);
  // While it waits, how long it takes is the person's.
  if (going?.stage.kind !== 'executing' || going.kind === 'waiting') return '';
  return leftWords(timeLeft(view.look, going.run));
}

/** One line of what a run used of what it may. */
interface Figure {
  readonly name: string;
  readonly value: string;
}

interface Figures {
  /** tasks that are done, and all that count */
  readonly done: number;
  readonly total: number;
  readonly lines: readonly Figure[];
}

/** What a run used, against its limits. @param now ms since the epoch */
export function figures(view: RunView, board: Board | undefined, now: number): Figures | undefined {
  const run = knownRun(view);
  if (run === undefined) return undefined;
  const { used, wish } = run;
  const { limits } = wish;
  // What the agent calls done and the run has not let go of is not.
  const taken = takenTasks(view);
  const progress = board && planProgress(withUnchecked(board, taken === undefined ? [] : [taken]));
  const { completed: done = 0, counted: total = 0 } = progress ?? {};
  const rest = progress === undefined ? '' : progressWords(progress);
  const minutes = Math.floor((used.ms + sinceLast(view, now)) / 60_000);
  return {
    done,
    total,
    lines: [
      { name: 'Tasks', value: `${count(done)} of ${count(total)}` },
      ...(rest === '' ? [] : [{ name: 'Rest', value: rest }]),
      { name: 'Turns', value: `${count(used.turns)} of ${count(limits.turns)}` },
      { name: 'Tokens', value: `${short(used.tokens)} of ${short(limits.tokens)}` },
      { name: 'Time', value: `${duration(minutes)} of ${duration(limits.minutes)}` },
    ],
  };
}

/** What counts since the last event, which the run itself adds at its next one. */
function sinceLast({ state, by }: RunView, now: number): number {
  if (state.kind !== 'going' || state.stage.kind === 'approving' || by === 'nobody') return 0;
  return Math.max(0, now - state.run.at);
}

/** `960`, `182k`, `1.2M`. */
export function short(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  if (tokens < 999_500) return `${Math.round(tokens / 1_000)}k`;
  return `${(tokens / 1_000_000).toFixed(1).replace(/\.0$/, '')}M`;
}

/** What the run may use, before it begins. */
export function LimitsSection({ limits }: { readonly limits: Limits }) {
  const { turns, tokens, minutes, attempts, parallel } = limits;
  const lines = [
    ['At the same time', counted(parallel, 'task')],
    ['Attempts per task', count(attempts)],
    ['Turns', count(turns)],
    ['Tokens', short(tokens)],
    ['Time', duration(minutes)],
  ] as const;
  return (
    <RunSection name="Limits">
      <dl class="atb-run-figures">
        {lines.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </RunSection>
  );
}

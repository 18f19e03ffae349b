import { useContext } from 'preact/hooks';
import type { Board } from '../../core/board/task';
import { stepsOf, takenTasks, markUnchecked, type RunView } from '../../core/orchestrator/runs';
import { Icon, Spinner } from '../ui/icon';
import {
  actionIntent,
  intentButton,
  RunButtons,
  PendingActionContext,
  type RunIntentButton,
} from './run-intent';
import {
  awaitsApproval,
  doneWords,
  activeRun,
  knownRun,
  listTitles,
  plannedTasks,
  stateWords,
  withoutStop,
} from './run-words';
import { RunSection, type RunProps } from './section';
import { timeLeft } from '../../core/orchestrator/run-text';
import { figure, t, translated } from '../language/text';
import { workTime } from '../ui/text';
import { stateName, type StateName } from '../../core/orchestrator/state';
import { remainingText } from '../model/row-words';
import { planProgress } from '../../core/board/plan-progress';
import type { Limits } from '../../core/orchestrator/limits';

/** State and goal of the run, and what it has used of its limits. */
export function RunHead({ view, board, now, phone, onDo }: RunProps) {
  const { icon, tone, text, buttons } = runHeadState(view);
  const doing = useContext(PendingActionContext);
  const goal = knownRun(view)?.wish.goal;
  const used = usageFigures(view, board, now);
  const turns = doing !== undefined || icon === 'spinner';
  // The duration in large type; its basis below in a muted colour.
  const [long, from] = estimateWords(view);
  return (
    <div class="atb-run-head">
      <div class="atb-run-line">
        <div class="atb-run-state" role="status" data-tone={tone}>
          {turns ? <Spinner /> : <Icon name={icon} />}
          <span>{doing ?? stateWords(view)}</span>
        </div>
        {long !== undefined && (
          <div class="atb-run-left">
            {long}
            {from !== undefined && (
              <span class="atb-run-from">
                <span class="atb-unseen">, </span>
                {from}
              </span>
            )}
          </div>
        )}
      </div>
      {/* A long goal is cut to a few lines; its tooltip shows all of it. */}
      {goal !== undefined && (
        <div class="atb-run-goal" title={goal}>
          {goal}
        </div>
      )}
      {text !== '' && <p class="atb-run-cause">{text}</p>}
      <RunButtons primary {...{ buttons, onDo }} />
      {used !== undefined && !awaitsApproval(view) && <UsedFigures used={used} phone={phone} />}
    </div>
  );
}

function UsedFigures({
  used,
  phone,
}: {
  used: NonNullable<ReturnType<typeof usageFigures>>;
  phone: boolean;
}) {
  const { done, total, lines } = used;
  return (
    <>
      <div
        class="atb-bar atb-run-bar"
        role="progressbar"
        aria-label={t('run.tasksDoneOfTotal', { done, total })}
        aria-valuemin={0}
        aria-valuemax={Math.max(1, total)}
        aria-valuenow={done}
        aria-valuetext={t('run.ofMost', { n: done, most: total })}
      >
        <span style={{ width: `${total === 0 ? 0 : (100 * done) / total}%` }} />
      </div>
      {phone ? (
        <RunSection name={t('run.limits')} aside={lines[0]?.value} folded>
          <FigureList lines={lines} />
        </RunSection>
      ) : (
        <FigureList lines={lines} />
      )}
    </>
  );
}

/** Figures of a run: what it has used of its limits, or the limits. */
function FigureList({ lines }: { readonly lines: readonly { name: string; value: string }[] }) {
  return (
    <dl class="atb-run-figures">
      {lines.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const STATE_ICONS: Readonly<Record<StateName, string>> = {
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

/**
 * The head of the panel: `icon` is `spinner` or the name of an icon, `text` the reason for the
 * state unless a card below has it. While no program carries the run out, there is no spinner.
 */
export function runHeadState(view: RunView) {
  const name = stateName(view.state);
  const isIdle = view.by === 'nobody' || view.fault !== null;
  const icon = STATE_ICONS[name] === 'spinner' && isIdle ? 'circle-pause' : STATE_ICONS[name];
  const tone = name === 'failed' || name === 'idle' ? 'error' : 'plain';
  return { icon, tone, text: stateText(view, name), buttons: STATE_BUTTONS[name] ?? [] };
}

function stateText(view: RunView, name: StateName): string {
  const { state, plan: look } = view;
  switch (name) {
    case 'idle':
      return t('run.filesUnreadable');
    case 'planning':
      return planningWords(view);
    case 'approving':
      return look.kind === 'unreadable'
        ? translated(look.message)
        : t('run.agentPlanned', { count: plannedTasks(view).length });
    case 'validating':
      return t('run.anotherSessionChecks', {
        tasks: listTitles(stepsOf(view).filter(({ doing }) => doing.kind === 'check')),
      });
    case 'retrying':
      return retryWords(view);
    case 'paused':
      return t('run.whilePaused');
    case 'completed':
      return doneWords(view) === '' ? '' : t('run.doneSentence', { done: doneWords(view) });
    case 'failed':
      if (state.kind !== 'failed') return '';
      return state.reason === 'no_plan'
        ? t('run.noAttemptMadeAPlan', { why: translated(state.message) })
        : translated(state.message);
    case 'cancelled':
      return t('run.youCancelledIt');
    case 'executing':
    case 'waiting':
      return '';
  }
}

function planningWords(view: RunView): string {
  const going = activeRun(view);
  if (going?.stage.kind !== 'planning') return '';
  const { attempt, wrong, doing } = going.stage;
  if (doing.kind === 'writing') return t('run.planCameAsText');
  if (attempt === 1) return t('run.agentMakesThePlan');
  const { attempts } = going.run.wish.limits;
  return t('run.attemptMadeNoPlan', {
    n: attempt - 1,
    why: translated(wrong ?? ''),
    next: attempt,
    of: attempts,
  });
}

/** "Attempt 1 failed: 2 of 40 samples split wrongly. Trying again, 2 of 3." */
function retryWords(view: RunView): string {
  const attempts = activeRun(view)?.run.wish.limits.attempts ?? 0;
  const steps = stepsOf(view).filter(({ attempt, wrong }) => attempt > 1 && wrong !== null);
  return steps
    .map(({ attempt, wrong }) => {
      const why = withoutStop(translated(wrong ?? ''));
      return t('run.attemptFailedTryingAgain', {
        n: attempt - 1,
        why,
        next: attempt,
        of: attempts,
      });
    })
    .join(' ');
}

const START_ANOTHER = [intentButton(t('run.startAnotherRun'), { kind: 'start' })];

const STATE_BUTTONS: Partial<Readonly<Record<StateName, readonly RunIntentButton[]>>> = {
  approving: [
    intentButton(t('run.approveAndRun'), actionIntent({ type: 'approve' })),
    intentButton(t('common.openBoard'), { kind: 'board' }),
    intentButton(t('run.askForAnotherPlanMore'), { kind: 'replan' }, true),
  ],
  paused: [intentButton(t('run.resume'), actionIntent({ type: 'resume' }))],
  completed: START_ANOTHER,
  failed: START_ANOTHER,
  cancelled: START_ANOTHER,
};

/** The estimated time left, and its basis; empty if it does not apply. */
export function estimateWords(view: RunView): readonly string[] {
  const going = activeRun(view);
  // While it waits, the time depends on the person.
  if (going?.stage.kind !== 'executing' || going.kind === 'waiting') return [];
  const left = timeLeft(view.plan, going.run);
  if (left.by === 'nothing') return [t('run.noEstimateYet')];
  const { minutes } = left;
  return [
    minutes === 0 ? t('run.lessThanAMinute') : t('run.aboutLeft', { time: workTime(minutes) }),
    left.by === 'estimates' ? t('run.fromTheEstimates') : t('run.fromTheTasks'),
  ];
}

/** What a run has used, compared to its limits. @param now ms since the epoch */
export function usageFigures(view: RunView, board: Board | undefined, now: number) {
  const run = knownRun(view);
  if (run === undefined) return undefined;
  const { used, wish } = run;
  const { limits } = wish;
  // A task that the agent completed does not count as done until the run has released it.
  const taken = takenTasks(view);
  const progress = board && planProgress(markUnchecked(board, taken === undefined ? [] : [taken]));
  const { completed: done = 0, counted: total = 0 } = progress ?? {};
  const rest = progress === undefined ? '' : remainingText(progress);
  const minutes = Math.floor((used.ms + msSinceLastEvent(view, now)) / 60_000);
  return {
    done,
    total,
    lines: [
      { name: t('run.tasks'), value: t('run.ofMost', { n: done, most: total }) },
      ...(rest === '' ? [] : [{ name: t('run.rest'), value: rest }]),
      { name: t('run.turns'), value: t('run.ofMost', { n: used.turns, most: limits.turns }) },
      {
        name: t('run.tokens'),
        value: t('run.ofMost', {
          n: compactTokens(used.tokens),
          most: compactTokens(limits.tokens),
        }),
      },
      {
        name: t('run.time'),
        value: t('run.ofMost', { n: workTime(minutes), most: workTime(limits.minutes) }),
      },
    ],
  };
}

/** ms since the last event that count as running time; the run adds them at its next event. */
function msSinceLastEvent({ state, by }: RunView, now: number): number {
  if (state.kind !== 'going' || state.stage.kind === 'approving' || by === 'nobody') return 0;
  return Math.max(0, now - state.run.at);
}

/** `960`, `182k`, `1.2M`. */
export function compactTokens(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  if (tokens < 999_500) return `${Math.round(tokens / 1_000)}k`;
  return `${(tokens / 1_000_000).toFixed(1).replace(/\.0$/, '')}M`;
}

/** The limits of a run, shown before it starts. */
export function LimitsSection({ limits }: { readonly limits: Limits }) {
  const { turns, tokens, minutes, attempts, parallel } = limits;
  const lines = [
    { name: t('run.atTheSameTime'), value: t('common.tasks', { count: parallel }) },
    { name: t('run.attemptsPerTask'), value: String(attempts) },
    { name: t('run.turns'), value: figure(turns) },
    { name: t('run.tokens'), value: compactTokens(tokens) },
    { name: t('run.time'), value: workTime(minutes) },
  ];
  return (
    <RunSection name={t('run.limits')}>
      <FigureList lines={lines} />
    </RunSection>
  );
}

import { duration } from '../../core/orchestrator/run-words';
import type { RunView } from '../../core/orchestrator/runs';
import type { Step } from '../../core/orchestrator/task-step';
import type { Deed } from './deed';
import { DeedButtons } from './deed-buttons';
import { RunRow } from './roving';
import { canRetry, runOf, sessionOf, stepsOf } from './run-of';
import { Section } from './section';
import { StateMark } from './state-mark';

/** The tasks that are worked on. Those that wait for the person stand in their cards. */
export function NowSection(props: {
  readonly view: RunView;
  readonly now: number;
  readonly onDo: (deed: Deed) => void;
}) {
  const { view, now, onDo } = props;
  const run = runOf(view);
  const steps = stepsOf(view).filter((step) => !canRetry(step));
  if (run === undefined || steps.length === 0) return null;
  const { attempts, parallel } = run.wish.limits;
  return (
    <Section name="Now" aside={`${steps.length} of ${parallel}`}>
      <ul class="atb-run-list">
        {steps.map((step) => (
          <li key={step.task}>
            <RunRow
              id={`now ${step.task}`}
              class="atb-run-task"
              title={step.title}
              onClick={() => onDo({ kind: 'board', task: step.task })}
            >
              <StateMark state="in_progress" />
              <span class="atb-run-body">
                <span class="atb-title">{step.title}</span>
                <span class="atb-run-text">{stepWords(step, attempts, run.wish.agent)}</span>
              </span>
              <span class="atb-count">{minutes(step, now)}</span>
            </RunRow>
            <div class="atb-run-under">
              <DeedButtons buttons={buttonsOf(step)} onDo={({ deed }) => onDo(deed)} />
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** "Attempt 1 of 3 · explore · Checking" */
function stepWords(step: Step, attempts: number, planner: string): string {
  const { doing } = step;
  const parts = [`Attempt ${step.attempt} of ${attempts}`, step.agent ?? planner];
  if (doing.kind === 'saving') parts.push('Keeps the board first');
  if (doing.kind === 'check') parts.push('Checking');
  if (doing.kind === 'work' && doing.turn.kind === 'due') parts.push('Waits for its turn');
  if (stops(step)) parts.push('Stopping');
  return parts.join(' · ');
}

function stops({ doing }: Step): boolean {
  if (doing.kind !== 'work' && doing.kind !== 'check') return false;
  return doing.turn.kind === 'working' && doing.turn.stop !== null;
}

function minutes({ since }: Step, now: number): string {
  return duration(Math.max(0, Math.floor((now - since) / 60_000)));
}

function buttonsOf(step: Step) {
  const session = sessionOf(step);
  const skip = { label: 'Skip…', deed: { kind: 'skip', task: step.task }, quiet: true } as const;
  if (session === undefined) return [skip];
  return [{ label: 'Open session', deed: { kind: 'session', session } } as const, skip];
}

import type { App, Command } from 'obsidian';
import type { Board } from '../../core/board/task';
import type { RunView } from '../../core/orchestrator/runs';
import { pick } from '../desk/pick';
import type { Deed } from '../run/deed';
import type { RunDeeds } from '../run/run-deeds';
import type { RunViewDeps } from '../run/run-deps';
import { canInterrupt } from '../run/run-menu';
import { canRetry, goalOf, goingOf, stateWords, stepsOf } from '../run/run-of';
import { playOf } from '../run/play';
import { plansToRun } from '../run/start-values';
import { when } from './when';

export interface RunCommandDeps {
  readonly app: App;
  readonly deps: RunViewDeps;
  readonly deeds: Pick<RunDeeds, 'do'>;
  readonly open: () => Promise<void>;
  readonly start: (plan?: Board) => Promise<void>;
  /** the run that the person is on in the panel */
  readonly shown: () => string | undefined;
}

/** The commands about runs: the one that the person is on, else the one that fits, else a picker asks. */
export function runCommands(given: RunCommandDeps): readonly Command[] {
  const { app, deps, deeds } = given;
  const on = (id: string, name: string, fits: (view: RunView) => boolean, deed: Deed): Command => {
    const all = () => deps.runs.all().filter(fits);
    return when(
      id,
      name,
      () => all().length > 0,
      async () => {
        const view = await chosen(app, all(), given.shown());
        if (view !== undefined) await deeds.do(view, deed);
      },
    );
  };
  const online = () => deps.canStart && deps.overview.state.connection.kind === 'connected';
  const plans = () => plansToRun(deps.overview.state.boards);
  return [
    when('open-run', 'Open run panel', () => true, given.open),
    when('start-run', 'Start run…', online, () => given.start()),
    when(
      'run-plan',
      'Run this plan…',
      () => online() && plans().length > 0,
      async () => {
        const choices = plans().map((value) => ({
          text: `${value.title} (${value.agent})`,
          value,
        }));
        const plan = await pick(app, choices, 'Run which plan?');
        if (plan !== undefined) await given.start(plan);
      },
    ),
    on('approve-plan', 'Approve plan and run', approves, act({ type: 'approve' })),
    on('pause-run', 'Pause run', canPause, act({ type: 'pause' })),
    on('resume-run', 'Resume run', canResume, act({ type: 'resume' })),
    on('interrupt-run', 'Interrupt turns of run', canInterrupt, INTERRUPT),
    on('skip-step', 'Skip step…', (view) => stepsOf(view).length > 0, { kind: 'skip' }),
    on('retry-step', 'Try step again', (view) => stepsOf(view).some(canRetry), { kind: 'retry' }),
    on('cancel-run', 'Cancel run…', goes, { kind: 'cancel' }),
    on('replay-run', 'Replay run log', ({ state }) => state.kind !== 'idle', { kind: 'replay' }),
  ];
}

function act(action: Extract<Deed, { kind: 'act' }>['action']): Deed {
  return { kind: 'act', action };
}

const INTERRUPT = act({ type: 'interrupt', task: null });

function goes(view: RunView): boolean {
  return goingOf(view) !== undefined;
}

function approves({ state }: RunView): boolean {
  return state.kind === 'going' && state.stage.kind === 'approving';
}

function canPause({ state }: RunView): boolean {
  return state.kind === 'going' || state.kind === 'waiting';
}

function canResume(view: RunView): boolean {
  const play = playOf(view);
  return play?.deed.kind === 'act' && play.deed.action.type === 'resume';
}

/** The run in the panel where it fits, so that no command meets another than the one in sight. */
function chosen(
  app: App,
  fitting: readonly RunView[],
  shown: string | undefined,
): Promise<RunView | undefined> {
  const there = fitting.find(({ id }) => id === shown);
  if (there !== undefined) return Promise.resolve(there);
  const choices = fitting.map((value) => ({
    text: `${goalOf(value)} · ${stateWords(value)}`,
    value,
  }));
  return pick(app, choices, 'Which run?');
}

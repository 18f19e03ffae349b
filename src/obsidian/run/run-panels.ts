import type { App, Command, Plugin, View } from 'obsidian';
import type { Undo } from '../../core/ports';
import type { Board } from '../../core/board/task';
import { isFeatureAvailable } from '../../core/session/connection';
import { stepsOf, type RunView } from '../../core/orchestrator/runs';
import { boardItem } from '../board/task-commands';
import type { SessionNotices } from '../session/session-notices';
import { pick } from '../ui/dialog';
import { menuEntry, conditionalCommand, type MenuLine } from '../ui/menu';
import { isViewVisible, openView } from '../ui/open-view';
import { activeViewActions, boardsInView } from '../ui/view-actions';
import {
  canInterrupt,
  RunActions,
  activeRunChoices,
  runViewDeps,
  type RunPanelsDeps,
  type RunViewDeps,
} from './run-actions';
import { actionIntent, primaryAction, type RunIntent } from './run-intent';
import { raiseLimitIntent } from './reason-card';
import { RUN_VIEW, RunPanel } from './run-view';
import { awaitsApproval, canRetry, goalLine, activeRun, runNotice, stateWords } from './run-words';
import { plansToRun, startForm } from './start-form';
import { t } from '../language/text';

/** Registers the run panel and its commands with the plugin's services. */
export function makeRunPanels(deps: RunPanelsDeps): RunPanels {
  return makeRunPanel(deps.plugin, runViewDeps(deps));
}

/** Shows notices about runs while their panel is not visible. */
export function followRuns(
  { plugin: { app }, services }: Pick<RunPanelsDeps, 'plugin' | 'services'>,
  notices: SessionNotices,
  panels: RunPanels,
): Undo {
  const { runs } = services.runs;
  return services.runs.onUpdate(({ run, what }) => {
    const view = runs.get(run);
    if (view === undefined) return;
    const { text, brief, button } = runNotice(view, what);
    if (what.kind === 'ended') services.announcePolitely(text);
    else services.announce(text);
    const notice = {
      ...{ text, brief, waits: what.kind !== 'ended' },
      button: { label: button, onClick: () => void panels.open(run) },
    };
    const fits = (one: View) => one instanceof RunPanel && one.shown === run;
    notices.run(run, notice, !activeDocument.hidden && isViewVisible(app, RUN_VIEW, fits));
  });
}

/** The run panel and the actions that other parts use. */
export type RunPanels = ReturnType<typeof makeRunPanel>;

/** Registers panel and commands. */
export function makeRunPanel(plugin: Plugin, deps: RunViewDeps) {
  const { app } = plugin;
  const { runs } = deps;
  const actions = new RunActions(app, deps, () => void panels.start());
  const panels = {
    /** Opens the panel. @param id the run to show; without it, the active one */
    open: async (id?: string): Promise<void> => {
      const view = await openView(app, RUN_VIEW, 'right');
      if (id !== undefined && view instanceof RunPanel) view.show(id);
    },
    /** Asks for the goal and starts a run. @param plan a board to carry out as it is */
    start: async (plan?: Board): Promise<void> => {
      const id = await startForm(app, deps, plan);
      if (id !== undefined) await panels.open(id);
    },
    /** Menu lines for a run, except opening it; empty if it is over. */
    choices: (id: string): readonly MenuLine[] => {
      const view = runs.get(id);
      return (view === undefined ? [] : activeRunChoices(view)).map(({ label, icon, intent }) =>
        menuEntry(icon, label, () => panels.do(id, intent)),
      );
    },
    /** Performs a person's action on a run; asks first where needed. */
    do: (id: string, intent: RunIntent): void => {
      const view = runs.get(id);
      if (view !== undefined) void actions.do(view, intent);
    },
  };
  plugin.registerView(RUN_VIEW, (leaf) => new RunPanel(leaf, actions));
  for (const command of runCommands(app, deps, panels)) plugin.addCommand(command);
  return panels;
}

type RunFilter = (view: RunView) => boolean;

type IntentSource = RunIntent | ((view: RunView) => RunIntent | undefined);

/** Commands about runs: for the shown run, else the only one that fits, else a picker asks. */
function runCommands(app: App, deps: RunViewDeps, panels: RunPanels): readonly Command[] {
  const performOn = async (fits: RunFilter, wish: IntentSource) => {
    const view = await chooseRun(app, deps.runs.all().filter(fits));
    const intent = view && (typeof wish === 'function' ? wish(view) : wish);
    if (view !== undefined && intent !== undefined) panels.do(view.id, intent);
  };
  const anyRun = (fits: RunFilter) => () => deps.runs.all().some(fits);
  const runCommand = (id: string, name: string, fits: RunFilter, wish: IntentSource) =>
    conditionalCommand(id, name, anyRun(fits), () => performOn(fits, wish));
  // In the panel, these act on the focused task.
  const taskCommand = (
    id: 'skip-step' | 'retry-step',
    name: string,
    fits: RunFilter,
    wish: IntentSource,
  ) =>
    conditionalCommand(id, name, anyRun(fits), () =>
      (activeViewActions(app)[id] ?? (() => performOn(fits, wish)))(),
    );
  const online = () => deps.canStart && isFeatureAvailable(deps.overview.state.connection, 'start');
  const plans = () => plansToRun(deps.overview.state.boards);
  const runPlan = async () => {
    const plan = await pick(app, boardsInView(app, plans()).map(boardItem), t('run.runWhichPlan'));
    if (plan !== undefined) await panels.start(plan);
  };
  const isResting = (view: RunView) =>
    deps.canStart && view.by === 'nobody' && activeRun(view) !== undefined;
  const always = () => true;
  return [
    conditionalCommand('open-run', t('common.openRunPanel'), always, () => panels.open()),
    conditionalCommand('start-run', t('run.startRunMore'), online, () => panels.start()),
    conditionalCommand(
      'run-plan',
      t('run.runThisPlanMore'),
      () => online() && plans().length > 0,
      runPlan,
    ),
    runCommand(
      'approve-plan',
      t('run.approvePlanAndRun'),
      awaitsApproval,
      actionIntent({ type: 'approve' }),
    ),
    runCommand('pause-run', t('run.pauseRun'), canPause, actionIntent({ type: 'pause' })),
    runCommand('resume-run', t('run.resumeRun'), canResume, actionIntent({ type: 'resume' })),
    runCommand('interrupt-run', t('run.interruptTurnsOfRun'), canInterrupt, INTERRUPT),
    taskCommand('skip-step', t('run.skipTaskMore'), (view) => stepsOf(view).length > 0, {
      kind: 'skip',
    }),
    taskCommand('retry-step', t('run.tryTaskAgain'), (view) => stepsOf(view).some(canRetry), {
      kind: 'retry',
    }),
    runCommand('cancel-run', t('run.cancelRunMore'), (view) => activeRun(view) !== undefined, {
      kind: 'cancel',
    }),
    runCommand('replan-run', t('run.askForAnotherPlanOfRunMore'), awaitsApproval, {
      kind: 'replan',
    }),
    runCommand('finish-run', t('run.finishRunHereMore'), (view) => activeRun(view) !== undefined, {
      kind: 'finish',
    }),
    runCommand('take-up-run', t('run.continueRunHere'), isResting, { kind: 'take_up' }),
    runCommand('open-run-note', t('run.openRunNote'), ({ note }) => note !== undefined, {
      kind: 'note',
    }),
    runCommand('open-run-board', t('run.openBoardOfRun'), ({ board }) => board !== undefined, {
      kind: 'board',
    }),
    runCommand(
      'raise-limit',
      t('run.addToLimitOfRun'),
      (view) => raiseLimitIntent(view) !== undefined,
      raiseLimitIntent,
    ),
    runCommand('replay-run', t('run.replayRunLog'), ({ state }) => state.kind !== 'idle', {
      kind: 'replay',
    }),
  ];
}

const INTERRUPT = actionIntent({ type: 'interrupt', task: null });

function canPause({ state }: RunView): boolean {
  return state.kind === 'going' || state.kind === 'waiting';
}

function canResume(view: RunView): boolean {
  const intent = primaryAction(view)?.intent;
  return intent?.kind === 'act' && intent.action.type === 'resume';
}

/** The run that the panel shows if it fits, else the one that the person picks. */
async function chooseRun(app: App, fitting: readonly RunView[]): Promise<RunView | undefined> {
  const shown = app.workspace.getActiveViewOfType(RunPanel)?.shown;
  const text = (view: RunView) => `${goalLine(view)} · ${stateWords(view)}`;
  const choices = fitting.map((value) => ({ text: text(value), value }));
  return fitting.find(({ id }) => id === shown) ?? pick(app, choices, t('run.whichRun'));
}

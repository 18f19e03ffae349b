import type { App, Command, Plugin, View } from 'obsidian';
import { replayRun } from '../../core/orchestrator/drive/run-journal';
import type { Undo } from '../../core/ports';
import { sessionFamily, type Session } from '../../core/session/session';
import type { Prompts } from '../ask/prompts';
import {
  canInterrupt,
  RunActions,
  runIntentsOf,
  type RunDefaults,
  type RunViewDeps,
} from './run-actions';
import { canRetry, goalLine, goingOf, runNotice, stateWords } from './run-words';
import { RUN_VIEW, RunPanel } from './run-view';
import type { BoardActions } from '../board/board-actions';
import { boardItem } from '../board/task-commands';
import type { CheckpointDialogs } from '../board/checkpoint-dialogs';
import type { Services } from '../app/services';
import type { CoreServices } from '../app/core-services';
import { notify } from '../ui/notify';
import { openBeside, openBoard } from '../note/open-board';
import type { SessionNotices } from '../session/session-notices';
import type { Board } from '../../core/board/task';
import { playOf, type RunIntent } from './run-intent';
import { plansToRun, startForm } from './start-form';
import { stepsOf, type RunView } from '../../core/orchestrator/runs';
import { pick } from '../ui/dialog';
import { isSeen, openView } from '../ui/open-view';
import { line, when, type MenuLine } from '../ui/menu';

interface RunPanelsDeps {
  readonly plugin: Plugin;
  readonly parts: CoreServices;
  readonly desk: Services;
  readonly boards: Pick<BoardActions, 'tick'>;
  readonly checkpoints: Pick<CheckpointDialogs, 'rollBack'>;
  readonly asker: Pick<Prompts, 'review'>;
  readonly openSession: (sessionId: string) => void;
}

/** The panel of runs and its commands, with the app's means. */
export function makeRuns(means: RunPanelsDeps): RunPanels {
  const { plugin, parts, desk, boards, checkpoints } = means;
  const { app } = plugin;
  return makeRunPanel(plugin, {
    runs: desk.runs.runs,
    under: desk.runs.under,
    clock: parts.clock,
    overview: desk.overview,
    canStart: parts.desktop,
    defaults: () => defaultsOf(means),
    catalog: () => parts.runtime.catalog(),
    rollBack: (board, n) => checkpoints.rollBack(board, n),
    tick: (board, task) => void boards.tick(board, task),
    connect: () => desk.connect(),
    review: (sessionId) => review(means, sessionId),
    openSession: means.openSession,
    openNote: (path) => void openBeside(app, path),
    openBoard: (board, task) => void openBoard(app, board, task, false),
    notify,
    announce: (sentence) => desk.tell(sentence),
    replay: (id) => replayed(parts, id),
  });
}

/** Tells of runs where their panel can't be seen. */
export function followRuns(
  { plugin, desk }: Pick<RunPanelsDeps, 'plugin' | 'desk'>,
  notices: SessionNotices,
  panels: RunPanels,
): Undo {
  const { runs } = desk.runs;
  return desk.runs.onTold(({ run, what }) => {
    const view = runs.get(run);
    if (view === undefined) return;
    const { text, button } = runNotice(view, what);
    if (what.kind === 'ended') desk.tell(text);
    else desk.announce(text);
    const label = { label: button, onClick: () => void panels.open(run) };
    notices.run(text, label, isShown(plugin, run));
  });
}

function isShown({ app }: Plugin, run: string): boolean {
  const fits = (view: View) => view instanceof RunPanel && view.shown === run;
  return !activeDocument.hidden && isSeen(app, RUN_VIEW, fits);
}

function defaultsOf({ parts, desk }: RunPanelsDeps): RunDefaults {
  const { approve, ...limits } = desk.place.settings.runs;
  return { agent: parts.settings.current.defaultAgent, model: null, approve, limits };
}

/** What the session asks, or one of its sub-agents. */
function review({ parts, desk, asker }: RunPanelsDeps, sessionId: string): void {
  const family = sessionFamily(parts.sessions.all(), sessionId);
  const ids = new Set([sessionId, ...family.map(({ id }) => id)]);
  const own = desk.tools.asks.all().find((ask) => ids.has(ask.sessionId ?? ''));
  const request = own?.requestId ?? family.flatMap(requestsOf)[0];
  if (request === undefined) notify('This run does not wait for an answer any more.');
  else asker.review(request);
}

function requestsOf({ permissions, questions }: Session): readonly string[] {
  return [...permissions, ...questions].map(({ requestId }) => requestId);
}

async function replayed({ store }: Pick<CoreServices, 'store'>, id: string): Promise<string> {
  const answer = await replayRun(store, id);
  if (!answer.ok) return answer.message;
  const { steps, same } = answer.value;
  const count = `${steps.length} ${steps.length === 1 ? 'event' : 'events'}`;
  return same
    ? `Replaying the log of ${count} gives the stored state: the run’s files are consistent.`
    : `Replaying the log of ${count} gives another state than the stored one. Keep the run’s folder and report this as a bug.`;
}

/** Runs as the person meets them. */
export interface RunPanels {
  /** Brings the panel up. @param id the run that it shows; without it, the one that goes on */
  open(id?: string): Promise<void>;
  /** Asks for the goal, and starts a run. @param plan a board that is carried out as it stands */
  start(plan?: Board): Promise<void>;
  /** Does what a person wants of a run; asks where it has to be asked. */
  do(id: string, deed: RunIntent): void;
  /** What can be done to a run now, beside opening it; nothing where it is over. */
  choices(id: string): readonly MenuLine[];
}

/** Registers panel and commands. */
export function makeRunPanel(plugin: Plugin, deps: RunViewDeps): RunPanels {
  const { app } = plugin;
  const open = async (id?: string): Promise<void> => {
    const view = await openView(app, RUN_VIEW, 'right');
    if (id !== undefined && view instanceof RunPanel) view.show(id);
  };
  const start = async (plan?: Board): Promise<void> => {
    const id = await startForm(app, deps, plan);
    if (id !== undefined) await open(id);
  };
  const deeds = new RunActions(app, deps, () => void start());
  const panel = { deps, deeds, start: () => void start() };
  plugin.registerView(RUN_VIEW, (leaf) => new RunPanel(leaf, panel));
  const panels: RunPanels = {
    ...{ open, start },
    choices: (id) => {
      const view = deps.runs.get(id);
      if (view === undefined) return [];
      return runIntentsOf(view).map(({ label, icon, deed }) =>
        line(icon, label, () => deeds.do(deps.runs.get(id) ?? view, deed)),
      );
    },
    do: (id, deed) => {
      const view = deps.runs.get(id);
      if (view !== undefined) void deeds.do(view, deed);
    },
  };
  for (const command of runCommands(app, deps, panels)) plugin.addCommand(command);
  return panels;
}

/** The commands about runs: the one that the person is on, else the one that fits, else a picker asks. */
function runCommands(app: App, deps: RunViewDeps, panels: RunPanels): readonly Command[] {
  const on = (
    id: string,
    name: string,
    fits: (view: RunView) => boolean,
    deed: RunIntent,
  ): Command => {
    const all = () => deps.runs.all().filter(fits);
    return when(
      id,
      name,
      () => all().length > 0,
      async () => {
        const view = await chosen(app, all());
        if (view !== undefined) panels.do(view.id, deed);
      },
    );
  };
  const online = () => deps.canStart && deps.overview.state.connection.kind === 'connected';
  const plans = () => plansToRun(deps.overview.state.boards);
  return [
    when(
      'open-run',
      'Open run panel',
      () => true,
      () => panels.open(),
    ),
    when('start-run', 'Start run…', online, () => panels.start()),
    when(
      'run-plan',
      'Run this plan…',
      () => online() && plans().length > 0,
      async () => {
        const plan = await pick(app, plans().map(boardItem), 'Run which plan?');
        if (plan !== undefined) await panels.start(plan);
      },
    ),
    on('approve-plan', 'Approve plan and run', approves, act({ type: 'approve' })),
    on('pause-run', 'Pause run', canPause, act({ type: 'pause' })),
    on('resume-run', 'Resume run', canResume, act({ type: 'resume' })),
    on('interrupt-run', 'Interrupt turns of run', canInterrupt, INTERRUPT),
    on('skip-step', 'Skip task…', (view) => stepsOf(view).length > 0, { kind: 'skip' }),
    on('retry-step', 'Try task again', (view) => stepsOf(view).some(canRetry), { kind: 'retry' }),
    on('cancel-run', 'Cancel run…', goes, { kind: 'cancel' }),
    on('replay-run', 'Replay run log', ({ state }) => state.kind !== 'idle', { kind: 'replay' }),
  ];
}

function act(action: Extract<RunIntent, { kind: 'act' }>['action']): RunIntent {
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
function chosen(app: App, fitting: readonly RunView[]): Promise<RunView | undefined> {
  const shown = app.workspace.getActiveViewOfType(RunPanel)?.shown;
  const there = fitting.find(({ id }) => id === shown);
  if (there !== undefined) return Promise.resolve(there);
  const choices = fitting.map((value) => ({
    text: `${goalLine(value)} · ${stateWords(value)}`,
    value,
  }));
  return pick(app, choices, 'Which run?');
}

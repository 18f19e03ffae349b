import type { Plugin } from 'obsidian';
import { replayRun } from '../../core/orchestrator/drive/replay-run';
import type { Undo } from '../../core/ports';
import type { Session } from '../../core/session/session';
import { familyOf } from '../../core/session/session-family';
import type { Asker } from '../ask/asker';
import { makeRunPanel, type RunDesk as RunPanels } from '../run/make-run-panel';
import type { RunDefaults } from '../run/run-deps';
import { runNotice } from '../run/run-notices';
import { RUN_VIEW, RunPanel } from '../run/run-view';
import type { BoardActions } from './board-actions';
import type { CheckpointDialogs } from './checkpoint-dialogs';
import type { Desk } from './desk';
import type { DeskParts } from './desk-parts';
import { notify } from './notify';
import { openBeside, openBoard } from './open-board';
import type { SessionNotices } from './session-notices';

export interface RunMeans {
  readonly plugin: Plugin;
  readonly parts: DeskParts;
  readonly desk: Desk;
  readonly boards: Pick<BoardActions, 'tick'>;
  readonly checkpoints: Pick<CheckpointDialogs, 'rollBack'>;
  readonly asker: Pick<Asker, 'review'>;
  readonly openSession: (sessionId: string) => void;
}

/** The panel of runs and its commands, with the app's means. */
export function makeRuns(means: RunMeans): RunPanels {
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
  { plugin, desk }: Pick<RunMeans, 'plugin' | 'desk'>,
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
  return (
    !activeDocument.hidden &&
    app.workspace
      .getLeavesOfType(RUN_VIEW)
      .some(
        ({ view }) => view instanceof RunPanel && view.containerEl.isShown() && view.shown === run,
      )
  );
}

function defaultsOf({ parts, desk }: RunMeans): RunDefaults {
  const { approve, ...limits } = desk.place.settings.runs;
  return { agent: parts.settings.current.defaultAgent, model: null, approve, limits };
}

/** What the session asks, or one of its sub-agents. */
function review({ parts, desk, asker }: RunMeans, sessionId: string): void {
  const family = familyOf(parts.sessions.all(), sessionId);
  const ids = new Set([sessionId, ...family.map(({ id }) => id)]);
  const own = desk.tools.asks.all().find((ask) => ids.has(ask.sessionId ?? ''));
  const request = own?.requestId ?? family.flatMap(requestsOf)[0];
  if (request === undefined) notify('It asks nothing any more.');
  else asker.review(request);
}

function requestsOf({ permissions, questions }: Session): readonly string[] {
  return [...permissions, ...questions].map(({ requestId }) => requestId);
}

async function replayed({ store }: Pick<DeskParts, 'store'>, id: string): Promise<string> {
  const answer = await replayRun(store, id);
  if (!answer.ok) return answer.message;
  const { steps, same } = answer.value;
  const count = `${steps.length} ${steps.length === 1 ? 'event' : 'events'}`;
  return same
    ? `The log of ${count} leads to the stored state.`
    : `The log of ${count} leads to another state than the stored one. Keep the folder of the run for a report.`;
}

import type { Board } from '../../core/board/task';
import type { UiServices } from '../app/plugin-intents';
import { openBoard } from '../note/open-board';
import { pick } from '../ui/dialog';
import { TIMELINE_VIEW, TimelineView, type TimelineDeps } from './timeline-view';
import type { TimelineItem } from './items';
import { errorText, faultText, t } from '../language/text';

/**
 * Registers the view.
 * @returns opens the timeline of a board
 */
export function makeTimeline(
  ui: Omit<UiServices, 'openTimeline' | 'noteTasks'>,
): UiServices['openTimeline'] {
  const { plugin, parts, services, boards, conversations, tools, runs } = ui;
  const { app } = plugin;
  const { workspace } = app;
  const manager = () => services.manager.now;
  const { writes } = boards;
  const openNoteAt = (board: Board, task: string | undefined): void => {
    const at = board.tasks.find((one) => (one.id ?? one.key) === task);
    void openBoard({ app, store: parts.store }, board, at, false);
  };
  const deps: TimelineDeps = {
    ...{
      overview: services.overview,
      current: services.current,
      clock: parts.clock,
      audit: tools.audit.source,
    },
    ...{ runs: services.runs.runs, transcripts: services.sessions.viewTranscripts },
    openSession: (session) => services.sessions.open(session),
    loadHistory: async (path) => {
      // Loading waits for a pending write, which has its record then.
      await manager().load(path);
      return {
        records: await manager().changes(path),
        checkpoints: await manager().checkpoints.list(path),
      };
    },
    openTask: openNoteAt,
    open: (board, { target }) => {
      if (target.kind === 'board') openNoteAt(board, target.task);
      else if (target.kind === 'call') void tools.audit.show(target.row);
      else if (target.kind === 'session') void conversations.open(board.session, target.block);
      else if (target.kind === 'checkpoint') void ui.checkpoints.rollBack(board, target.n);
      else if (target.intent === undefined) void runs.open(target.run);
      else runs.do(target.run, target.intent);
    },
    undo: (item) => void undo(item),
    pick: (choices, words) => pick(app, choices, words, true),
  };
  const undo = async ({ undo: what }: TimelineItem): Promise<void> => {
    if (what?.kind === 'change') return writes.own.undoOne(what);
    if (what === undefined) return;
    const done = await tools.audit.changes.undo(what.row);
    const told = (why: Error | undefined) =>
      why === undefined ? t('timeline.noteIsAsBefore') : errorText(why);
    writes.notify(done.ok ? told(done.unrecorded) : faultText(done));
  };
  plugin.registerView(TIMELINE_VIEW, (leaf) => new TimelineView(leaf, deps));
  return async ({ path }) => {
    const there = workspace
      .getLeavesOfType(TIMELINE_VIEW)
      .find((leaf) => leaf.getViewState().state?.['path'] === path);
    const leaf = there ?? workspace.getLeaf('tab');
    await leaf.setViewState({ type: TIMELINE_VIEW, active: true, state: { path } });
    await workspace.revealLeaf(leaf);
  };
}

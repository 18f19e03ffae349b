import { MarkdownView, type Command } from 'obsidian';
import type { UiServices } from '../app/plugin-intents';
import { canArchive } from '../../core/board/archive/archive-tasks';
import type { Board } from '../../core/board/task';
import { theirsWithOurId } from '../../core/board/merge/choose-version';
import { suggestionsFor } from '../../core/exchange/text-plans';
import { exportGraph } from '../graph/graph-export';
import { openGraph } from '../graph/graph-view';
import { openAsBoard } from '../board-view/open-board-view';
import { canContinueBoard } from '../board-view/shown-boards';
import { codeBlockOf } from '../embed/block-source';
import { openBoard } from '../note/open-board';
import { boardSession } from '../session/session-list';
import { versionConflicts } from '../model/attention';
import { taskTree } from '../model/outline';
import { askForText, pick } from '../ui/dialog';
import { conditionalCommand } from '../ui/menu';
import { copyText, notify } from '../ui/notify';
import { exportDialog } from './import-export';
import { addSuggestedTasks } from './add-suggested-tasks';
import { askForTaskTitle, restoreArchived, type Chooser } from './task-commands';
import { faultText, t } from '../language/text';

type PlanCommandRow = readonly [
  id: string,
  name: string,
  run: (board: Board) => Promise<void>,
  fits?: (board: Board) => boolean,
];

/** Commands about one plan: that of the active view, else a picker asks which. */
export function planCommands(ui: UiServices, choose: Chooser): readonly Command[] {
  const { parts, services, boards: actions, checkpoints, plugin } = ui;
  const { app } = plugin;
  const { writes } = actions;
  const hasArchive = ({ path, archived }: Board) =>
    (archived?.size ?? 0) > 0 || services.repairs.hasArchive(path);
  const commandFor =
    (all: () => readonly Board[]) =>
    ([id, name, run, fits = () => true]: PlanCommandRow): Command => {
      const boards = () => all().filter(fits);
      const onChosen = async () => {
        const board = await choose.board(boards());
        if (board !== undefined) await run(board);
      };
      return conditionalCommand(id, name, () => boards().length > 0, onChosen);
    };
  const rows: readonly PlanCommandRow[] = [
    ['add-task', t('board.addTaskMore'), (board) => addTask(ui, board)],
    [
      'add-to-heading',
      t('board.addTaskToHeadingMore'),
      (board) => addToHeading(ui, board),
      (board) => headings(board).length > 0,
    ],
    [
      'archive-finished',
      t('board.archiveFinishedTasks'),
      (board) => actions.archive(board),
      canArchive,
    ],
    [
      'restore-task',
      t('board.restoreTask'),
      (board) => restoreArchived(app, services.manager.now, actions, board),
      hasArchive,
    ],
    ['add-suggested', t('board.addSuggestedTasks'), (board) => suggestDialog(ui, board)],
    ['create-checkpoint', t('board.createCheckpoint'), (board) => checkpoints.create(board)],
    [
      'roll-back',
      t('board.rollBackToCheckpoint'),
      (board) => checkpoints.rollBack(board),
      () => checkpoints.hasCheckpoints,
    ],
    ['hand-over', t('board.handOverPlan'), (board) => ui.handOver.ask(board), canContinueBoard],
    [
      'choose-version',
      t('board.chooseVersion'),
      (board) => chooseVersion(ui, board),
      (board) => versionConflicts([board]).some(({ kept }) => kept.beside !== undefined),
    ],
    [
      'export-board',
      t('board.exportBoard'),
      (board) => exportDialog(app, parts.store, writes, board),
    ],
  ];
  return [
    ...openRows(ui).map(commandFor(choose.boards)),
    ...rows.map(commandFor(() => choose.writable())),
  ];
}

/** Commands that change nothing on the board. */
function openRows(ui: UiServices): readonly PlanCommandRow[] {
  const { parts, services, plugin } = ui;
  const { app } = plugin;
  const openNote = (board: Board) =>
    openBoard({ app, store: parts.store }, board, undefined, false);
  const copyBlock = (board: Board) =>
    copyText(codeBlockOf(services.overview.state, board), notify, BLOCK_COPIED);
  return [
    ['open-note', t('board.openPlanAsNote'), openNote],
    ['open-timeline', t('board.openTimeline'), ui.openTimeline],
    ['open-graph', t('board.openPlanAsGraph'), (board) => openGraph(app, board)],
    ['export-graph', t('board.exportGraph'), (board) => exportGraph(ui, board)],
    ['open-board', t('board.openPlanAsBoard'), (board) => openAsBoard(app, boardSession(board))],
    ['copy-code-block', t('board.copyPlanAsCodeBlock'), copyBlock],
  ];
}

const BLOCK_COPIED = t('board.codeBlockCopied');

async function addTask({ plugin, boards }: UiServices, board: Board): Promise<void> {
  const asked = t('board.addTaskToTitle', { title: board.title });
  const title = await askForTaskTitle(plugin.app, asked, board);
  if (title !== undefined) await boards.add(board, title);
}

function headings(board: Board): readonly string[] {
  return [...new Set(taskTree(board).flatMap(({ title }) => title ?? []))];
}

async function addToHeading({ plugin, pickers }: UiServices, board: Board): Promise<void> {
  const choices = headings(board).map((value) => ({ text: value, value }));
  const heading = await pick(plugin.app, choices, t('board.addTaskToWhichHeading'), true);
  if (heading !== undefined) await pickers.addToPhase(board, heading);
}

/** Asks which version to keep, for all lines of the board that have two. */
async function chooseVersion({ plugin, boards }: UiServices, board: Board): Promise<void> {
  const sides = versionConflicts([board]).flatMap(({ kept }) =>
    (['mine', 'theirs'] as const).map((side) => ({ kept, side })),
  );
  const choices = sides.flatMap(({ kept, side }) => {
    const text = side === 'mine' ? kept.beside?.text : theirsWithOurId(kept);
    if (kept.beside === undefined || text === undefined) return [];
    return [{ text: text.trim(), value: { kept, side } }];
  });
  const choice = await pick(plugin.app, choices, t('board.whichVersionStays'), true);
  if (choice !== undefined) await boards.chooseVersion(board, choice.kept, choice.side);
}

/** Finds possible tasks in a text, and adds those that the person leaves ticked. */
async function suggestDialog(
  { plugin: { app }, services: { manager }, boards: { writes } }: UiServices,
  board: Board,
): Promise<void> {
  const text = await askForText(app, {
    title: t('board.addSuggestedTasksToTitle', { title: board.title }),
    placeholder: t('board.suggestedHint'),
    yes: t('board.lookForTasks'),
    initial: app.workspace.getActiveViewOfType(MarkdownView)?.editor.getSelection() ?? '',
    long: true,
  });
  if (text === undefined) return;
  const { session, agent } = board;
  const found = await writes.catchStoreErrors(() =>
    suggestionsFor(manager.now, session, agent, text),
  );
  if ('ok' in found) return writes.notify(faultText(found));
  if (found.length === 0) return writes.notify(t('board.textHasNoNewTask'));
  await addSuggestedTasks({ app, manager: manager.now, writes }, { session, agent }, found);
}

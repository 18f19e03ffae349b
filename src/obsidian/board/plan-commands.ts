import { MarkdownView, type App, type Command } from 'obsidian';
import type { UiServices } from '../app/plugin-intents';
import { isFinished } from '../../core/board/facts';
import { PERSON } from '../../core/board/history/actor';
import type { Board } from '../../core/board/task';
import { addSuggestions, suggestionsFor, type Suggestion } from '../../core/exchange/text-plans';
import { exportGraph } from '../graph/graph-export';
import { openGraph } from '../graph/graph-view';
import { openAsBoard } from '../board-view/open-board-view';
import { canGoOn } from '../board-view/shown-boards';
import { codeBlockOf } from '../embed/block-source';
import { openBoard } from '../note/open-board';
import { boardSession } from '../session/session-list';
import { taskTree } from '../../core/board/outline';
import { ask, askForText, pick } from '../ui/dialog';
import { when } from '../ui/menu';
import { copyText, notify } from '../ui/notify';
import { countOf } from './board-actions';
import { exportDialog } from './import-export';
import { askForTask, restoreArchived, type Chooser } from './task-commands';

type PlanCommandRow = readonly [
  id: string,
  name: string,
  run: (board: Board) => Promise<void>,
  fits?: (board: Board) => boolean,
];

/** The commands about one plan: the one that the person is in, else a picker asks which. */
export function planCommands(ui: UiServices, choose: Chooser): readonly Command[] {
  const { parts, services, boards: actions, checkpoints, plugin } = ui;
  const { app } = plugin;
  const { writes } = actions;
  const hasArchive = ({ path, archived }: Board) =>
    (archived?.size ?? 0) > 0 || services.repairs.hasArchive(path);
  const addTask = async (board: Board) => {
    const title = await askForTask(app, `Add task to ${board.title}`, board);
    if (title !== undefined) await actions.add(board, title);
  };
  const headings = (board: Board) => taskTree(board).flatMap(({ title }) => title ?? []);
  const hasHeadings = (board: Board) => headings(board).length > 0;
  const addToHeading = async (board: Board) => {
    const choices = [...new Set(headings(board))].map((value) => ({ text: value, value }));
    const heading = await pick(app, choices, 'Add task to which heading?', true);
    if (heading !== undefined) await ui.pickers.addTo(board, heading);
  };
  const on =
    (all: () => readonly Board[]) =>
    ([id, name, run, fits = () => true]: PlanCommandRow): Command => {
      const boards = () => all().filter(fits);
      const onChosen = async () => {
        const board = await choose.board(boards());
        if (board !== undefined) await run(board);
      };
      return when(id, name, () => boards().length > 0, onChosen);
    };
  const rows: readonly PlanCommandRow[] = [
    ['add-task', 'Add task…', addTask],
    ['add-to-heading', 'Add task to heading…', addToHeading, hasHeadings],
    [
      'archive-finished',
      'Archive finished tasks',
      (board) => actions.archive(board),
      ({ tasks }) => tasks.some(isFinished),
    ],
    [
      'restore-task',
      'Restore task…',
      (board) => restoreArchived(app, services.manager.now, actions, board),
      hasArchive,
    ],
    ['add-suggested', 'Add suggested tasks…', (board) => suggestDialog(ui, board)],
    ['create-checkpoint', 'Create checkpoint', (board) => checkpoints.create(board)],
    [
      'roll-back',
      'Roll back to checkpoint…',
      (board) => checkpoints.rollBack(board),
      () => checkpoints.any,
    ],
    ['hand-over', 'Hand over plan…', (board) => ui.handOver.ask(board), canGoOn],
    ['export-board', 'Export board…', (board) => exportDialog(app, parts.store, writes, board)],
  ];
  return [
    on(choose.boards)([
      'open-note',
      'Open plan as note…',
      (board) => openBoard({ app, store: parts.store }, board, undefined, false),
    ]),
    on(choose.boards)(['open-timeline', 'Open timeline…', ui.openTimeline]),
    on(choose.boards)(['open-graph', 'Open plan as graph…', (board) => openGraph(app, board)]),
    on(choose.boards)(['export-graph', 'Export graph…', (board) => exportGraph(ui, board)]),
    on(choose.boards)([
      'open-board',
      'Open plan as board…',
      (board) => openAsBoard(app, boardSession(board)),
    ]),
    on(choose.boards)([
      'copy-code-block',
      'Copy plan as code block…',
      (board) => copyText(codeBlockOf(services.overview.state, board), notify, BLOCK_COPIED),
    ]),
    ...rows.map(on(() => choose.writable())),
  ];
}

const BLOCK_COPIED = 'Code block copied. Paste it into a note.';

/** Finds what might be tasks in a text, and adds those that the person leaves ticked. */
async function suggestDialog(
  { plugin: { app }, services: { manager }, boards: { writes } }: UiServices,
  board: Board,
): Promise<void> {
  const text = await askForText(app, {
    title: `Add suggested tasks to ${board.title}`,
    placeholder: 'Paste a conversation or code. Checkboxes, TODO and FIXME lines are suggested.',
    yes: 'Look for tasks',
    initial: app.workspace.getActiveViewOfType(MarkdownView)?.editor.getSelection() ?? '',
    long: true,
  });
  if (text === undefined) return;
  const { session, agent, path } = board;
  const found = await writes.tried(() => suggestionsFor(manager.now, session, agent, text));
  if ('ok' in found) return writes.notify(found.message);
  if (found.length === 0)
    return writes.notify('The text has no task that is not on the board already.');
  const chosen = await choose(app, found);
  if (chosen.length === 0) return;
  const done = await writes.tried(() => addSuggestions(manager.now, board, chosen, PERSON));
  if (done.ok) writes.wrote(path, done.change, `${countOf(chosen.length, 'task')} added.`);
  else writes.notify(done.message);
}

/** What is done already is not ticked. */
async function choose(app: App, found: readonly Suggestion[]): Promise<readonly Suggestion[]> {
  const on = new Set(
    found.filter(({ status }) => status !== 'completed' && status !== 'cancelled'),
  );
  const answer = await ask(app, {
    title: `${countOf(found.length, 'task')} suggested`,
    text: 'Only those that are ticked are added.',
    answers: [{ label: 'Add ticked tasks', value: true }],
    draw: (element) => {
      const list = element.createEl('ul', { cls: 'atb-lines' });
      for (const one of found) {
        const label = list.createEl('li').createEl('label');
        const box = label.createEl('input', { type: 'checkbox' });
        box.checked = on.has(one);
        box.addEventListener('change', () => (box.checked ? on.add(one) : on.delete(one)));
        label.createSpan({ text: one.title });
        label.createSpan({ cls: 'atb-quiet', text: `${one.from}, line ${one.line}` });
      }
    },
  });
  return answer === true ? found.filter((one) => on.has(one)) : [];
}

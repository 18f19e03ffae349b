import { MarkdownView, type App, type Command, type Plugin } from 'obsidian';
import type { CoreServices } from '../app/core-services';
import type { Services } from '../app/services';
import { isFinished } from '../../core/board/facts';
import { PERSON } from '../../core/board/history/actor';
import type { Board } from '../../core/board/task';
import { addSuggestions, suggestionsFor, type Suggestion } from '../../core/exchange/text-plans';
import type { Clock } from '../../core/ports';
import { openBoard } from '../note/open-board';
import { ask, askForText, pick } from '../ui/dialog';
import { when } from '../ui/menu';
import { countOf, type BoardActions, type BoardWrites } from './board-actions';
import type { CheckpointDialogs } from './checkpoint-dialogs';
import { exportDialog } from './import-export';
import { askForTask, type Chooser } from './task-commands';

interface PlanCommandDeps {
  readonly plugin: Plugin;
  readonly parts: Pick<CoreServices, 'store' | 'clock'>;
  readonly desk: Pick<Services, 'manager' | 'repairs'>;
  readonly boards: BoardActions;
  readonly checkpoints: CheckpointDialogs;
}

/** The commands about one plan: the one that the person is in, else a picker asks which. */
export function planCommands(deps: PlanCommandDeps, choose: Chooser): readonly Command[] {
  const { parts, desk, boards: actions, checkpoints } = deps;
  const { app } = deps.plugin;
  const { writes } = actions;
  const on = (
    id: string,
    name: string,
    run: (board: Board) => Promise<void>,
    fits: (board: Board) => boolean = () => true,
    all = () => choose.writable(),
  ): Command => {
    const boards = () => all().filter(fits);
    return when(
      id,
      name,
      () => boards().length > 0,
      async () => {
        const board = await choose.board(boards());
        if (board !== undefined) await run(board);
      },
    );
  };
  const hasArchive = ({ path, archived }: Board) =>
    (archived?.size ?? 0) > 0 || desk.repairs.hasArchive(path);
  return [
    on(
      'open-note',
      'Open plan as note…',
      (board) => openBoard(app, board, undefined, false),
      undefined,
      choose.boards,
    ),
    on('add-task', 'Add task…', async (board) => {
      const title = await askForTask(app, `Add task to ${board.title}`, board);
      if (title !== undefined) await actions.add(board, title);
    }),
    on(
      'archive-finished',
      'Archive finished tasks',
      (board) => actions.archive(board),
      ({ tasks }) => tasks.some(isFinished),
    ),
    on(
      'restore-task',
      'Restore task…',
      async (board) => {
        // Those at the top of the archive, the last one first: a task comes back with all under it.
        const tasks = await desk.manager.now.archived(board.path);
        const tops = tasks.filter(({ parent }) => parent === null).reverse();
        if (tops.length === 0) return writes.notify('Its archive is empty or can’t be read.');
        const choices = tops.map((task) => ({ text: task.title, value: task }));
        const task = await pick(app, choices, 'Restore which task?', true);
        if (task !== undefined) await actions.restore(board, task);
      },
      hasArchive,
    ),
    on('add-suggested', 'Add suggested tasks…', (board) =>
      suggestDialog(app, parts.clock, desk.manager, writes, board),
    ),
    on('create-checkpoint', 'Create checkpoint', (board) => checkpoints.create(board)),
    on(
      'roll-back',
      'Roll back to checkpoint…',
      (board) => checkpoints.rollBack(board),
      () => checkpoints.any,
    ),
    on('export-board', 'Export board…', (board) => exportDialog(app, parts.store, writes, board)),
  ];
}

/** Finds what might be tasks in a text, and adds those that the person leaves ticked. */
async function suggestDialog(
  app: App,
  clock: Clock,
  manager: Services['manager'],
  writes: BoardWrites,
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
  const done = await writes.tried(() =>
    addSuggestions(manager.now, board, chosen, PERSON, clock.today()),
  );
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

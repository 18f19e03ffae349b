import { MarkdownView, type App, type Command } from 'obsidian';
import { isFinished } from '../../core/board/facts';
import { typedProblem } from '../../core/board/note/typed-task';
import type { Board } from '../../core/board/task';
import type { TodoManager } from '../../core/board/todo-manager';
import { countOf, type BoardActions, type BoardWrites } from './board-actions';
import { ask, askForText, pick } from '../ui/dialog';
import { openBoard } from '../note/open-board';
import type { Chooser } from './task-commands';
import { when } from '../ui/menu';
import { PERSON } from '../../core/board/history/actor';
import { addSuggestions, suggestionsFor, type Suggestion } from '../../core/exchange/text-plans';
import type { Clock } from '../../core/ports';

/** The commands about one plan: the one that the person is in, else a picker asks which. */
export class PlanCommands {
  constructor(
    private readonly app: App,
    private readonly choose: Chooser,
    private readonly actions: BoardActions,
    private readonly manager: () => Pick<TodoManager, 'archived'>,
    /** those that are files of their own */
    private readonly more: {
      readonly hasArchive: (board: Board) => boolean;
      readonly createCheckpoint: (board: Board) => Promise<void>;
      readonly rollBack: (board: Board) => Promise<void>;
      readonly hasCheckpoints: () => boolean;
      readonly exportBoard: (board: Board) => Promise<void>;
      readonly suggest: (board: Board) => Promise<void>;
    },
  ) {}

  list(): readonly Command[] {
    const { choose, actions, more } = this;
    const on = (
      id: string,
      name: string,
      run: (board: Board) => Promise<void>,
      boards: () => readonly Board[] = () => choose.writable(),
    ): Command =>
      when(
        id,
        name,
        () => boards().length > 0,
        async () => {
          const board = await choose.board(boards());
          if (board !== undefined) await run(board);
        },
      );
    const those = (fits: (board: Board) => boolean) => () => choose.writable().filter(fits);
    const kept = those(() => more.hasCheckpoints());
    return [
      on(
        'open-note',
        'Open plan as note…',
        (board) => openBoard(this.app, board, undefined, false),
        choose.boards,
      ),
      on('add-task', 'Add task…', (board) => this.addTask(board)),
      on(
        'archive-finished',
        'Archive finished tasks',
        (board) => actions.archive(board),
        those(({ tasks }) => tasks.some(isFinished)),
      ),
      on('restore-task', 'Restore task…', (board) => this.restore(board), those(more.hasArchive)),
      on('add-suggested', 'Add suggested tasks…', more.suggest),
      on('create-checkpoint', 'Create checkpoint', more.createCheckpoint),
      on('roll-back', 'Roll back to checkpoint…', more.rollBack, kept),
      on('export-board', 'Export board…', more.exportBoard),
    ];
  }

  private async addTask(board: Board): Promise<void> {
    const title = await askForText(this.app, {
      title: `Add task to ${board.title}`,
      placeholder: 'What is to be done',
      yes: 'Add',
      check: (text) => typedProblem(board, text),
    });
    if (title !== undefined) await this.actions.add(board, title);
  }

  /** Those at the top of the archive, the last one first: a task comes back with all under it. */
  private async restore(board: Board): Promise<void> {
    const tasks = await this.manager().archived(board.path);
    const tops = tasks.filter(({ parent }) => parent === null).reverse();
    if (tops.length === 0)
      return this.actions.writes.notify('Its archive is empty or can’t be read.');
    const choices = tops.map((task) => ({ text: task.title, value: task }));
    const task = await pick(this.app, choices, 'Restore which task?', true);
    if (task !== undefined) await this.actions.restore(board, task);
  }
}

interface SuggestDeps {
  readonly app: App;
  readonly clock: Clock;
  readonly manager: () => TodoManager;
  readonly writes: BoardWrites;
}

/** Finds what might be tasks in a text, and adds those that the person leaves ticked. */
export async function suggestDialog(deps: SuggestDeps, board: Board): Promise<void> {
  const { app, clock, manager, writes } = deps;
  const text = await askForText(app, {
    title: `Add suggested tasks to ${board.title}`,
    placeholder: 'Paste a conversation or code. Checkboxes, TODO and FIXME lines are suggested.',
    yes: 'Look for tasks',
    initial: app.workspace.getActiveViewOfType(MarkdownView)?.editor.getSelection() ?? '',
    long: true,
  });
  if (text === undefined) return;
  const { session, agent, path } = board;
  const found = await writes.tried(() => suggestionsFor(manager(), session, agent, text));
  if ('ok' in found) return writes.notify(found.message);
  if (found.length === 0)
    return writes.notify('The text has no task that is not on the board already.');
  const chosen = await choose(app, found);
  if (chosen.length === 0) return;
  const done = await writes.tried(() =>
    addSuggestions(manager(), board, chosen, PERSON, clock.today()),
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

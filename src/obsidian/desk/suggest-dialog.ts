import { MarkdownView, type App } from 'obsidian';
import { PERSON } from '../../core/board/history/actor';
import type { Suggestion } from '../../core/board/suggest/suggest-todos';
import type { Board } from '../../core/board/task';
import type { TodoManager } from '../../core/board/todo-manager';
import { counted } from './board-actions';
import type { BoardWrites } from './board-writes';
import { ask, askText } from './dialog';

export interface SuggestDeps {
  readonly app: App;
  readonly manager: () => Pick<TodoManager, 'texts'>;
  readonly writes: BoardWrites;
}

/** Finds what might be tasks in a text, and adds those that the person leaves ticked. */
export async function suggestDialog(deps: SuggestDeps, board: Board): Promise<void> {
  const { app, manager, writes } = deps;
  const text = await askText(app, {
    title: `Add suggested tasks to ${board.title}`,
    placeholder: 'Paste a conversation or code. Checkboxes, TODO and FIXME lines are suggested.',
    yes: 'Look for tasks',
    initial: app.workspace.getActiveViewOfType(MarkdownView)?.editor.getSelection() ?? '',
    long: true,
  });
  if (text === undefined) return;
  const { session, agent, path } = board;
  const found = await writes.tried(() => manager().texts.suggestions(session, agent, text));
  if ('ok' in found) return writes.notify(found.message);
  if (found.length === 0)
    return writes.notify('Nothing in the text looks like a task that is not there.');
  const chosen = await choose(app, found);
  if (chosen.length === 0) return;
  const done = await writes.tried(() => manager().texts.add(session, agent, chosen, PERSON));
  if (done.ok) writes.wrote(path, done.change, `${counted(chosen.length, 'task')} added.`);
  else writes.notify(done.message);
}

/** What is done already is not ticked. */
async function choose(app: App, found: readonly Suggestion[]): Promise<readonly Suggestion[]> {
  const on = new Set(
    found.filter(({ status }) => status !== 'completed' && status !== 'cancelled'),
  );
  const answer = await ask(app, {
    title: `${counted(found.length, 'task')} suggested`,
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

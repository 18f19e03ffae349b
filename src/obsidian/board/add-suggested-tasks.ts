import type { App } from 'obsidian';
import { PERSON } from '../../core/board/history/actor';
import type { Board } from '../../core/board/task';
import type { TodoManager } from '../../core/board/todo-manager';
import { addSuggestions, type Suggestion } from '../../core/exchange/text-plans';
import { ask } from '../ui/dialog';
import { faultText, t } from '../language/text';
import type { BoardWrites } from './board-actions';
import { plainLine } from '../ui/text';

/** Lets the person choose from the found tasks and adds them; false if none was added. */
export async function addSuggestedTasks(
  deps: {
    readonly app: App;
    readonly manager: TodoManager;
    readonly writes: Pick<BoardWrites, 'catchStoreErrors' | 'recordChange' | 'notify'>;
  },
  board: Pick<Board, 'session' | 'agent'>,
  found: readonly Suggestion[],
): Promise<boolean> {
  const { app, manager, writes } = deps;
  const chosen = await chooseSuggestions(app, found);
  if (chosen.length === 0) return false;
  const done = await writes.catchStoreErrors(() => addSuggestions(manager, board, chosen, PERSON));
  if (done.ok) writes.recordChange(done.change, t('board.tasksAdded', { count: chosen.length }));
  else writes.notify(faultText(done));
  return done.ok;
}

/** Asks which of the found tasks to add; finished ones are not ticked at first. */
async function chooseSuggestions(
  app: App,
  found: readonly Suggestion[],
): Promise<readonly Suggestion[]> {
  const ticked = new Set(
    found.filter(({ status }) => status !== 'completed' && status !== 'cancelled'),
  );
  const answer = await ask(app, {
    title: t('board.tasksSuggested', { count: found.length }),
    text: t('board.onlyTickedAreAdded'),
    answers: [{ label: t('board.addTickedTasks'), value: true }],
    draw: (element) => {
      const list = element.createEl('ul', { cls: 'atb-lines' });
      for (const one of found) {
        const label = list.createEl('li').createEl('label');
        const box = label.createEl('input', { type: 'checkbox' });
        box.checked = ticked.has(one);
        box.addEventListener('change', () => (box.checked ? ticked.add(one) : ticked.delete(one)));
        label.createSpan({ text: plainLine(one.title) });
        label.createSpan({
          cls: 'atb-quiet',
          text: t('board.fromLine', { from: sourceWord(one), line: one.line }),
        });
      }
    },
  });
  return answer === true ? found.filter((one) => ticked.has(one)) : [];
}

/** Name of a suggestion's source; TODO and FIXME are shown as written. */
function sourceWord({ from }: Suggestion): string {
  if (from === 'checkbox') return t('board.checkbox');
  return from === 'list' ? t('board.numberedList') : from;
}

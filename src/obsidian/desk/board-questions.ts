import type { App } from 'obsidian';
import { counted, type BoardQuestions } from './board-actions';
import { ask, confirm } from './dialog';

/** What a change of a board asks the person first, as dialogs. */
export function boardQuestions(app: App): BoardQuestions {
  return {
    confirmDone: (text) => confirm(app, { title: 'Mark it done?', text, yes: 'Mark done' }),
    askRemoval: ({ title }, subtasks) => {
      const question = { title: `Remove ${title}?` };
      if (subtasks === 0) {
        const answers = [{ label: 'Remove', value: 'all' as const, warns: true }];
        return ask(app, { ...question, text: 'The text under it goes with it.', answers });
      }
      return ask(app, {
        ...question,
        text: `It has ${counted(subtasks, 'subtask')}.`,
        answers: [
          { label: 'Remove all', value: 'all' as const, warns: true },
          { label: 'Keep subtasks', value: 'keep' as const },
        ],
      });
    },
  };
}

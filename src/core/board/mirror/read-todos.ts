import { tidyTitle } from '../note/title';
import { readStatus } from '../status-word';
import { PRIORITIES, type Priority, type Status } from '../task';

/** An entry of a list as the tool `todowrite` takes it. */
export interface Todo {
  readonly content: string;
  readonly status: string;
  readonly priority?: string | undefined;
}

/** An entry as a task would say it. */
export interface WantedTask {
  /** a title that fits a task line */
  readonly text: string;
  readonly status: Status;
  readonly priority: Priority;
}

/** More than any list that a person follows; each entry is an edit of the note. */
export const MOST_TODOS = 200;

/** The first 200 entries with a text; an unknown status is read as pending, an unknown priority as normal. */
export function readTodos(todos: readonly Todo[]): readonly WantedTask[] {
  return todos
    .filter(({ content }) => content.trim() !== '')
    .slice(0, MOST_TODOS)
    .map(({ content, status, priority }) => ({
      text: tidyTitle(content),
      status: readStatus(status) ?? 'pending',
      priority: PRIORITIES.find((one) => one === priority?.toLowerCase()) ?? 'normal',
    }));
}

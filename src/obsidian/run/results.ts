import type { Board } from '../../core/board/task';
import { bodyMeaning } from '../../core/board/note/body-meaning';
import type { RunView } from '../../core/orchestrator/runs';
import { taskOf } from './plan-row';
import { doneTasks, runOf } from './run-of';

/** What came of a task that is done. */
export interface Result {
  readonly id: string | null;
  readonly line: number;
  readonly title: string;
  /** one line; may be empty */
  readonly text: string;
}

/** Finished tasks: those of the run, the newest first, then those that were done otherwise. */
export function results(view: RunView, board: Board | undefined): readonly Result[] {
  const done = runOf(view)?.done ?? [];
  if (view.look.kind !== 'plan') {
    return done.toReversed().map(({ task, title, result }) => ({
      ...{ id: task, line: 0, title, text: result },
    }));
  }
  const order = new Map(done.map(({ task }, at) => [task, at]));
  const said = new Map(done.map(({ task, result }) => [task, result]));
  const place = (id: string | null) => (id === null ? -1 : (order.get(id) ?? -1));
  return doneTasks(view)
    .map((planned) => {
      const task = taskOf(board, planned);
      const onBoard = task === undefined ? undefined : bodyMeaning(task).results.at(-1);
      const { id, line, title } = planned;
      return { id, line, title, text: onBoard ?? (id === null ? '' : (said.get(id) ?? '')) };
    })
    .sort((a, b) => place(b.id) - place(a.id));
}

import type { Board, Task } from '../../src/core/board/task';

export interface FoundTask {
  readonly board: Board;
  readonly task: Task;
}

/** Finds the task that a script names: by its title, else by its trimmed title, its id or `#2`. */
export function findTask(
  boards: readonly Board[],
  sessionId: string,
  title: string,
): FoundTask | undefined {
  const all = boards
    .filter((board) => board.session === sessionId)
    .flatMap((board) => board.tasks.map((task) => ({ board, task })));
  const plain = title.trim();
  return (
    all.find(({ task }) => task.title === title) ??
    all.find(({ task }) => task.title.trim() === plain) ??
    all.find(({ task }) => task.id === plain || (task.n !== null && `#${task.n}` === plain))
  );
}

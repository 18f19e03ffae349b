import type { Board } from '../../core/board/task';
import type { SessionItem } from './session-item';

/** The sessions whose titles or tasks hold the words, with those tasks and the ones above them. */
export function filterItems(items: readonly SessionItem[], text: string): readonly SessionItem[] {
  const words = text.trim().toLocaleLowerCase();
  if (words === '') return items;
  return items.flatMap((item) => {
    if (item.title.toLocaleLowerCase().includes(words)) return [item];
    const boards = item.boards
      .map((board) => filterBoard(board, words))
      .filter((board) => board.tasks.length > 0);
    const children = filterItems(item.children, words);
    return boards.length + children.length === 0 ? [] : [{ ...item, boards, children }];
  });
}

function filterBoard(board: Board, words: string): Board {
  const byKey = new Map(board.tasks.map((task) => [task.key, task]));
  const shown = new Set<string>();
  for (const task of board.tasks) {
    if (!task.title.toLocaleLowerCase().includes(words)) continue;
    for (let at = task; !shown.has(at.key);) {
      shown.add(at.key);
      const parent = at.parent === null ? undefined : byKey.get(at.parent);
      if (parent === undefined) break;
      at = parent;
    }
  }
  return { ...board, tasks: board.tasks.filter((task) => shown.has(task.key)) };
}

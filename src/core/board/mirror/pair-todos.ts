import type { Board, Task } from '../task';
import type { Mirrored, MirroredTask } from './mirrored';
import type { WantedTask } from './read-todos';

/** An entry of the list and the task that it is. */
export interface Pair {
  readonly wanted: WantedTask;
  /** undefined: a new entry */
  readonly last: MirroredTask | undefined;
  /** undefined: a new entry, or a task that a person took away */
  readonly task: Task | undefined;
}

export interface Pairing {
  /** one per entry, in the order of the list */
  readonly pairs: readonly Pair[];
  /** mirrored before, and in the list no more */
  readonly vanished: readonly MirroredTask[];
  /** vanished before, and still not back */
  readonly gone: readonly MirroredTask[];
}

/**
 * Which task each entry is: the one that the agent called so, else the one at its place in the list
 * if its text is gone from it, else one that vanished under this text, else any task of the board
 * that nobody else is and that has this title.
 */
export function pairTodos(
  board: Board,
  wanted: readonly WantedTask[],
  { items, gone }: Mirrored,
): Pairing {
  const left = new Set(items);
  const away = new Set(gone);
  const byText = (from: Set<MirroredTask>, text: string): MirroredTask | undefined =>
    taken(
      from,
      [...from].find((one) => one.text === text),
    );
  const named = wanted.map(({ text }) => byText(left, text));
  const placed = wanted.map((_, at) => named[at] ?? taken(left, items[at]));
  const found = wanted.map(({ text }, at) => placed[at] ?? byText(away, text));
  const tasks = new Map(board.tasks.map((task) => [task.key, task]));
  const known = new Set([...items, ...gone].map(({ id }) => id));
  const free = new Set(board.tasks.filter(({ key }) => !known.has(key)));
  const pairs = wanted.map((one, at): Pair => {
    const last = found[at];
    const own = last && tasks.get(last.id);
    const task =
      own ??
      taken(
        free,
        [...free].find(({ title }) => title === one.text),
      );
    return { wanted: one, last, task };
  });
  return { pairs, vanished: [...left], gone: [...away] };
}

/** Takes one out of a set; undefined where it is not in it. */
function taken<T>(from: Set<T>, one: T | undefined): T | undefined {
  return one !== undefined && from.delete(one) ? one : undefined;
}

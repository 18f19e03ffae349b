import type { Board } from '../task';
import type { Finding } from './finding';

/** Boards whose ids can be those of another board's tasks, as after a folder was copied. */
export function sharedPrefixes(boards: readonly Board[]): readonly Finding[] {
  const first = new Map<string, Board>();
  return boards.flatMap((board): readonly Finding[] => {
    const { prefix, path, broken, continued } = board;
    // A plan that goes on elsewhere took its ids along.
    if (broken !== null || continued !== undefined) return [];
    const other = first.get(prefix);
    if (other === undefined) {
      first.set(prefix, board);
      return [];
    }
    const text = `The ids of this board begin with ${prefix}, as those of ${other.path} do. Links to a task may lead to the other; give one of the boards another prefix in its header, and in its ids.`;
    return [{ kind: 'shared-prefix', path, line: 0, text }];
  });
}

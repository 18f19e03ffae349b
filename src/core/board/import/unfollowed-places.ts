import { parseNote } from '../note/parse-note';
import type { Left } from './imported-plan';

/**
 * What the index of a folder of notes says otherwise than the board that its notes were merged into:
 * where tasks stand, and which there are. The board's stays, so it has to be told.
 */
export function unfollowedPlaces(folder: string, merged: string): readonly Left[] {
  const wanted = placesIn(folder);
  const now = placesIn(merged);
  const left: Left[] = [];
  const extra = [...now].filter(([id]) => !wanted.has(id));
  const [first] = extra;
  if (first !== undefined) {
    const count = extra.length === 1 ? '1 task' : `${extra.length} tasks`;
    const why =
      'Not in the folder, but on the board: they stay. Remove them there if that is meant.';
    left.push({ what: `${count}, as ${first[0]}`, why });
  }
  const common = (all: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): string =>
    JSON.stringify([...all].filter(([id]) => other.has(id)));
  if (common(wanted, now) !== common(now, wanted)) {
    const why = 'The board has another order, hierarchy or headings, which stay; move tasks there.';
    left.push({ what: 'index.md', why });
  }
  return left;
}

/** By id, in the order of the note: under what a task stands. */
function placesIn(text: string): ReadonlyMap<string, string> {
  const { tasks } = parseNote('board.md', text).board;
  return new Map(
    tasks.flatMap(({ id, parent, phase }) =>
      id === null ? [] : [[id, `${parent ?? ''} ${phase ?? ''}`] as const],
    ),
  );
}

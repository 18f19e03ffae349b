import type { JoinedNotes } from '../folder-layout/join-notes';
import { segmentsOf } from '../folder-layout/segments';
import { textMark } from '../folder-layout/text-mark';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import type { Left } from './imported-plan';

/**
 * What the index of a folder of notes says otherwise than the board that its notes were merged into:
 * which tasks there are, where they stand, and the text around them. The board's stays, so it has to
 * be told; but not where the index is as it was exported, since then the board alone was changed.
 */
export function unfollowedPlaces(
  { base, text, exported }: JoinedNotes,
  merged: string,
): readonly Left[] {
  if (textMark(base) === exported) return [];
  const [folder, board] = [parseNote('board.md', text), parseNote('board.md', merged)];
  const [wanted, now] = [placesIn(folder), placesIn(board)];
  const left: Left[] = [];
  const extra = [...now].filter(([id]) => !wanted.has(id));
  const [first] = extra;
  if (first !== undefined) {
    const count = extra.length === 1 ? '1 task' : `${extra.length} tasks`;
    const why =
      'Not in the folder, but on the board: they stay. Remove them there if that is meant.';
    left.push({ what: `${count}, as ${first[0]}`, why });
  }
  const common = (all: Places, other: Places): string =>
    JSON.stringify([...all].filter(([id]) => other.has(id)));
  if (common(wanted, now) !== common(now, wanted) || ownText(folder) !== ownText(board)) {
    const since =
      exported === undefined
        ? 'it does not say what was exported'
        : 'the board was changed since the export';
    const why = `Its order, hierarchy, headings and free text were not followed, since ${since}; change them on the board.`;
    left.push({ what: 'index.md', why });
  }
  return left;
}

type Places = ReadonlyMap<string, string>;

/** By id, in the order of the note: under what a task stands. */
function placesIn({ board }: Note): Places {
  return new Map(
    board.tasks.flatMap(({ id, parent, phase }) =>
      id === null ? [] : [[id, `${parent ?? ''} ${phase ?? ''}`] as const],
    ),
  );
}

/** What is no task's: front matter but for what every write counts up, headings and free text. */
function ownText({ text, layout }: Note): string {
  if (layout === null) return '';
  const header = text.slice(0, layout.header.end).replace(/^(?:next|rev):.*$/gm, '');
  const free = segmentsOf(text, layout).filter(({ task }) => task === -1);
  const lines = [header, ...free.map((one) => one.text)].flatMap((part) =>
    part.split(/\r\n|\r|\n/),
  );
  return lines.filter((line) => line.trim() !== '').join('\n');
}

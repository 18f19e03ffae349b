import { refuse, type EditResult } from '../note/edit-result';
import type { Layout, Note } from '../note/note';
import { parseNote, titleHeading } from '../note/parse-note';
import { placeFor } from '../note/place';
import { sameTasks } from '../note/same-tasks';
import type { BlockText } from './block-text';

/** Puts a block behind the last task of its phase, which is made if it is gone. */
export function putBlock(note: Note, block: BlockText): EditResult {
  const { layout, board, text } = note;
  if (layout === null) return refuse('broken_note', board.broken?.reason ?? '');
  const place = placeIn(note, layout, block.phase);
  if (!place.ok) return place;
  const lines = block.text.split(/\r\n|\r|\n/).join(place.eol);
  const put = [...place.before, lines].map((line) => place.eol + line).join('');
  const edited = text.slice(0, place.at) + put + text.slice(place.at);
  const now = parseNote(board.path, edited).board.tasks;
  const at = now.findIndex(({ id }) => id === block.ids[0]);
  const family = now.slice(at, at + block.ids.length);
  const stands =
    at >= 0 &&
    now[at]?.parent === null &&
    now[at].phase === block.phase &&
    family.every(({ id }, i) => id === block.ids[i]) &&
    sameTasks(board.tasks, now.toSpliced(at, family.length), true);
  return stands ? { ok: true, text: edited } : refuse('bad_place', NO_PLACE);
}

const NO_PLACE =
  'There is no place where the task could stand without changing what other lines belong to.';

/** What stands under no heading goes behind the last such task, else below the title. */
function placeIn(note: Note, layout: Layout, phase: string | null): ReturnType<typeof placeFor> {
  if (phase !== null) return placeFor(note, layout, { phase });
  const { tasks, title } = note.board;
  const last = tasks.findLast((task) => task.parent === null && task.phase === null);
  if (last !== undefined) return placeFor(note, layout, { after: last.key });
  const { headings } = layout.scan;
  const heading = headings[titleHeading(headings, title)];
  const at = heading?.end ?? layout.header.close + '---'.length;
  const before = heading === undefined ? [] : [''];
  return { ok: true, at, eol: layout.eol, before, indent: '', marker: '-' };
}

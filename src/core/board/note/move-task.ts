import { behindLine, cutLines, reindented } from './block-lines';
import { findTask, type Found } from './edit-line';
import { refuse, type EditRefusal, type EditResult } from './edit-result';
import type { Note } from './note';
import { parseNote } from './parse-note';
import { placeFor } from './place';
import { sameTasks } from './same-tasks';
import { checkTitle } from './title';

/** Where a task shall stand: exactly one of them. */
export interface Target {
  /** id of the task that it shall follow, as its sibling */
  readonly after?: string;
  /** id of the task whose last sub-task it shall be */
  readonly parent?: string;
  /** text of the heading under which it shall be the last */
  readonly phase?: string;
}

/**
 * Moves a task with all that belongs to it. Its lines stay as they are but for their indentation; all
 * other lines stay where they are.
 */
export function moveTask(note: Note, key: string, target: Target): EditResult {
  const found = findTask(note, key);
  if (!found.ok) return found;
  const checked = checkTarget(note, found, target);
  if (!checked.ok) return checked;
  const { block, task, index } = found;
  const { text, board } = note;
  const rest = parseNote(board.path, cutLines(text, block.start, behindLine(text, block.end)));
  if (!rest.layout) return refuse('bad_place', STAYS);
  const place = placeFor(rest, rest.layout, checked.target);
  if (!place.ok) return place;
  const lines = reindented(text, block, place.indent);
  const put = place.before.map((line) => place.eol + line).join('') + place.eol + lines;
  const moved = rest.text.slice(0, place.at) + put + rest.text.slice(place.at);
  const now = parseNote(board.path, moved);
  const size = familySize(found);
  const at = now.board.tasks.findIndex(({ id }) => id === task.id);
  const family = now.board.tasks.slice(at, at + size);
  const others = now.board.tasks.filter((_, i) => i < at || i >= at + size);
  const fits =
    rest.board.tasks.length + size === now.board.tasks.length &&
    sameTasks(board.tasks.slice(index, index + size), family, false) &&
    sameTasks(rest.board.tasks, others, true) &&
    sameTasks(board.tasks.toSpliced(index, size), others, true) &&
    stands(now, family[0]?.parent ?? null, checked.target);
  return fits ? { ok: true, text: moved } : refuse('bad_place', STAYS);
}

const STAYS =
  'Moving it would change what other lines of the note belong to. Choose another place, or move it in the note.';

function checkTarget(
  note: Note,
  { index, task, layout }: Found,
  target: Target,
): { ok: true; target: Target } | EditRefusal {
  const { phase } = target;
  if (phase !== undefined) {
    const checked = checkTitle(phase, 'phase');
    return checked.ok
      ? { ok: true, target: { phase: checked.title } }
      : { ...checked, code: 'bad_phase' };
  }
  const named = note.board.tasks.findIndex(({ key }) => key === (target.after ?? target.parent));
  for (let at = named; at >= 0; at = layout.scan.blocks[at]?.parent ?? -1) {
    if (at !== index) continue;
    const what = named === index ? 'itself' : 'its own sub-task';
    return refuse('bad_place', `"${task.title}" can't stand under or behind ${what}.`);
  }
  return { ok: true, target };
}

/** How many tasks a block holds, its own included; they follow each other. */
export function familySize({ index, block, layout }: Found): number {
  const { blocks } = layout.scan;
  let end = index + 1;
  while ((blocks[end]?.depth ?? 0) > block.depth) end += 1;
  return end - index;
}

function stands(now: Note, parent: string | null, { after, parent: under }: Target): boolean {
  if (after === undefined) return parent === (under ?? null);
  return now.board.tasks.find(({ key }) => key === after)?.parent === parent;
}

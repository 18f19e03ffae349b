import { behindLine, cutLines, reindented } from './block-lines';
import { findTask, type Found } from './edit-line';
import { refuse, type EditResult } from './edit-result';
import { familySize } from './move-task';
import type { Note } from './note';
import { parseNote } from './parse-note';
import { sameTasks } from './same-tasks';

/** What becomes of sub-tasks: they go too, or take the place of the task. Its text goes either way. */
export type Removal = 'cascade' | 'promote';

/**
 * Removes a task's line. One with sub-tasks (`has_children`) or text under it (`has_body`) goes only
 * where `how` says what becomes of them.
 */
export function removeTask(note: Note, key: string, how?: Removal): EditResult {
  const found = findTask(note, key);
  if (!found.ok) return found;
  const { task, block, index, layout } = found;
  const children = layout.scan.blocks.filter((other) => other.parent === index);
  if (how === undefined && children.length > 0) {
    const many = children.length === 1 ? '1 sub-task' : `${children.length} sub-tasks`;
    return refuse(
      'has_children',
      `"${task.title}" has ${many}. Send "cascade": true to remove them too, or "promote": true to keep them in its place.`,
    );
  }
  if (how === undefined && block.hasText) {
    return refuse(
      'has_body',
      `"${task.title}" has text under it. Send "cascade": true to remove it too.`,
    );
  }
  const { text } = note;
  if (how === undefined) {
    return { ok: true, text: cutLines(text, block.start, behindLine(text, block.lineEnd)) };
  }
  const kept = how === 'promote' ? promoted(note, found) : '';
  const next = behindLine(text, block.end);
  const without =
    kept === ''
      ? cutLines(text, block.start, next)
      : text.slice(0, block.start) + kept + text.slice(block.end);
  return checked(note, found, without, how);
}

/** The blocks of the direct sub-tasks, indented as the task was, without the last line end. */
function promoted({ text }: Note, { block, index, layout }: Found): string {
  const indent = text.slice(block.start, block.marker);
  const children = layout.scan.blocks.filter((other) => other.parent === index);
  return children
    .map((child, at) => {
      const end = text.slice(child.end, behindLine(text, child.end)) || layout.eol;
      return reindented(text, child, indent) + (at < children.length - 1 ? end : '');
    })
    .join('');
}

/** What else the note says must be as before. */
function checked(note: Note, found: Found, text: string, how: Removal): EditResult {
  const { tasks } = note.board;
  const { index, task } = found;
  const size = familySize(found);
  const rest =
    how === 'cascade'
      ? tasks.toSpliced(index, size)
      : tasks
          .map((one) => (one.parent === task.key ? { ...one, parent: task.parent } : one))
          .toSpliced(index, 1);
  if (sameTasks(rest, parseNote(note.board.path, text).board.tasks, true)) {
    return { ok: true, text };
  }
  const message = `Removing "${task.title}" would change what other lines of the note belong to. Move them first.`;
  return refuse('bad_place', message);
}

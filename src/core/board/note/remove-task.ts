import { findTask } from './edit-line';
import { refuse, type EditResult } from './edit-result';
import type { Note } from './note';

/** Removes the line of a task that has neither sub-tasks (`has_children`) nor text under it (`has_body`). */
export function removeTask(note: Note, key: string): EditResult {
  const found = findTask(note, key);
  if (!found.ok) return found;
  const { task, block, index, layout } = found;
  const children = layout.scan.blocks.filter((other) => other.parent === index).length;
  if (children > 0) {
    const many = children === 1 ? '1 sub-task' : `${children} sub-tasks`;
    return refuse('has_children', `"${task.title}" has ${many}. Remove or move them first.`);
  }
  if (block.hasText) {
    return refuse('has_body', `"${task.title}" has text under it. Remove that in the note first.`);
  }
  const { text } = note;
  let end = block.lineEnd;
  if (text.charAt(end) === '\r') end += 1;
  if (text.charAt(end) === '\n') end += 1;
  // A CR before and an LF behind would become one line end; then the line's own LF stays with the CR.
  if (text.charAt(block.start - 1) === '\r' && text.charAt(end) === '\n') end -= 1;
  return { ok: true, text: text.slice(0, block.start) + text.slice(end) };
}

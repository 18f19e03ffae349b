import { fieldValue } from '../note/head';
import type { Note } from '../note/note';
import { readTaskLine } from '../note/task-line';
import { tidyTitle } from '../note/title';
import type { Task } from '../task';
import type { ImportedPlan, ImportedTask } from './imported-plan';

/** `[source:: backlog/Backlog/TASK-1]`: what an imported task was in its source. */
export const SOURCE_FIELD = 'source';

/** What an imported task's line says of its source; null where the source has no ids. */
export function sourceMark(plan: ImportedPlan, { ref }: ImportedTask): string | null {
  return ref === null ? null : tidyTitle(`${plan.kind}/${plan.name}/${ref}`);
}

/** The tasks of a board by what their lines say of their source; the first of each. */
export function markedTasks({ board, layout, text }: Note): ReadonlyMap<string, Task> {
  const marked = new Map<string, Task>();
  layout?.scan.blocks.forEach((block, at) => {
    if (!text.slice(block.after, block.lineEnd).includes(SOURCE_FIELD)) return;
    const line = readTaskLine(text, block.after, block.lineEnd);
    const field = line.fields.find(({ key }) => key === SOURCE_FIELD);
    const task = board.tasks[at];
    if (field === undefined || task === undefined) return;
    const value = fieldValue(text, field);
    if (!marked.has(value)) marked.set(value, task);
  });
  return marked;
}

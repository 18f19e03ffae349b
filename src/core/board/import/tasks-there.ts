import type { Note } from '../note/note';
import type { Task } from '../task';
import type { ImportedPlan, ImportedTask } from './imported-plan';
import { ImportSection } from './import-section';
import { markedTasks, sourceMark } from './source-marks';

/** The board's tasks that an earlier import brought, by key in the plan. */
export type There = ReadonlyMap<string, Task>;

/**
 * Which tasks of a plan a board has already: one whose line names that source; where the source has
 * no ids, one with that title under that parent or heading of the import. Each stands for one task.
 */
export function tasksThere(note: Note, plan: ImportedPlan): There {
  const there = new Map<string, Task>();
  if (note.layout === null) return there;
  const section = new ImportSection(note, note.layout, plan.name);
  const marked = markedTasks(note);
  const titled = byPlace(note);
  for (const task of plan.tasks) {
    const mark = sourceMark(plan, task);
    const found =
      mark === null ? titled.get(placeOf(task, section, there))?.shift() : marked.get(mark);
    if (found !== undefined) there.set(task.key, found);
  }
  return there;
}

/** The board's tasks by parent or heading, and title. */
function byPlace({ board, layout }: Note): ReadonlyMap<string, Task[]> {
  const places = new Map<string, Task[]>();
  board.tasks.forEach((task, at) => {
    const heading = layout?.scan.blocks[at]?.heading ?? -1;
    const place = JSON.stringify([task.parent ?? heading, task.title]);
    const list = places.get(place);
    if (list) list.push(task);
    else places.set(place, [task]);
  });
  return places;
}

function placeOf(task: ImportedTask, section: ImportSection, there: There): string {
  if (task.parent !== null)
    return JSON.stringify([there.get(task.parent)?.key ?? null, task.title]);
  const heading = section.heading(task.phase);
  return JSON.stringify([heading < 0 ? null : heading, task.title]);
}

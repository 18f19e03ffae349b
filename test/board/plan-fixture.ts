import { applyPlan, type AppliedPlan } from '../../src/core/exchange/apply-plan';
import type { ImportedPlan } from '../../src/core/exchange/imported-plan';
import { PlanBuilder } from '../../src/core/exchange/plan-builder';
import type { SourceTask } from '../../src/core/exchange/source-task';
import { newNoteText } from '../../src/core/board/note/edit-header';
import { parseNote } from '../../src/core/board/note/parse-note';

/** A new, empty board, as an import makes it. */
export const FRESH = newNoteText({ session: 's', agent: 'a', title: 'Plan', prefix: 'k3f9' });

/** A plan of another program, without files. */
export function plan(tasks: readonly SourceTask[], name = 'Elsewhere'): ImportedPlan {
  const builder = new PlanBuilder();
  for (const task of tasks) builder.add(task);
  return builder.build({ kind: 'task-master', name });
}

/** Applies a plan to the board in the text, or to a new one. */
export function applyToBoard(text: string | undefined, given: ImportedPlan): AppliedPlan {
  const note = text === undefined ? undefined : parseNote('p.md', text);
  const done = applyPlan(note, given, { path: 'p.md', fresh: FRESH });
  if (!done.ok) throw new Error(`${done.code}: ${done.message}`);
  return done;
}

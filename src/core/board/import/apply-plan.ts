import { headerSplices } from '../note/edit-header';
import type { EditRefusal } from '../note/edit-result';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { applySplices, type Splice } from '../note/splice';
import { withIds } from '../operation/edit-chain';
import { fault } from '../operation/outcome';
import type { Fault } from '../operation/read-operation';
import { changedOtherwise } from './check-applied';
import type { ImportedPlan, Left } from './imported-plan';
import { ImportSection, type Spot } from './import-section';
import { placeFor } from '../note/place';
import { PlanLines, type PlacedTask } from './plan-lines';
import { tasksThere, type There } from './tasks-there';
import { withoutArchived } from './without-archived';

export interface ApplyContext {
  readonly path: string;
  /** the text of a board that is made; undefined where there is one to add to */
  readonly fresh: string | undefined;
  /** the note of what was archived of the board */
  readonly archive?: Note | undefined;
}

export interface AppliedPlan {
  readonly ok: true;
  readonly text: string;
  /** tasks that were added */
  readonly added: number;
  /** tasks that an earlier import had brought; they are left as they are, archived ones too */
  readonly there: number;
  /** what could not be written as it stands in the plan */
  readonly left: readonly Left[];
}

/**
 * Adds the tasks of a plan to a board, or to a new one: under a heading of level 2 with the source's
 * name, phases as headings of level 3. What an earlier import brought is not added again: a task with
 * the same source, or where that has no ids with the same title in the same place. All tasks or none.
 * Pure.
 */
export function applyPlan(
  note: Note | undefined,
  given: ImportedPlan,
  context: ApplyContext,
): AppliedPlan | Fault {
  const { plan, archived } = withoutArchived(given, context.archive);
  const done = addTasks(note, plan, context);
  return done.ok ? { ...done, there: done.there + archived } : done;
}

function addTasks(
  note: Note | undefined,
  plan: ImportedPlan,
  context: ApplyContext,
): AppliedPlan | Fault {
  const text = note?.text ?? context.fresh;
  if (text === undefined) return fault('unknown_board', 'The board is gone. Import again.');
  const before = note ?? parseNote(context.path, text);
  const { broken } = before.board;
  if (broken !== null) return fault('broken_note', `The board needs repair. ${broken.reason}`);
  const named = withNamedIds(before, plan);
  if (!named.ok) return named;
  const { note: now, there } = named;
  if (there.size === plan.tasks.length && note !== undefined) {
    return { ok: true, text: note.text, added: 0, there: there.size, left: [] };
  }
  const lines = new PlanLines(plan, there, now);
  const splices = splicesFor(now, plan, lines, there);
  if (!('length' in splices)) return splices;
  const after = parseNote(context.path, applySplices(now.text, splices));
  const wrong = changedOtherwise(now, after, lines.placed, plan.name);
  if (wrong !== undefined) return fault('bad_place', wrong);
  const { left, placed } = lines;
  return { ok: true, text: after.text, added: placed.length, there: there.size, left };
}

/** Tasks that are there and that new ones name get an id. */
function withNamedIds(
  note: Note,
  plan: ImportedPlan,
): { ok: true; note: Note; there: There } | Fault {
  const there = tasksThere(note, plan);
  const used = new Set(
    plan.tasks
      .filter(({ key }) => !there.has(key))
      .flatMap(({ parent, dependsOn }) => (parent === null ? dependsOn : [parent, ...dependsOn])),
  );
  const tasks = [...there].flatMap(([key, task]) => (used.has(key) ? [task] : []));
  const named = withIds(note, tasks);
  if (!named.ok) return named;
  return { ok: true, note: named.note, there: tasksThere(named.note, plan) };
}

function splicesFor(
  note: Note,
  plan: ImportedPlan,
  lines: PlanLines,
  there: There,
): readonly Splice[] | EditRefusal {
  const { layout } = note;
  if (layout === null) throw new Error('assertion: a note that can be read has a layout');
  const section = new ImportSection(note, layout, plan.name);
  const next = layout.next + lines.placed.length;
  const splices: Splice[] = [...headerSplices(layout, 'next', String(next))];
  for (const [anchor, tasks] of anchored(lines.placed, there)) {
    const spot = 'under' in anchor ? under(note, anchor.under) : section.spot(anchor.phase);
    if (!('at' in spot)) return spot;
    const { at, eol, before, indent } = spot;
    const put = [...before, ...lines.written(tasks, indent)].map((line) => eol + line).join('');
    splices.push({ from: at, to: at, text: put });
  }
  return splices;
}

function under(note: Note, key: string): Spot | EditRefusal {
  if (note.layout === null) throw new Error('assertion: a note that can be read has a layout');
  return placeFor(note, note.layout, { parent: key });
}

type Anchor = { readonly under: string } | { readonly phase: string | null };

/** The new tasks at whose top nothing new stands, by where they go; those without a phase first. */
function anchored(
  placed: readonly PlacedTask[],
  there: There,
): readonly (readonly [Anchor, readonly PlacedTask[]])[] {
  const groups = new Map<string, [Anchor, PlacedTask[]]>();
  const own = new Set(placed.map(({ task }) => task.key));
  for (const one of placed) {
    const { parent, phase } = one.task;
    if (parent !== null && own.has(parent)) continue;
    const above = parent === null ? undefined : there.get(parent);
    const anchor = above === undefined ? { phase } : { under: above.key };
    const name = JSON.stringify(anchor);
    const group = groups.get(name);
    if (group) group[1].push(one);
    else groups.set(name, [anchor, [one]]);
  }
  const plain = (anchor: Anchor): number => ('phase' in anchor && anchor.phase !== null ? 1 : 0);
  return [...groups.values()].toSorted(([a], [b]) => plain(a) - plain(b));
}

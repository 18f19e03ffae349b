import { withIds } from '../board/note/give-id';
import type { WholePlan } from '../board/history/board-writer';
import { headerSplices } from '../board/note/edit-header';
import { applySplices, type Splice } from '../board/note/edit-result';
import { sameTasks, type Note } from '../board/note/note';
import { parseNote } from '../board/note/parse-note';
import type { ImportedPlan, ImportLoss } from './imported-plan';
import {
  ImportSection,
  tasksBySource,
  PlanLines,
  sameText,
  sourceTaskFinder,
  findExistingTasks,
  type PlacedTask,
  type InsertPlace,
  type ExistingTasks,
} from './plan-lines';
import { placeFor } from '../board/note/place-task';
import type { Fault } from '../fault';
import { importFault } from './import-fault';
import { OWN_FIELDS } from '../board/note/line-facts';
import { lineExtras, sameExtras } from '../board/note/line-extras';
import type { Task } from '../board/task';
import { groupByKey } from '../board/group-by-key';

interface PlanContext {
  readonly path: string;
  /** text of the new board; undefined if the board exists */
  readonly fresh: string | undefined;
  /** the board's archive note */
  readonly archive?: Note | undefined;
}

export interface AppliedPlan extends WholePlan {
  /** number of tasks added */
  readonly added: number;
  /** tasks from an earlier import, archived ones included; they are left unchanged */
  readonly there: number;
  /** what could not be written as it is in the plan */
  readonly left: readonly ImportLoss[];
}

/**
 * Adds a plan's tasks to a board or a new one: under a heading of level 2 with the source's name,
 * with phases as headings of level 3. Skips tasks from an earlier import: those with the same
 * source, or if the source has no ids, those with the same title in the same place. Adds all tasks
 * or none. Pure.
 */
export function applyPlan(
  note: Note | undefined,
  given: ImportedPlan,
  context: PlanContext,
): AppliedPlan | Fault {
  const { plan, archived } = withoutArchivedTasks(given, context.archive);
  const done = addTasks(note, plan, context);
  return done.ok ? { ...done, there: done.there + archived } : done;
}

function addTasks(
  note: Note | undefined,
  plan: ImportedPlan,
  context: PlanContext,
): AppliedPlan | Fault {
  const text = note?.text ?? context.fresh;
  if (text === undefined) return importFault('unknown_board', 'boardGone');
  const before = note ?? parseNote(context.path, text);
  const { broken } = before.board;
  if (broken !== null)
    return importFault('broken_note', 'boardBroken', { why: [broken.reason, broken.said] });
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
  const wrong = misreadFault(now, after, lines.placed, plan);
  if (wrong !== undefined) return wrong;
  const { left, placed } = lines;
  return { ok: true, text: after.text, added: placed.length, there: there.size, left };
}

/** Gives ids to existing tasks that new ones refer to. */
function withNamedIds(
  note: Note,
  plan: ImportedPlan,
): { ok: true; note: Note; there: ExistingTasks } | Fault {
  const there = findExistingTasks(note, plan);
  const used = new Set(
    plan.tasks
      .filter(({ key }) => !there.has(key))
      .flatMap(({ parent, dependsOn }) => (parent === null ? dependsOn : [parent, ...dependsOn])),
  );
  const tasks = [...there].flatMap(([key, task]) => (used.has(key) ? [task] : []));
  const named = withIds(note, tasks);
  if (!named.ok) return named;
  return { ok: true, note: named, there: findExistingTasks(named, plan) };
}

function splicesFor(
  note: Note,
  plan: ImportedPlan,
  lines: PlanLines,
  there: ExistingTasks,
): readonly Splice[] | Fault {
  const { layout } = note;
  if (layout === null) throw new Error('assertion: a note that can be read has a layout');
  const section = new ImportSection(note, layout, plan);
  const next = layout.next + lines.placed.length;
  const splices: Splice[] = [...headerSplices(layout, 'next', String(next))];
  for (const [anchor, tasks] of groupByAnchor(lines.placed, there)) {
    const place =
      'under' in anchor ? placeUnderTask(note, anchor.under) : section.insertPlace(anchor.phase);
    if (!('at' in place)) return place;
    const { at, eol, before, indent } = place;
    const put = [...before, ...lines.linesFor(tasks, indent)].map((line) => eol + line).join('');
    splices.push({ from: at, to: at, text: put });
  }
  return splices;
}

function placeUnderTask(note: Note, key: string): InsertPlace | Fault {
  if (note.layout === null) throw new Error('assertion: a note that can be read has a layout');
  return placeFor(note, note.layout, { parent: key });
}

type Anchor = { readonly under: string } | { readonly phase: string | null };

/** Groups the topmost new tasks by the place to insert them; those without a phase come first. */
function groupByAnchor(
  placed: readonly PlacedTask[],
  there: ExistingTasks,
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

/**
 * Checks that after an import the old tasks are unchanged and the new ones are parsed as intended.
 * @param plan unless it is one of our boards, its name is the heading of tasks without a phase
 */
function misreadFault(
  before: Note,
  after: Note,
  placed: readonly PlacedTask[],
  plan: ImportedPlan,
): Fault | undefined {
  const { broken, tasks } = after.board;
  if (broken !== null)
    return importFault('bad_place', 'breaksBoard', { why: [broken.reason, broken.said] });
  const own = new Map(placed.map((one) => [one.id, one]));
  const old = tasks.filter(({ id }) => id === null || !own.has(id));
  if (!sameTasks(before.board.tasks, old, true)) {
    return importFault('bad_place', 'changesOthers');
  }
  const read = new Map(tasks.map((task, at) => [task.id, { task, at }]));
  const lost = placed.find((one) => {
    const found = read.get(one.id);
    if (found === undefined || !fits(one, found.task, plan.board === undefined ? plan.name : null))
      return true;
    return !sameExtras(lineExtras(after, found.at), one.extras);
  });
  if (lost === undefined) return undefined;
  return importFault('bad_place', 'misread', { task: lost.task.title });
}

function fits(
  { task, parent, dependsOn, body }: PlacedTask,
  read: Task,
  name: string | null,
): boolean {
  return (
    read.title === task.title &&
    read.status === task.status &&
    read.mark === task.mark &&
    read.priority === task.priority &&
    read.parent === parent &&
    (parent !== null || read.phase === (task.phase ?? name)) &&
    read.dependsOn.join(',') === dependsOn.join(',') &&
    sameText(read.body, body) &&
    FIELDS.every((name) => read[name] === task[name])
  );
}

const FIELDS = [...OWN_FIELDS, 'due', 'done', 'cancelled'] as const;

/**
 * Removes tasks that an earlier import added and that were archived since. They are recognised by
 * their source, or by their title if the source has no ids. Their subtasks move to the top level,
 * and nothing depends on them any more.
 */
function withoutArchivedTasks(plan: ImportedPlan, archive: Note | undefined) {
  if (archive === undefined || archive.board.tasks.length === 0) return { plan, archived: 0 };
  const known = sourceTaskFinder(archive, plan);
  const own = new Set([...tasksBySource(archive).values()].map(({ key }) => key));
  const titled = groupByKey(
    archive.board.tasks.filter(({ key }) => !own.has(key)),
    ({ title }) => title,
  );
  const gone = new Set(
    plan.tasks.flatMap((task) => {
      const found: Task | undefined =
        task.ref === null ? titled.get(task.title)?.shift() : known(task);
      return found === undefined ? [] : [task.key];
    }),
  );
  const tasks = plan.tasks
    .filter(({ key }) => !gone.has(key))
    .map((task) => ({
      ...task,
      parent: task.parent !== null && gone.has(task.parent) ? null : task.parent,
      dependsOn: task.dependsOn.filter((key) => !gone.has(key)),
    }));
  return { plan: { ...plan, tasks }, archived: gone.size };
}

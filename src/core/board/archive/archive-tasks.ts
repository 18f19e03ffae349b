import { refuseChange } from '../change-faults';
import { withIds } from '../note/give-id';
import { locateTask, setTaskFields, type LocatedTask, applyEdits } from '../note/edit-task';
import { isFinished } from '../facts';
import { sameTasks, type Layout, type Note } from '../note/note';
import { titleHeading, withSplices, withText } from '../note/parse-note';
import { subtreeOf, findTask, nameWithTitle } from '../find-task';
import type { Board, Task } from '../task';
import { type Fault, fault } from '../../fault';
import type { Reference } from '../op';
import { afterLineEnd, cutLines, reindented } from '../note/blocks';
import { type EditResult } from '../note/edit-result';
import { subtreeSize, placeFor, isInPlace, type TaskPlace } from '../note/place-task';
import '../../json';
import * as z from 'zod/mini';
import { lazy } from '../../lazy';
import { headerSplices, withHeaderKey } from '../note/edit-header';
import { numberOf } from '../note/ids';
import { readArchived, writeArchived } from './archived-numbers';

/**
 * Cuts tasks and all that belongs to them out of a board, as blocks for the archive. Tasks without
 * an id get one.
 * @param reason why an unfinished task is archived; stored in its field `reason`
 */
export function archiveTasks(
  note: Note,
  tasks: readonly Task[],
  reason?: string | null,
): EditResult<{ readonly blocks: readonly BlockText[] }> {
  const { board } = note;
  const named = withIds(
    note,
    tasks.flatMap((task) => subtreeOf(board, task)),
  );
  if (!named.ok) return named;
  // Giving ids keeps the order of the tasks.
  const roots = tasks.map((task) => named.board.tasks[board.tasks.indexOf(task)]?.key ?? task.key);
  const fields = typeof reason === 'string' ? { reason } : {};
  const now = applyEdits(
    named,
    roots.map((key) => (one: Note) => setTaskFields(one, key, fields)),
  );
  if (!now.ok) return now;
  const rest = cutBlocks(now, new Set(roots));
  if (!rest.ok) return rest;
  const noted = setArchived(rest, rest.blocks, []);
  return noted.ok ? { ...noted, blocks: rest.blocks } : noted;
}

/** @param count number of archived tasks, including subtasks */
export function describeArchived(tasks: readonly Task[], count: number): string {
  const [first] = tasks;
  const many = count === 1 ? '1 task' : `${count} tasks`;
  if (tasks.length > 1 || first === undefined) return `${many} moved to the archive.`;
  const under = count === 1 ? '' : ` with ${count - 1} under it`;
  return `${nameWithTitle(first)}${under} is in the archive; restore brings it back.`;
}

/** The top-level tasks that are finished with all their subtasks. */
export function finishedTopLevelTasks({ board }: Note): readonly Task[] {
  return board.tasks.filter((task) => isFinishedWhole(board, task));
}

/** Whether there are such tasks: archiving the finished tasks is refused otherwise. */
export function canArchive(board: Board): boolean {
  return board.tasks.some((task) => isFinishedWhole(board, task));
}

function isFinishedWhole(board: Board, task: Task): boolean {
  return task.parent === null && isFinished(task) && subtreeOf(board, task).every(isFinished);
}

/**
 * Restores a task and its subtasks from the archive to the end of its phase. @returns the board,
 * with the restored task
 */
export function restoreTask(
  note: Note,
  reference: Reference,
  archive: Note | undefined,
): EditResult<{ readonly task: Task; readonly block: BlockText }> {
  const standing = findTask(note.board, reference);
  if (standing.ok) return onBoardFault(standing.task);
  if (archive === undefined) return refuseChange('no_archive', 'noArchive');
  const { broken } = archive.board;
  if (broken !== null) {
    return refuseChange('broken_note', 'archiveBroken', { why: [broken.reason, broken.said] });
  }
  const found = findTask(archive.board, reference);
  if (!found.ok) return fault(found.code, `In the archive: ${found.message}`);
  const cut = cutBlocks(archive, new Set([found.task.key]));
  if (!cut.ok) return cut;
  const [block] = cut.blocks;
  const both = note.board.tasks.find(({ id }) => id !== null && block?.ids.includes(id));
  if (block === undefined || both !== undefined) return onBoardFault(both ?? found.task);
  const put = insertBlock(note, block);
  const now = put.ok ? setArchived(put, [], [block]) : put;
  if (!now.ok) return now;
  const task = now.board.tasks.find(({ id }) => id === found.task.id) ?? found.task;
  return { ...now, task, block };
}

function onBoardFault(task: Task): Fault {
  return refuseChange('on_board', 'onBoard', { task: nameWithTitle(task) });
}

/**
 * Cuts tasks out of their note, each with all that belongs to it. All of them must have ids.
 * Refused if that would change which task other lines belong to.
 */
export function cutBlocks(
  note: Note,
  keys: ReadonlySet<string>,
): EditResult<{ readonly blocks: readonly BlockText[] }> {
  const found: LocatedTask[] = [];
  for (const key of keys) {
    const one = locateTask(note, key);
    if (!one.ok) return one;
    found.push(one);
  }
  found.sort((a, b) => a.index - b.index);
  let { text } = note;
  const rest = [...note.board.tasks];
  // Backwards, so that earlier offsets stay valid.
  for (const one of found.toReversed()) {
    text = cutLines(text, one.block.start, afterLineEnd(note.text, one.block.end));
    rest.splice(one.index, subtreeSize(one));
  }
  const now = withText(note, text);
  if (!sameTasks(rest, now.board.tasks, true)) {
    const name = found.length === 1 ? 'awayChangesOthers' : 'allAwayChangesOthers';
    return refuseChange('bad_place', name, { task: found[0]?.task.title ?? '' });
  }
  return { ...now, blocks: found.map((one) => blockOf(note, one)) };
}

function blockOf(note: Note, found: LocatedTask): BlockText {
  const { task, block, index } = found;
  const family = note.board.tasks.slice(index, index + subtreeSize(found));
  const done = family.filter(isFinished);
  return {
    ids: family.flatMap(({ id }) => id ?? []),
    finished: done.flatMap(({ id }) => id ?? []),
    phase: task.phase,
    text: reindented(note.text, block, ''),
  };
}

/**
 * Inserts a block at the wanted place, else after the last task of its phase, which is created if
 * it is gone.
 */
export function insertBlock(note: Note, block: BlockText, wanted?: TaskPlace): EditResult {
  const { layout, board } = note;
  if (layout === null) return fault('broken_note', board.broken?.reason ?? '');
  const place = wanted ? placeFor(note, layout, wanted) : placeInPhase(note, layout, block.phase);
  if (!place.ok) return place;
  const lines = block.text
    .split(/\r\n|\r|\n/)
    .map((line) => (line === '' ? '' : place.indent + line))
    .join(place.eol);
  const put = [...place.before, lines].map((line) => place.eol + line).join('');
  const now = withSplices(note, [{ from: place.at, to: place.at, text: put }]);
  const { tasks } = now.board;
  const at = tasks.findIndex(({ id }) => id === block.ids[0]);
  const family = tasks.slice(at, at + block.ids.length);
  const top = tasks[at];
  const fits =
    top !== undefined &&
    (wanted
      ? isInPlace(now, top.parent, wanted)
      : top.parent === null && top.phase === block.phase) &&
    family.every(({ id }, i) => id === block.ids[i]) &&
    sameTasks(board.tasks, tasks.toSpliced(at, family.length), true);
  return fits ? now : refuseChange('bad_place', 'noPlace');
}

/** Places a task without a phase after the last such task, else below the title. */
function placeInPhase(
  note: Note,
  layout: Layout,
  phase: string | null,
): ReturnType<typeof placeFor> {
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

/**
 * A task with all that belongs to it, as moved between a board and its archive; or several tasks of
 * one phase.
 */
export const blockText = lazy(() =>
  z.object({
    /** ids of the tasks and their subtasks, in the order of their lines */
    ids: z.array(z.string()),
    /** ids of the completed or cancelled ones */
    finished: z.array(z.string()),
    /** the heading above it */
    phase: z.nullable(z.string()),
    /** its lines without the task's indentation, otherwise unchanged, without the last line end */
    text: z.string(),
  }),
);

export type BlockText = z.infer<ReturnType<typeof blockText>>;

/** Joins the blocks of each phase, so that they are inserted in one edit. */
export function joinBlocksByPhase(blocks: readonly BlockText[]): readonly BlockText[] {
  const phases = new Map<string | null, BlockText>();
  for (const block of blocks) {
    const before = phases.get(block.phase);
    const joined = before && {
      ids: [...before.ids, ...block.ids],
      finished: [...before.finished, ...block.finished],
      phase: block.phase,
      text: `${before.text}\n${block.text}`,
    };
    phases.set(block.phase, joined ?? block);
  }
  return [...phases.values()];
}

/**
 * Updates the header: the numbers of archived tasks, and `next` after them, so that no id is given
 * twice. Refused if a person wrote something else into `archived`.
 */
export function setArchived(
  note: Note,
  put: readonly Pick<BlockText, 'ids' | 'finished'>[],
  back: readonly Pick<BlockText, 'ids'>[],
): EditResult {
  const { board, layout } = note;
  if (layout === null) return note;
  const numbersOf = (ids: readonly string[]): readonly number[] =>
    ids.flatMap((id) => numberOf(id, board.prefix) ?? []);
  const old = layout.header.values.get('archived');
  const before = readArchived(old?.text);
  const come = numbersOf(put.flatMap(({ ids }) => ids));
  const done = new Set(numbersOf(put.flatMap(({ finished }) => finished)));
  const moved = new Set([...come, ...numbersOf(back.flatMap(({ ids }) => ids))]);
  const stay = (numbers: readonly number[]): number[] => numbers.filter((n) => !moved.has(n));
  const value = writeArchived({
    finished: [...stay(before.finished), ...done],
    open: [...stay(before.open), ...come.filter((n) => !done.has(n))],
  });
  const next = Math.max(layout.next, ...come.map((n) => n + 1));
  const counted = come.length === 0 ? [] : headerSplices(layout, 'next', String(next));
  if (value !== '' && old !== undefined && old.from < 0)
    return fault('broken_note', FOREIGN_ARCHIVED_KEY);
  if (value === '') return withHeaderKey(note, 'archived', null);
  return withSplices(note, [...counted, ...headerSplices(layout, 'archived', value)]);
}

const FOREIGN_ARCHIVED_KEY =
  'The line "archived" in the header of this note holds something else than numbers of tasks, so it can\'t name what is archived. Rename or remove that line first.';

/** Raises `next` above every archived number, in case a person removed it from the header. */
export function raiseNextPastArchived(note: Note): Note {
  const { layout } = note;
  const written = layout?.header.values.get('archived')?.text;
  if (layout === null || written === undefined) return note;
  const { finished, open } = readArchived(written);
  const least = [...finished, ...open].reduce((most, n) => Math.max(most, n + 1), 0);
  if (least <= layout.next) return note;
  return withSplices(note, headerSplices(layout, 'next', String(least)));
}

import { findTaskLine, setTaskFields, type Found } from '../note/edit-task';
import { isFinished } from '../facts';
import { sameTasks, type Layout, type Note } from '../note/note';
import { parseNote, titleHeading } from '../note/parse-note';
import { edited, withIds } from '../note/edit-chain';
import { familyOf, findTask, withTitle } from '../find-task';
import type { Task } from '../task';
import { fault, type Fault } from '../../fault';
import type { Reference } from '../op';
import { behindLine, cutLines, reindented } from '../note/blocks';
import { applySplices, refuse, type EditRefusal, type EditResult } from '../note/edit-result';
import { familySize, placeFor } from '../note/place-task';
import '../../json';
import * as z from 'zod/mini';
import { headerSplices, withHeaderKey } from '../note/edit-header';
import { numberOf } from '../note/ids';
import { readArchived, writeArchived } from './archived-numbers';

/**
 * The board without some tasks and all that belongs to them, and these as they go to the archive;
 * each has an id then.
 * @param reason why one goes that is not finished; it keeps that
 */
export function archiveTasks(
  note: Note,
  tasks: readonly Task[],
  reason?: string | null,
): { readonly ok: true; readonly text: string; readonly blocks: readonly BlockText[] } | Fault {
  const named = withIds(
    note,
    tasks.flatMap((task) => familyOf(note.board, task)),
  );
  if (!named.ok) return named;
  const roots = keysIn(note, named.note, tasks);
  const told = edited(
    named.note,
    typeof reason === 'string'
      ? roots.map((key) => (now: Note) => setTaskFields(now, key, { reason }))
      : [],
  );
  if (!told.ok) return told;
  const cut = cutBlocks(told.note, new Set(roots));
  if (!cut.ok) return cut;
  const rest = parseNote(note.board.path, cut.text);
  const noted = setArchived(rest, cut.blocks, []);
  return noted.ok ? { ok: true, text: noted.text, blocks: cut.blocks } : noted;
}

/** Keys of tasks in the note in which they have ids. */
function keysIn(before: Note, now: Note, tasks: readonly Task[]): readonly string[] {
  const chosen = new Set(tasks.map(({ key }) => key));
  return before.board.tasks.flatMap(({ key }, at) =>
    chosen.has(key) ? [now.board.tasks[at]?.key ?? key] : [],
  );
}

/** @param count of the tasks with all under them */
export function archivedSaid(tasks: readonly Task[], count: number): string {
  const [first] = tasks;
  const many = count === 1 ? '1 task' : `${count} tasks`;
  if (tasks.length > 1 || first === undefined) return `${many} moved to the archive.`;
  const under = count === 1 ? '' : ` with ${count - 1} under it`;
  return `${withTitle(first)}${under} is in the archive; restore brings it back.`;
}

/** The tasks at the top that are finished with all under them. */
export function finishedTops({ board }: Note): readonly Task[] {
  return board.tasks.filter(
    (task) => task.parent === null && familyOf(board, task).every(isFinished),
  );
}

type Restored =
  | {
      readonly ok: true;
      readonly note: Note;
      /** as it stands on the board */
      readonly task: Task;
      readonly block: BlockText;
    }
  | Fault;

/** The board with a task from its archive and all under it, at the end of its phase. */
export function restoreTask(note: Note, reference: Reference, archive: Note | undefined): Restored {
  const standing = findTask(note.board, reference);
  if (standing.ok) return onBoard(standing.task);
  if (archive === undefined) return fault('no_archive', 'Nothing is archived here.');
  const { broken } = archive.board;
  if (broken !== null) {
    const message = `The archive can't be read and stays unchanged until it is repaired. ${broken.reason}`;
    return fault('broken_note', message);
  }
  const found = findTask(archive.board, reference);
  if (!found.ok) return fault(found.code, `In the archive: ${found.message}`);
  const cut = cutBlocks(archive, new Set([found.task.key]));
  if (!cut.ok) return cut;
  const [block] = cut.blocks;
  const both = note.board.tasks.find(({ id }) => id !== null && block?.ids.includes(id));
  if (block === undefined || both !== undefined) return onBoard(both ?? found.task);
  const put = putBlock(note, block);
  if (!put.ok) return put;
  const noted = setArchived(parseNote(note.board.path, put.text), [], [block]);
  if (!noted.ok) return noted;
  const now = parseNote(note.board.path, noted.text);
  const task = now.board.tasks.find(({ id }) => id === found.task.id) ?? found.task;
  return { ok: true, note: now, task, block };
}

function onBoard(task: Task): Fault {
  return fault('on_board', `${withTitle(task)} is on the board already.`);
}

/**
 * Cuts tasks out of their note, each with all that belongs to it, and all of them with an id.
 * Refused where other lines would then belong to something else.
 */
export function cutBlocks(
  note: Note,
  keys: ReadonlySet<string>,
):
  | { readonly ok: true; readonly text: string; readonly blocks: readonly BlockText[] }
  | EditRefusal {
  const found: Found[] = [];
  for (const key of keys) {
    const one = findTaskLine(note, key);
    if (!one.ok) return one;
    found.push(one);
  }
  found.sort((a, b) => a.index - b.index);
  let { text } = note;
  const rest = [...note.board.tasks];
  // From the end on, so that what stands before keeps its place.
  for (const one of found.toReversed()) {
    text = cutLines(text, one.block.start, behindLine(note.text, one.block.end));
    rest.splice(one.index, familySize(one));
  }
  if (!sameTasks(rest, parseNote(note.board.path, text).board.tasks, true)) {
    const [first] = found;
    const what = found.length === 1 ? `"${first?.task.title ?? ''}"` : 'these tasks';
    const message = `Moving ${what} away would change what other lines of the note belong to. Move those first.`;
    return refuse('bad_place', message);
  }
  return { ok: true, text, blocks: found.map((one) => blockOf(note, one)) };
}

function blockOf(note: Note, found: Found): BlockText {
  const { task, block, index } = found;
  const family = note.board.tasks.slice(index, index + familySize(found));
  const done = family.filter(isFinished);
  return {
    ids: family.flatMap(({ id }) => id ?? []),
    finished: done.flatMap(({ id }) => id ?? []),
    phase: task.phase,
    text: reindented(note.text, block, ''),
  };
}

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

/** A task with all that belongs to it, as it moves between a board and its archive; or several of one phase. */
export const blockText = z.object({
  /** of the tasks and their sub-tasks, in the order of their lines */
  ids: z.array(z.string()),
  /** of those that are completed or cancelled */
  finished: z.array(z.string()),
  /** the heading that it stands under */
  phase: z.nullable(z.string()),
  /** its lines at the left edge, unchanged else, without the last line's end */
  text: z.string(),
});

export type BlockText = z.infer<typeof blockText>;

/** Blocks of one phase as one, so that they are put in one edit. */
export function byPhase(blocks: readonly BlockText[]): readonly BlockText[] {
  const phases = new Map<string | null, BlockText>();
  for (const block of blocks) {
    const before = phases.get(block.phase);
    phases.set(block.phase, before === undefined ? block : joined(before, block));
  }
  return [...phases.values()];
}

function joined(a: BlockText, b: BlockText): BlockText {
  return {
    ids: [...a.ids, ...b.ids],
    finished: [...a.finished, ...b.finished],
    phase: a.phase,
    text: `${a.text}\n${b.text}`,
  };
}

/**
 * The note whose header says which tasks stand in the archive, and from which number on new ids are
 * drawn: an id that went there is never given again. Refused where its `archived` is a person's text.
 */
export function setArchived(
  note: Note,
  put: readonly Pick<BlockText, 'ids' | 'finished'>[],
  back: readonly Pick<BlockText, 'ids'>[],
): EditResult {
  const { board, layout, text } = note;
  if (layout === null) return { ok: true, text };
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
  if (value !== '' && old !== undefined && old.from < 0) return refuse('broken_note', FOREIGN);
  if (value !== '') {
    const told = headerSplices(layout, 'archived', value);
    return { ok: true, text: applySplices(text, [...counted, ...told]) };
  }
  return { ok: true, text: withHeaderKey(note, 'archived', null) };
}

const FOREIGN =
  'The line "archived" in the header of this note holds something else than numbers of tasks, so it can\'t name what is archived. Rename or remove that line first.';

/** The note with a `next` behind every archived number, where a person took it from the header. */
export function pastArchived(note: Note): Note {
  const { board, layout, text } = note;
  const written = layout?.header.values.get('archived')?.text;
  if (layout === null || written === undefined) return note;
  const { finished, open } = readArchived(written);
  const least = [...finished, ...open].reduce((most, n) => Math.max(most, n + 1), 0);
  if (least <= layout.next) return note;
  return parseNote(board.path, applySplices(text, headerSplices(layout, 'next', String(least))));
}

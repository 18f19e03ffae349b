import { cutBlocks, pastArchived, putBlock, type BlockText } from './archive/archive-tasks';
import type { BoardFiles } from './board-files';
import { fault, type Fault } from '../fault';
import { familyOf, findTask, findTasks } from './find-task';
import { PERSON } from './history/actor';
import { replacePlan, type BoardWriter } from './history/board-writer';
import type { UndoChanges } from './history/undo-changes';
import { headerSplices } from './note/edit-header';
import type { EditResult } from './note/edit-result';
import { edited, findLine, setTask } from './note/edit-task';
import { withIds, withNextId } from './note/give-id';
import type { Note } from './note/note';
import { parseNote, spliced } from './note/parse-note';
import type { TaskPlace } from './note/place-task';
import type { Board, Task, TaskTarget } from './task';

/** Where tasks go on another board; nothing: behind its last. */
export type TransferPlace =
  | { readonly after: TaskTarget }
  | { readonly before: TaskTarget }
  | { readonly parent: TaskTarget }
  | { readonly phase: string }
  | undefined;

export interface Transferred {
  readonly ok: true;
  /** the other board as it is now */
  readonly board: Board;
  /** names of the changes: of the board that they left, and of the one that they came to */
  readonly left: string;
  readonly came: string;
  /** ids there, in the order of the note; sub-tasks too */
  readonly ids: readonly string[];
  /** dependencies that now go from one board to another: both boards name them, and they hold nothing up */
  readonly crossing: number;
}

/** What moves tasks from one board to another needs. */
interface TransferMeans {
  readonly files: Pick<BoardFiles, 'load'>;
  readonly writer: BoardWriter;
  readonly undos: Pick<UndoChanges, 'undo'>;
}

/**
 * Moves tasks with all that belongs to them to another board, where they get its next ids. Dependencies
 * among them stay. A dependency between a moved task and one that stays is written to `waitsFor` and blocks
 * nothing. The tasks are written to the other board first; if they can't be removed from the old one, the
 * copies are removed again.
 */
export async function transferTasks(
  { files, writer, undos }: TransferMeans,
  from: string,
  tasks: readonly TaskTarget[],
  to: string,
  place: TransferPlace,
): Promise<Transferred | Fault> {
  const source = (await files.load(from, false))?.note;
  if (source === undefined) return fault('unknown_board', `${from} is gone.`);
  const taken = takenOut(source, tasks);
  if (!taken.ok) return taken;
  const count = taken.tasks.length === 1 ? '1 task' : `${taken.tasks.length} tasks`;
  const put = await replacePlan(
    writer,
    to,
    PERSON,
    (note) => (note === undefined ? gone(to) : putInto(note, taken, place)),
    { said: `${count} came from "${source.board.title}"` },
  );
  if (!put.ok) return put;
  const { ids, crossing } = put.made;
  const left = await replacePlan(
    writer,
    from,
    PERSON,
    (note) => (note === undefined ? gone(from) : leftBy(note, tasks, taken, put.made)),
    { said: `${count} went to "${put.board.title}"` },
  );
  if (left.ok) {
    const all = crossing + left.made.crossing;
    return {
      ...{ ok: true, board: put.board, left: left.change, came: put.change },
      ...{ ids: [...ids.values()], crossing: all },
    };
  }
  const back = await undos.undo(put.change);
  const both = back.ok ? '' : ` They stand on both boards now: ${back.message}`;
  return fault(left.code, left.message + both);
}

function gone(path: string): Fault {
  return fault('unknown_board', `${path} is gone.`);
}

interface Taken {
  /** what stays */
  readonly rest: Note;
  /** all that goes, with sub-tasks, in the order of the note */
  readonly tasks: readonly (Task & { readonly id: string })[];
  readonly block: BlockText;
}

/** A board without some of its tasks, and these; each has an id then. */
function takenOut(
  note: Note,
  wanted: readonly TaskTarget[],
): ({ readonly ok: true } & Taken) | Fault {
  const found = findTasks(note, wanted, { seen: undefined }, 'id');
  if (!found.ok) return found;
  const { board } = note;
  const going = new Set(found.tasks.flatMap((task) => familyOf(board, task)));
  const all = board.tasks.filter((task) => going.has(task));
  const named = withIds(note, all);
  if (!named.ok) return named;
  const keys = new Map(all.map(({ key }, at) => [key, named.keys[at] ?? key]));
  // What stands under another of them goes with that one.
  const tops = all.filter(({ parent }) => parent === null || !keys.has(parent));
  const cut = cutBlocks(named, new Set(tops.map(({ key }) => keys.get(key) ?? key)));
  if (!cut.ok) return cut;
  const tasks = all.map((task, at) => ({ ...task, id: named.ids[at] ?? '' }));
  const block = {
    ids: tasks.map(({ id }) => id),
    finished: [],
    phase: null,
    text: cut.blocks.map(({ text }) => text).join('\n'),
  };
  return { ok: true, rest: cut, tasks, block };
}

type Put = Note & {
  /** ids here, by those that they had */
  readonly ids: ReadonlyMap<string, string>;
  readonly crossing: number;
};

function putInto(given: Note, { rest, tasks, block }: Taken, place: TransferPlace): Put | Fault {
  const note = pastArchived(given);
  const { layout } = note;
  if (layout === null) return fault('broken_note', note.board.broken?.reason ?? '');
  const there = placeOn(note, place);
  if (!there.ok) return there;
  // A plan of these tasks alone, where they get their ids: those that they have may be others' here.
  const header = note.text.slice(0, layout.header.end);
  let alone: EditResult = parseNote(note.board.path, `${header}${layout.eol}${block.text}`);
  const ids = new Map<string, string>();
  for (const [at, { id }] of tasks.entries()) {
    const found = findLine(alone, alone.board.tasks[at]?.key ?? '');
    const next: EditResult = found.ok ? withNextId(alone, found) : found;
    if (!next.ok) return next;
    ids.set(id, next.board.tasks[at]?.id ?? '');
    alone = next;
  }
  const stay = new Set(rest.board.tasks.flatMap(({ id }) => id ?? []));
  let crossing = 0;
  for (const [at, { dependsOn, waitsFor }] of tasks.entries()) {
    const crosses = dependsOn.filter((id) => stay.has(id));
    crossing += crosses.length;
    const now = setTask(
      alone,
      alone.board.tasks[at]?.key ?? '',
      {
        dependsOn: dependsOn.filter((id) => !stay.has(id)).map((id) => ids.get(id) ?? id),
        fields: named(waitsFor, crosses, rest.board),
      },
      '',
    );
    if (!now.ok) return now;
    alone = now;
  }
  const next = headerSplices(layout, 'next', String(alone.layout?.next ?? layout.next));
  const text = alone.text.slice(alone.layout?.header.end).replace(/^[\r\n]+|[\r\n]+$/g, '');
  const put = putBlock(spliced(note, next), { ...block, ids: [...ids.values()], text }, there);
  return put.ok ? { ...put, ids, crossing } : put;
}

/** The place by the keys of the note. */
function placeOn(
  { board }: Note,
  place: TransferPlace,
): ({ readonly ok: true } & TaskPlace) | Fault {
  if (place === undefined || 'phase' in place) return { ok: true, ...place };
  const { after, before, parent }: Partial<Record<'after' | 'before' | 'parent', TaskTarget>> =
    place;
  const target = after ?? before ?? parent;
  const found = target === undefined ? gone(board.path) : findTask(board, target);
  if (!found.ok) return found;
  const { key } = found.task;
  if (parent !== undefined) return { ok: true, parent: key };
  return { ok: true, ...(after === undefined ? { before: key } : { after: key }) };
}

/** The board that they left, where they are as they were when they were put elsewhere. */
function leftBy(
  note: Note,
  wanted: readonly TaskTarget[],
  { block, tasks }: Taken,
  { ids, board }: Put,
): (Note & { readonly crossing: number }) | Fault {
  const now = takenOut(note, wanted);
  if (!now.ok) return now;
  if (now.block.text !== block.text) {
    const title = tasks[0]?.title ?? '';
    return fault('changed_since', `"${title}" changed meanwhile, so nothing was moved. Try again.`);
  }
  let crossing = 0;
  const edits = now.rest.board.tasks.flatMap(({ key, dependsOn, waitsFor }) => {
    const crosses = dependsOn.flatMap((id) => ids.get(id) ?? []);
    if (crosses.length === 0) return [];
    crossing += crosses.length;
    const edit = {
      dependsOn: dependsOn.filter((id) => !ids.has(id)),
      fields: named(waitsFor, crosses, board),
    };
    return [(one: Note) => setTask(one, key, edit, '')];
  });
  const after = edited(now.rest, edits);
  return after.ok ? { ...after, crossing } : after;
}

/** What stands on another board, as `waitsFor` names it. */
function named(before: string | null, ids: readonly string[], { session }: Board) {
  if (ids.length === 0) return {};
  const all = [before, ...ids.map((id) => `${session}/${id}`)];
  return { waitsFor: all.filter((one) => one !== null).join(', ') };
}

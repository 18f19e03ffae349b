import { refuseChange } from './change-faults';
import { raiseNextPastArchived, insertBlock } from './archive/archive-tasks';
import type { BoardFiles } from './board-files';
import { catchStoreError, fault, storeFault, type Fault } from '../fault';
import { findTask } from './find-task';
import { PERSON } from './history/actor';
import { replacePlan, type BoardWriter } from './history/board-writer';
import type { Histories } from './history/histories';
import { headerSplices } from './note/edit-header';
import type { EditResult } from './note/edit-result';
import { locateTaskLine, applyTaskEdit } from './note/edit-task';
import { withNextId } from './note/give-id';
import type { Note } from './note/note';
import { parseNote, withSplices } from './note/parse-note';
import type { TaskPlace } from './note/place-task';
import { closedFault } from './outcome';
import {
  goneFault,
  addToWaitsFor,
  extractTasks,
  taskBlockText,
  type PendingMove,
  type PendingMoves,
  type ExtractedTasks,
} from './pending-moves';
import type { Board, TaskTarget } from './task';

/** Place of the moved tasks on the other board; undefined: after its last task. */
export type TransferPlace =
  | { readonly after: TaskTarget }
  | { readonly before: TaskTarget }
  | { readonly parent: TaskTarget }
  | { readonly phase: string }
  | undefined;

export interface Transferred {
  readonly ok: true;
  /** the other board after the move */
  readonly board: Board;
  /** ids of the changes: of the board that the tasks left, and of the one that they went to */
  readonly left: string;
  readonly came: string;
  /** ids on the other board, in the order of the note, including subtasks */
  readonly ids: readonly string[];
  /**
   * number of dependencies that now cross from one board to another; they are kept in `waitsFor`
   * and block nothing
   */
  readonly crossing: number;
  /** file with the removed lines, if somebody had changed them in the meantime */
  readonly kept: string | undefined;
}

/** Dependencies of `transferTasks`. */
interface TransferDeps {
  readonly files: Pick<BoardFiles, 'load'>;
  readonly writer: BoardWriter;
  readonly histories: Pick<Histories, 'draw'>;
  readonly pending: PendingMoves;
}

/** How often to plan a move again because the other board has given its next ids to other tasks. */
const MAX_TRIES = 20;

/**
 * Moves tasks with all that belongs to them to another board, where they get its next ids.
 * Dependencies among them stay. A dependency between a moved task and one that stays is written to
 * `waitsFor` and blocks nothing. The tasks are written to the other board first; if they can't be
 * removed from the old one, the copies are removed again. After a crash in between, `PendingMoves`
 * completes or reverts the move.
 */
export function transferTasks(
  deps: TransferDeps,
  from: string,
  tasks: readonly TaskTarget[],
  to: string,
  place: TransferPlace,
): Promise<Transferred | Fault> {
  return catchStoreError(async () => {
    await deps.pending.finish();
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const done = await tryTransfer(deps, from, tasks, to, place);
      if (done !== undefined) return done;
    }
    return refuseChange('busy', 'keepsChanging', { path: to });
  }, storeFault);
}

/** Tries a move once. Undefined if other tasks got the ids; nothing was moved then. */
async function tryTransfer(
  deps: TransferDeps,
  from: string,
  tasks: readonly TaskTarget[],
  to: string,
  place: TransferPlace,
): Promise<Transferred | Fault | undefined> {
  const { files, writer, histories, pending } = deps;
  const planned = await planTransfer(deps, from, tasks, to, place);
  if (!planned.ok) return planned;
  const { taken, ids, there } = planned;
  const change = { from, to, left: histories.draw(from), came: histories.draw(to) };
  const move: PendingMove = {
    ...change,
    tasks: taken.tasks.map(({ id, title }) => [id, ids.get(id) ?? '', title]),
    ...{ text: taken.block.text, there },
  };
  await pending.begin(move);
  const back = [...ids].map(([old, now]): [string, string] => [now, old]);
  const put = await replacePlan(
    writer,
    to,
    PERSON,
    (note) => {
      const made = note === undefined ? goneFault(to) : insertTasks(note, taken, place);
      const other = made.ok && [...made.ids.values()].join() !== [...ids.values()].join();
      return other ? fault(OTHER_IDS, '') : made;
    },
    {
      said: `${countText(taken)} came from "${taken.rest.board.title}"`,
      entry: { name: change.came, with: { change: change.left, ids: back } },
    },
  );
  if (!put.ok && put.code === OTHER_IDS) return void (await pending.end(move));
  if (!put.ok) {
    // It may have been written nevertheless.
    await pending.settle(move, false);
    return put;
  }
  const left = await pending.settle(move, true);
  // Another program may have settled it already.
  const board = left === undefined ? (await files.load(to, true))?.board : put.board;
  const came = new Set(board?.tasks.map(({ id }) => id));
  const moved =
    left === undefined
      ? [...ids.values()].every((id) => came.has(id))
      : left.ok && left.side === 'from';
  if (board === undefined || !moved) return revertTransfer(pending, move, left);
  const done = left?.ok === true ? left : { crossing: 0, kept: undefined };
  const crossing = put.made.crossing + done.crossing;
  return { ok: true, board, ...change, ids: [...ids.values()], crossing, kept: done.kept };
}

/** Removes the copies again if the tasks can't be removed from their old board. */
async function revertTransfer(
  pending: PendingMoves,
  move: PendingMove,
  left: Awaited<ReturnType<PendingMoves['settle']>>,
): Promise<Fault> {
  if (left === undefined || left.ok) {
    const task = move.tasks[0]?.[2] ?? '';
    return refuseChange('changed_since', 'movedMeanwhile', { task });
  }
  const back = await pending.settle(move, true, 'to');
  const both =
    back?.ok === false
      ? ` They stand on both boards until Obsidian starts again, or tasks are moved again: ${back.message}`
      : '';
  return fault(left.code, left.message + both);
}

const OTHER_IDS = 'other_ids';

function countText({ tasks }: ExtractedTasks): string {
  return tasks.length === 1 ? '1 task' : `${tasks.length} tasks`;
}

/** Plans the move. Tasks without an id get one first, to be found again after a restart. */
async function planTransfer(
  { files, writer }: TransferDeps,
  from: string,
  tasks: readonly TaskTarget[],
  to: string,
  place: TransferPlace,
) {
  const source = (await files.load(from, false))?.note;
  const target = (await files.load(to, false))?.note;
  if (source === undefined || target === undefined)
    return goneFault(source === undefined ? from : to);
  if (source.board.continued !== undefined) return closedFault(source.board.continued);
  let taken = extractTasks(source, tasks);
  if (!taken.ok) return taken;
  const put = insertTasks(target, taken, place);
  if (!put.ok) return put;
  const bare = source.board.tasks.filter(({ id }) => id === null);
  if (bare.some(({ line }) => taken.ok && taken.tasks.some((one) => one.line === line))) {
    const wanted = tasks;
    const done = await replacePlan(
      writer,
      from,
      PERSON,
      (note) => {
        taken = note === undefined ? goneFault(from) : extractTasks(note, wanted);
        return taken.ok ? taken.whole : taken;
      },
      { entry: { name: null } },
    );
    if (!done.ok) return done;
  }
  const there = taskBlockText(put, new Set(put.ids.values()));
  return { ok: true, taken, ids: put.ids, there } as const;
}

type InsertedTasks = Note & {
  /** new ids by old ids */
  readonly ids: ReadonlyMap<string, string>;
  readonly crossing: number;
};

function insertTasks(
  given: Note,
  { rest, tasks, block }: ExtractedTasks,
  place: TransferPlace,
): InsertedTasks | Fault {
  const note = raiseNextPastArchived(given);
  const { layout } = note;
  if (layout === null) return fault('broken_note', note.board.broken?.reason ?? '');
  const there = resolvePlace(note, place);
  if (!there.ok) return there;
  // A note with these tasks alone, in which they get new ids: the old ones may be in use here.
  const header = note.text.slice(0, layout.header.end);
  let alone: EditResult = parseNote(note.board.path, `${header}${layout.eol}${block.text}`);
  const ids = new Map<string, string>();
  for (const [at, { id }] of tasks.entries()) {
    const found = locateTaskLine(alone, alone.board.tasks[at]?.key ?? '');
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
    const now = applyTaskEdit(
      alone,
      alone.board.tasks[at]?.key ?? '',
      {
        dependsOn: dependsOn.filter((id) => !stay.has(id)).map((id) => ids.get(id) ?? id),
        fields: addToWaitsFor(waitsFor, crosses, rest.board),
      },
      '',
    );
    if (!now.ok) return now;
    alone = now;
  }
  const next = headerSplices(layout, 'next', String(alone.layout?.next ?? layout.next));
  const text = alone.text.slice(alone.layout?.header.end).replace(/^[\r\n]+|[\r\n]+$/g, '');
  const put = insertBlock(
    withSplices(note, next),
    { ...block, ids: [...ids.values()], text },
    there,
  );
  return put.ok ? { ...put, ids, crossing } : put;
}

/** Translates the place to keys of the note. */
function resolvePlace(
  { board }: Note,
  place: TransferPlace,
): ({ readonly ok: true } & TaskPlace) | Fault {
  if (place === undefined || 'phase' in place) return { ok: true, ...place };
  const { after, before, parent }: Partial<Record<'after' | 'before' | 'parent', TaskTarget>> =
    place;
  const target = after ?? before ?? parent;
  const found = target === undefined ? goneFault(board.path) : findTask(board, target);
  if (!found.ok) return found;
  const { key } = found.task;
  if (parent !== undefined) return { ok: true, parent: key };
  return { ok: true, ...(after === undefined ? { before: key } : { after: key }) };
}

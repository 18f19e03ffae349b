import { refuseChange } from './change-faults';
import * as z from 'zod/mini';
import { jsonAs } from '../json';
import { lazy } from '../lazy';
import { cutBlocks, type BlockText } from './archive/archive-tasks';
import type { BoardFile, BoardFiles } from './board-files';
import { fault, type Fault } from '../fault';
import { subtreeOf, findTasks, quoted } from './find-task';
import { PERSON } from './history/actor';
import { replacePlan, type BoardWriter, type ChangeEntry } from './history/board-writer';
import type { Histories } from './history/histories';
import { KEPT_FOLDER } from './journal';
import { applyEdits, applyTaskEdit } from './note/edit-task';
import { withIds } from './note/give-id';
import type { Note } from './note/note';
import { STATE_ROOT, type StateFiles } from './state-file';
import type { Board, Task, TaskTarget } from './task';

/** File in the state folder with the moves of tasks between boards that are in progress. */
export const MOVES_JOURNAL = 'transfers.json';

export const NO_MOVES = '{"moves":[]}\n';

/**
 * A move of tasks from one board to another in progress, possibly by undo or redo. The tasks are
 * first written to `to`, then removed from `from`.
 */
const pendingMove = lazy(() =>
  z.object({
    from: z.string(),
    to: z.string(),
    /** ids of the changes: of the board that the tasks leave, and of the one that they go to */
    left: z.string(),
    came: z.string(),
    /** for each task: id in `from`, id in `to`, title */
    tasks: z.array(z.tuple([z.string(), z.string(), z.string()])),
    /** the lines in `from`, and those to be written to `to` if they are known */
    text: z.string(),
    there: z.optional(z.string()),
    /** the change that the change of `from` undoes or redoes */
    undoes: z.optional(z.string()),
    redoes: z.optional(z.string()),
    /** the board to remove them from: decided once, for whichever program settles the move */
    cut: z.optional(z.enum(['from', 'to'])),
  }),
);
export type PendingMove = z.infer<ReturnType<typeof pendingMove>>;

const journal = lazy(() => z.object({ moves: z.array(pendingMove()) }));

type Side = NonNullable<PendingMove['cut']>;

const SIDES: readonly Side[] = ['from', 'to'];

/** Result of settling a move; undefined if no task was on both boards. */
type Settled =
  | {
      readonly ok: true;
      /** the board from which they were removed */
      readonly side: Side;
      /** number of dependencies that now cross from one board to another */
      readonly crossing: number;
      /** file with the removed lines, if somebody had changed them in the meantime */
      readonly kept: string | undefined;
    }
  | Fault
  | undefined;

/** How often to try again if lines change between the read and the write that removes them. */
const MAX_TRIES = 20;

const CHANGED = 'changed';

/** Moves of tasks between boards, kept in a journal so that a crash leaves each task on one board. */
export class PendingMoves {
  constructor(
    private readonly files: BoardFiles,
    private readonly writer: BoardWriter,
    private readonly state: StateFiles,
    private readonly histories: Histories,
  ) {}

  /** Records a move before the first of the two notes is written. @throws StoreError */
  async begin(move: PendingMove): Promise<void> {
    await this.change((moves) => (moves.some(isSameMove(move)) ? moves : [...moves, move]));
  }

  /** @throws StoreError */
  async end(move: PendingMove): Promise<void> {
    await this.change((moves) => moves.filter((one) => !isSameMove(move)(one)));
  }

  /**
   * Settles moves that a crash interrupted. @returns sentences for the person about what was done
   * or failed @throws StoreError
   */
  async finish(): Promise<readonly string[]> {
    const told: string[] = [];
    for (const move of readMoves(await this.state.text(MOVES_JOURNAL))) {
      const settled = await this.settle(move, false);
      const [first] = move.tasks;
      const what = quoted(first?.[2] ?? '');
      const more = move.tasks.length > 1 ? ` and ${move.tasks.length - 1} more` : '';
      if (settled?.ok === false) {
        told.push(`A move of ${what}${more} to another plan is not finished: ${settled.message}`);
      } else if (settled !== undefined) {
        const end = settled.side === 'from' ? 'was finished' : 'was taken back';
        told.push(
          `A move of ${what}${more} to another plan was interrupted and ${end}.${keptText(settled)}`,
        );
      }
    }
    return told;
  }

  /**
   * Removes tasks that are on both boards from one of them: from the old one if their lines there
   * are unchanged, else from the new one if those there are; else the removed lines are stored in a
   * file.
   * @param own whether the caller wrote `to` just now
   * @param force the side to remove them from
   */
  async settle(move: PendingMove, own: boolean, force?: Side): Promise<Settled> {
    if (own) await this.begin(move);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const [old, now] = [await this.file(move.from), await this.file(move.to)];
      const broken = [old, now].find((file) => file !== undefined && !isReadable(file));
      if (broken !== undefined) {
        const { path, broken: why } = broken.board;
        const values = { path, why: [why?.reason ?? '', why?.said] as const };
        return refuseChange('broken_note', 'repairPathFirst', values);
      }
      const notes = { from: old?.note, to: now?.note };
      const recorded = own || (await this.isRecorded(move));
      const both = notes.from && notes.to && tasksOnBoth(move, notes.from, notes.to, recorded);
      if (both === undefined || both.length === 0) return void (await this.end(move));
      const sides = {
        from: extractFromSide(notes.from, 0, both),
        to: extractFromSide(notes.to, 1, both),
      };
      const alone = SIDES.filter((one) => sides[one]?.tasks.length === both.length);
      const side = force ?? (await this.decide(move, sides, alone, recorded));
      const text = sides[side]?.block.text ?? '';
      const kept =
        text === expectedText(move, side) ? undefined : await this.storeRemovedText(move, text);
      const done = await this.removeFrom(move, side, both, text);
      if (done.ok) await this.end(move);
      if (done.ok) return { ok: true, side, kept, crossing: done.made.crossing };
      if (done.code !== CHANGED) return done;
    }
    return fault('busy', `${move.from} and ${move.to} keep changing. Try again.`);
  }

  /**
   * Decides from which board to remove the tasks, and records it, so that two programs decide the
   * same.
   * @param alone sides on which no other tasks are under them, which would be removed too
   */
  private async decide(
    move: PendingMove,
    sides: Readonly<Record<Side, ExtractedTasks | undefined>>,
    alone: readonly Side[],
    recorded: boolean,
  ): Promise<Side> {
    // If the history lacks the first change, an undo could not restore both boards.
    const order = recorded ? SIDES : SIDES.toReversed();
    let side: Side = 'from';
    await this.change((moves) => {
      const cut = moves.find(isSameMove(move))?.cut;
      const first = cut === undefined ? order : [cut, ...order];
      const fits = first.filter((one) => alone.includes(one));
      const clean = fits.find((one) => sides[one]?.block.text === expectedText(move, one));
      side = clean ?? fits[0] ?? cut ?? 'from';
      return [...moves.filter((one) => !isSameMove(move)(one)), { ...move, cut: side }];
    });
    return side;
  }

  /**
   * Removes the tasks from one board. Refused with `CHANGED` if their lines are not those that were
   * checked.
   */
  private async removeFrom(
    move: PendingMove,
    side: Side,
    both: PendingMove['tasks'],
    text: string,
  ) {
    const other = (await this.file(side === 'from' ? move.to : move.from))?.board;
    if (other === undefined) return goneFault(side === 'from' ? move.to : move.from);
    const ids = new Map(both.map(([from, to]) => (side === 'from' ? [from, to] : [to, from])));
    return replacePlan(
      this.writer,
      move[side],
      PERSON,
      (note) => {
        const left =
          note === undefined ? goneFault(move[side]) : removeMovedTasks(note, ids, other);
        const same = !left.ok || left.gone === '' || left.gone === text;
        return same ? left : fault(CHANGED, '');
      },
      { said: movedText(move.tasks.length, other), entry: entryOf(move, side) },
    );
  }

  private async storeRemovedText({ came }: PendingMove, text: string): Promise<string> {
    const path = `${KEPT_FOLDER}/moved-${came.replace(/[^\w-]+/g, '-').slice(-100)}.md`;
    await this.state.change(path.slice(STATE_ROOT.length + 1), () => `${text}\n`);
    return path;
  }

  private file(path: string): Promise<BoardFile | undefined> {
    return this.files.load(path, false);
  }

  private async isRecorded({ to, came }: PendingMove): Promise<boolean> {
    const records = await this.histories.recordsIfReadable(to);
    return records.some(({ change }) => change === came);
  }

  private async change(
    edit: (moves: readonly PendingMove[]) => readonly PendingMove[],
  ): Promise<void> {
    await this.state.change(MOVES_JOURNAL, (text) => {
      const moves = edit(readMoves(text));
      if (moves.length === 0) return text === undefined ? undefined : NO_MOVES;
      return `${JSON.stringify({ moves })}\n`;
    });
  }
}

function readMoves(text: string | undefined): readonly PendingMove[] {
  return jsonAs(journal(), text)?.moves ?? [];
}

function isSameMove({ came }: PendingMove) {
  return (one: PendingMove): boolean => one.came === came;
}

function isReadable({ note, board }: BoardFile): boolean {
  return note !== undefined && board.broken === null;
}

function expectedText({ text, there }: PendingMove, side: Side): string | undefined {
  return side === 'from' ? text : there;
}

/**
 * The tasks that are on both boards. If the history has no change that moved them, tasks with the
 * same ids may be different ones: they count only if all titles are the same.
 */
function tasksOnBoth(
  { tasks }: PendingMove,
  from: Note,
  to: Note,
  recorded: boolean,
): PendingMove['tasks'] {
  const old = new Set(from.board.tasks.map(({ id }) => id));
  const now = new Map(to.board.tasks.map(({ id, title }) => [id, title]));
  const there = tasks.filter(([, id]) => now.has(id));
  const ours = recorded || there.every(([, id, title]) => now.get(id) === title);
  return ours ? there.filter(([id]) => old.has(id)) : [];
}

function extractFromSide(
  note: Note | undefined,
  side: 0 | 1,
  both: PendingMove['tasks'],
): ExtractedTasks | undefined {
  const taken = note && extractTasks(note, tasksWith(note, new Set(both.map((one) => one[side]))));
  return taken?.ok === true ? taken : undefined;
}

/** The lines of tasks with all that belongs to them. */
export function taskBlockText(note: Note, ids: ReadonlySet<string>): string | undefined {
  const taken = extractTasks(note, tasksWith(note, ids));
  return taken.ok ? taken.block.text : undefined;
}

function tasksWith({ board }: Note, ids: ReadonlySet<string>): readonly Task[] {
  return board.tasks.filter(({ id }) => id !== null && ids.has(id));
}

/** The history entry of the removal. A removal from `to` undoes the change that put them there. */
function entryOf(move: PendingMove, side: Side): Omit<ChangeEntry, 'said'> {
  const { left, came, tasks, undoes, redoes } = move;
  if (side === 'from') {
    const ids = tasks.map(([from, to]): [string, string] => [from, to]);
    return { name: left, with: { change: came, ids }, undoes, redoes };
  }
  const ids = tasks.map(([from, to]): [string, string] => [to, from]);
  const back = undoes === undefined ? { undoes: came } : { redoes: came };
  return { ...back, with: { change: undoes ?? redoes ?? left, ids } };
}

function keptText({ kept }: { readonly kept: string | undefined }): string {
  return kept === undefined
    ? ''
    : ` Both plans had changed meanwhile: what was removed from one of them is kept in ${kept}. Take over what is missing.`;
}

function movedText(count: number, { title }: Board): string {
  return `${count === 1 ? '1 task' : `${count} tasks`} went to "${title}"`;
}

export function goneFault(path: string): Fault {
  return refuseChange('unknown_board', 'gone', { path });
}

export interface ExtractedTasks {
  /** the whole note after missing ids were given */
  readonly whole: Note;
  /** the note without the tasks */
  readonly rest: Note;
  /** all removed tasks, with subtasks, in the order of the note */
  readonly tasks: readonly (Task & { readonly id: string })[];
  readonly block: BlockText;
}

/** Splits a board into some of its tasks and the rest. Removed tasks without an id get one. */
export function extractTasks(
  note: Note,
  wanted: readonly TaskTarget[],
): ({ readonly ok: true } & ExtractedTasks) | Fault {
  const found = findTasks(note, wanted, { seen: undefined }, 'id');
  if (!found.ok) return found;
  const { board } = note;
  const going = new Set(found.tasks.flatMap((task) => subtreeOf(board, task)));
  const all = board.tasks.filter((task) => going.has(task));
  const named = withIds(note, all);
  if (!named.ok) return named;
  const keys = new Map(all.map(({ key }, at) => [key, named.keys[at] ?? key]));
  // A task under another removed task is removed with that one.
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
  return { ok: true, whole: named, rest: cut, tasks, block };
}

type RemovedTasks = Note & {
  /** the removed lines, '' if none of the tasks is here */
  readonly gone: string;
  readonly crossing: number;
};

/** Removes tasks that are on another board; `ids` maps their ids here to those there. */
function removeMovedTasks(
  note: Note,
  ids: ReadonlyMap<string, string>,
  other: Board,
): RemovedTasks | Fault {
  const going = tasksWith(note, new Set(ids.keys()));
  if (going.length === 0) return { ...note, gone: '', crossing: 0 };
  const now = extractTasks(note, going);
  if (!now.ok) return now;
  let crossing = 0;
  const edits = now.rest.board.tasks.flatMap(({ key, dependsOn, waitsFor }) => {
    const crosses = dependsOn.flatMap((id) => ids.get(id) ?? []);
    if (crosses.length === 0) return [];
    crossing += crosses.length;
    const edit = {
      dependsOn: dependsOn.filter((id) => !ids.has(id)),
      fields: addToWaitsFor(waitsFor, crosses, other),
    };
    return [(one: Note) => applyTaskEdit(one, key, edit, '')];
  });
  const after = applyEdits(now.rest, edits);
  return after.ok ? { ...after, gone: now.block.text, crossing } : after;
}

/** The field `waitsFor` extended by tasks on another board. */
export function addToWaitsFor(before: string | null, ids: readonly string[], { session }: Board) {
  if (ids.length === 0) return {};
  const all = [before, ...ids.map((id) => `${session}/${id}`)];
  return { waitsFor: all.filter((one) => one !== null).join(', ') };
}

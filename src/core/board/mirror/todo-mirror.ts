import type { Clock, Log } from '../../ports';
import { type Fault, fault, refusal } from '../../fault';
import { jsonAs } from '../../json';
import { isValidAgentName, isValidSessionId } from '../board-path';
import type { Actor } from '../history/actor';
import type { KeyedQueue } from '../../keyed-queue';
import { replacePlan, type BoardWriter } from '../history/board-writer';
import { parseNote } from '../note/parse-note';
import type { BoardPlace, SessionFolders } from '../session-boards';
import type { StateFiles } from '../state-file';
import * as z from 'zod/mini';
import { lazy } from '../../lazy';
import {
  PRIORITIES,
  STATUSES,
  type Board,
  type Priority,
  type Status,
  type Task,
  readStatus,
} from '../task';
import { refuseBroken } from '../note/edit-header';
import { type EditResult } from '../note/edit-result';
import { sameTasks, type Note } from '../note/note';
import { isFinished, isUnderReview } from '../facts';
import { addTask, type NewTask } from '../note/place-task';
import { isReviewed } from '../policy';
import { setTaskFields, setTaskStatus, setTaskTitle } from '../note/edit-task';
import { withIds } from '../note/give-id';
import { tidyTitle, withoutColours } from '../note/title';

/** Author of mirrored changes. */
const TODOWRITE: Actor = { kind: 'import', name: 'todowrite' };

/** Owner of a list. */
interface TodoOwner {
  readonly session: string;
  readonly agent: string;
  /** title for a new board */
  readonly title: string | undefined;
}

export type MirrorAnswer =
  | {
      readonly ok: true;
      /** false: the session uses `tasks`, or there was nothing to write */
      readonly mirrored: boolean;
      /** sentences about entries that could not be written */
      readonly left: readonly string[];
    }
  | Fault;

const NOT_MIRRORED: MirrorAnswer = { ok: true, mirrored: false, left: [] };

/**
 * Mirrors lists of `todowrite` to boards until a session calls `tasks` for the first time. A list
 * is stored before and after it is written, so that a write interrupted by a crash is completed
 * with the next list. One list per session at a time.
 */
export class TodoMirror {
  /** sessions known to use `tasks` */
  private readonly sessionsUsingTasks = new Set<string>();

  constructor(
    private readonly state: StateFiles,
    private readonly folders: SessionFolders,
    /** runs calls and lists of a session one after another */
    private readonly sessions: KeyedQueue,
    private readonly clock: Clock,
    private readonly writer: BoardWriter,
    private readonly log: Log | undefined,
  ) {}

  /**
   * Stops mirroring for this session, also after a restart. Never throws: if that can't be stored,
   * the call of `tasks` is still valid, and the next call tries again.
   */
  async end(session: string): Promise<void> {
    if (this.sessionsUsingTasks.has(session)) return;
    const error = await refusal(async () => {
      const folder = await this.folders.folder(session);
      await this.remember(folder, () => ({ used: true, boards: [] }));
      this.sessionsUsingTasks.add(session);
    });
    if (error === undefined) return;
    this.log?.note('That a session uses tasks could not be remembered.', {
      at: 'mirror.remember',
      session,
      error: error.message,
    });
  }

  /** @throws StoreError if the mirror's memory can't be stored; nothing was written then */
  async mirror(owner: TodoOwner, todos: readonly Todo[]): Promise<MirrorAnswer> {
    if (!isValidSessionId(owner.session))
      return fault('bad_session', invalidNameText('session id'));
    if (!isValidAgentName(owner.agent)) return fault('bad_agent', invalidNameText('agent name'));
    return this.sessions.run(owner.session, () => this.next(owner, todos));
  }

  private async next(owner: TodoOwner, todos: readonly Todo[]): Promise<MirrorAnswer> {
    const { session, agent, title } = owner;
    const folder = await this.folders.folder(session);
    const memory = readMirrorMemory(await this.state.text(mirrorPath(folder)));
    if (memory.used) return NOT_MIRRORED;
    const own = memory.boards.find(([name]) => name === agent)?.[1];
    let last = own?.last ?? NOTHING_MIRRORED;
    const list = readTodos(todos);
    if (list.length === 0 && last.items.length === 0 && own?.pending === undefined) {
      return NOT_MIRRORED;
    }
    const place = await this.folders.place(session, agent, title); // may draw a prefix
    if (own?.pending !== undefined) {
      const made = await this.write(place, own.pending, last, true);
      if (!made.ok) return made;
      last = made.last;
    }
    const kept = await this.storeBoardMemory(folder, agent, { last, pending: [...list] });
    if (kept.used) return NOT_MIRRORED;
    const done = await this.write(place, list, last, false);
    await this.storeBoardMemory(folder, agent, { last: done.ok ? done.last : last });
    return done.ok ? { ok: true, mirrored: true, left: done.left } : done;
  }

  private async write(
    { path, fresh }: BoardPlace,
    list: readonly WantedTask[],
    last: Mirrored,
    again: boolean,
  ): Promise<MirrorResult | Fault> {
    const today = this.clock.today();
    const make = (note: Note | undefined): MirrorResult | Fault => {
      if (note === undefined && fresh === undefined) return fault('gone', GONE);
      // If a person removed the whole note, the list starts afresh.
      const [on, from] =
        note === undefined ? [parseNote(path, fresh ?? ''), NOTHING_MIRRORED] : [note, last];
      return mirrorTodos(on, list, from, { today, again });
    };
    const written = await replacePlan(this.writer, path, TODOWRITE, make, {
      said: listSummary(list),
    });
    return written.ok ? written.made : written;
  }

  private storeBoardMemory(
    folder: string,
    agent: string,
    board: BoardMemory,
  ): Promise<MirrorMemory> {
    return this.remember(folder, (memory) =>
      memory.used
        ? memory
        : {
            used: false,
            boards: [...memory.boards.filter(([name]) => name !== agent), [agent, board]],
          },
    );
  }

  private async remember(
    folder: string,
    change: (memory: MirrorMemory) => MirrorMemory,
  ): Promise<MirrorMemory> {
    const text = await this.state.change(mirrorPath(folder), (before) =>
      mirrorMemoryText(change(readMirrorMemory(before))),
    );
    return readMirrorMemory(text);
  }
}

const GONE = 'The note of this board was removed in the meantime. The next list makes it again.';

function invalidNameText(what: string): string {
  return `This list has no board: the ${what} must be 1 to 72 bytes of text without control characters.`;
}

function mirrorPath(folder: string): string {
  return `sessions/${folder}/todos.json`;
}

function listSummary(list: readonly WantedTask[]): string {
  const open = list.filter((one) => !isFinished(one));
  const entries = list.length === 1 ? '1 entry' : `${list.length} entries`;
  return `the agent's list of todowrite, ${entries}, ${open.length} open`;
}

export interface MirrorResult extends Note {
  /** to pass with the next list */
  readonly last: Mirrored;
  /** sentences about what could not be written and why */
  readonly left: readonly string[];
}

/**
 * Writes an agent's list to its board. A person's changes since the last list stay; entries that
 * are gone from the list are cancelled, never deleted; tasks that a person removed are not added
 * again. Pure.
 * @param last `last` of the previous call's result
 */
export function mirrorTodos(
  note: Note,
  list: readonly WantedTask[],
  last: Mirrored,
  options: MirrorOptions,
): MirrorResult | Fault {
  if (note.layout === null) return refuseBroken(note);
  const { pairs, vanished, gone } = pairTodos(note.board, list, last);
  const run = new MirrorRun(note, pairs, options);
  const items = pairs.flatMap((pair, at) => run.applyEntry(pair, at) ?? []);
  const left = vanished.map((one) => run.cancel(one));
  return { ...run.note, last: { items, gone: [...gone, ...left] }, left: run.left };
}

interface MirrorOptions {
  /** local date, `YYYY-MM-DD` */
  readonly today: string;
  /**
   * Whether this list may already have been written without that being stored. A task that it would
   * have added, but that has other values now, was changed by a person.
   */
  readonly again: boolean;
}

/** The heading that mirrored tasks are added under. */
const TODOS = 'Todos';

const NEW = { approve: null, body: [] };

/** Applies one list, edit by edit. */
class MirrorRun {
  readonly left: string[] = [];
  /** keys of the entries' tasks, in the order of the list; new ones are set when added */
  private readonly keys: (string | undefined)[];

  constructor(
    public note: Note,
    pairs: readonly Pair[],
    private readonly options: MirrorOptions,
  ) {
    this.keys = pairs.map(({ task }) => task?.key);
  }

  /** @returns what to remember about the entry; undefined if it could not be added */
  applyEntry({ wanted, last, task }: Pair, at: number): MirroredTask | undefined {
    if (task === undefined) {
      return last === undefined ? this.add(wanted, at) : { ...last, text: wanted.text };
    }
    if (last !== undefined && last.id === task.id) return this.merge(task, last, wanted);
    const own = this.ensureId(task, at);
    if (own === undefined) return undefined;
    const { title, status, priority } = task;
    // A task with an id may have been added by the list that was not stored as written.
    const ours = this.options.again && task.id !== null;
    const base = ours ? { ...wanted, title: wanted.text } : { title, status, priority };
    return this.merge(own, { id: own.key, text: wanted.text, ...base }, wanted);
  }

  /**
   * Cancels the task of an entry that is gone from the list, unless it is finished or a person
   * changed its status.
   */
  cancel(last: MirroredTask): MirroredTask {
    const task = this.note.board.tasks.find(({ key }) => key === last.id);
    if (task === undefined || isFinished(task) || isUnderReview(task)) return last;
    if (task.status !== last.status) return last;
    const { today } = this.options;
    const done = this.applyResult(setTaskStatus(this.note, task.key, 'cancelled', { today }));
    return done ? { ...last, status: 'cancelled' } : last;
  }

  private merge(task: Task, last: MirroredTask, wanted: WantedTask): MirroredTask {
    const { key } = task;
    const { text, status, priority } = wanted;
    return {
      id: last.id,
      text,
      title: this.mergeField(task.title, last.title, text, (note) => setTaskTitle(note, key, text)),
      // Only the person ends a review. The status is remembered as completed, so that after the
      // task was sent back, an unchanged list does not complete it again.
      status: isUnderReview(task)
        ? 'completed'
        : this.mergeField(task.status, last.status, status, (note) =>
            setTaskStatus(note, key, ...this.statusForBoard(task, status)),
          ),
      priority: this.mergeField(task.priority, last.priority, priority, (note) =>
        setTaskFields(note, key, { priority }),
      ),
    };
  }

  /** Status for the board: a completion that the person reviews becomes a request for review. */
  private statusForBoard(
    task: Pick<Task, 'approve' | 'body'>,
    status: Status,
  ): readonly [Status, { readonly today: string; readonly review?: string }] {
    const { today } = this.options;
    return status === 'completed' && isReviewed(this.note.board, task)
      ? ['in_progress', { today, review: today }]
      : [status, { today }];
  }

  /**
   * Three-way merge: written only if the board still has the mirror's last value. @returns the
   * mirror's value now
   */
  private mergeField<T>(now: T, last: T, wanted: T, edit: (note: Note) => EditResult): T {
    if (now === wanted) return wanted;
    if (now !== last) return last;
    return this.applyResult(edit(this.note)) ? wanted : last;
  }

  private add({ text, status, priority }: WantedTask, at: number): MirroredTask | undefined {
    const [is, { today, review }] = this.statusForBoard(NEW, status);
    const fields = { priority, ...(review !== undefined && { review }) };
    const spec = { title: text, status: is, fields, today };
    const before = this.anchor(this.keys.slice(0, at).reverse());
    const behind = before === undefined ? this.anchor(this.keys.slice(at + 1)) : undefined;
    const added =
      behind === undefined
        ? addTask(this.note, {
            ...spec,
            ...(before === undefined ? { phase: TODOS } : { after: before }),
          })
        : addBefore(this.note, behind, spec);
    if (!this.applyResult(added)) return undefined;
    this.keys[at] = added.id;
    return { id: added.id, text, title: text, status, priority };
  }

  /** The first of these tasks that is a top-level task under the heading. */
  private anchor(keys: readonly (string | undefined)[]): string | undefined {
    const { tasks } = this.note.board;
    const stands = new Set(
      tasks.flatMap(({ key, parent, phase }) => (parent === null && phase === TODOS ? key : [])),
    );
    return keys.find((key) => key !== undefined && stands.has(key));
  }

  /** Gives the task an id if it has none. */
  private ensureId(task: Task, at: number): Task | undefined {
    const named = withIds(this.note, [task]);
    if (!this.applyResult(named)) return undefined;
    this.keys[at] = named.ids[0];
    return this.note.board.tasks.find(({ key }) => key === named.ids[0]);
  }

  /** Applies an edit. @returns whether it succeeded; else the task stays as it is */
  private applyResult<R extends EditResult>(result: R): result is R & Note {
    if (result.ok) this.note = result;
    else this.left.push(result.message);
    return result.ok;
  }
}

/** An entry of the list and its task. */
interface Pair {
  readonly wanted: WantedTask;
  /** undefined: a new entry */
  readonly last: MirroredTask | undefined;
  /** undefined: a new entry, or the task was removed by a person */
  readonly task: Task | undefined;
}

/**
 * Finds the task of each entry: the one with this text in the last list; else the one at its place
 * in that list, if its text is gone from the list; else a cancelled one with this text; else an
 * unused task of the board with this title.
 * @returns one pair per entry; the entries that are gone now, and those that were gone before and
 * are still
 */
function pairTodos(board: Board, wanted: readonly WantedTask[], { items, gone }: Mirrored) {
  const left = new Set(items);
  const away = new Set(gone);
  const byText = (from: Set<MirroredTask>, text: string): MirroredTask | undefined =>
    takeFrom(
      from,
      [...from].find((one) => one.text === text),
    );
  const named = wanted.map(({ text }) => byText(left, text));
  const placed = wanted.map((_, at) => named[at] ?? takeFrom(left, items[at]));
  const found = wanted.map(({ text }, at) => placed[at] ?? byText(away, text));
  const tasks = new Map(board.tasks.map((task) => [task.key, task]));
  const known = new Set([...items, ...gone].map(({ id }) => id));
  const free = new Set(board.tasks.filter(({ key }) => !known.has(key)));
  const pairs = wanted.map((one, at): Pair => {
    const last = found[at];
    const own = last && tasks.get(last.id);
    const task =
      own ??
      takeFrom(
        free,
        [...free].find(({ title }) => title === one.text),
      );
    return { wanted: one, last, task };
  });
  return { pairs, vanished: [...left], gone: [...away] };
}

/** Removes an item from a set and returns it; undefined if it is not in it. */
function takeFrom<T>(from: Set<T>, one: T | undefined): T | undefined {
  return one !== undefined && from.delete(one) ? one : undefined;
}

/** Adds a task before another, as its sibling. */
function addBefore(note: Note, before: string, spec: NewTask): ReturnType<typeof addTask> {
  const added = addTask(note, { ...spec, before });
  if (!added.ok) return added;
  const others = added.board.tasks.filter(({ key }) => key !== added.id);
  const whole = others.length + 1 === added.board.tasks.length;
  const fits = whole && sameTasks(note.board.tasks, others, true);
  return fits ? added : fault('no_place', STAYS);
}

const STAYS = 'A new task there would change what other lines of the note belong to.';

/** The last values that the mirror wrote to a task: differences were made by a person. */
const mirroredTask = lazy(() =>
  z.object({
    id: z.string(),
    /** the agent's last text for it */
    text: z.string(),
    title: z.string(),
    status: z.enum(STATUSES),
    priority: z.enum(PRIORITIES),
  }),
);

type MirroredTask = z.infer<ReturnType<typeof mirroredTask>>;

/** What is stored about a board between two lists. */
const mirrored = lazy(() =>
  z.object({
    /** in the order of the list */
    items: z.array(mirroredTask()),
    /** entries that are gone from the list */
    gone: z.array(mirroredTask()),
  }),
);

export type Mirrored = z.infer<ReturnType<typeof mirrored>>;

export const NOTHING_MIRRORED: Mirrored = { items: [], gone: [] };

/** An entry of a list, as passed to the tool `todowrite`. */
export interface Todo {
  readonly content: string;
  readonly status: string;
  readonly priority?: string | undefined;
}

/** An entry converted to values of a task. */
interface WantedTask {
  /** a valid title */
  readonly text: string;
  readonly status: Status;
  readonly priority: Priority;
}

/** More than a person can follow; each entry is an edit of the note. */
export const MAX_TODOS = 200;

/** The first 200 entries with a text; unknown statuses become pending, priorities normal. */
export function readTodos(todos: readonly Todo[]): readonly WantedTask[] {
  return todos
    .filter(({ content }) => withoutColours(content).trim() !== '')
    .slice(0, MAX_TODOS)
    .map(({ content, status, priority }) => ({
      text: tidyTitle(content),
      status: readStatus(status) ?? 'pending',
      priority: PRIORITIES.find((one) => one === priority?.toLowerCase()) ?? 'normal',
    }));
}

const boardMemory = lazy(() =>
  z.object({
    last: mirrored(),
    /** a list about to be written, or written but not in `last` yet */
    pending: z.optional(
      z.array(
        z.object({ text: z.string(), status: z.enum(STATUSES), priority: z.enum(PRIORITIES) }),
      ),
    ),
  }),
);

type BoardMemory = z.infer<ReturnType<typeof boardMemory>>;

/** The mirror's memory of a session. */
const mirrorMemory = lazy(() =>
  z.object({
    /** the session has called `tasks`: nothing is mirrored any more */
    used: z.boolean(),
    /** by agent */
    boards: z.array(z.tuple([z.string(), boardMemory()])),
  }),
);

type MirrorMemory = z.infer<ReturnType<typeof mirrorMemory>>;

/** A damaged file counts as missing: entries are then found by their titles. */
function readMirrorMemory(text: string | undefined): MirrorMemory {
  return jsonAs(mirrorMemory(), text) ?? { used: false, boards: [] };
}

function mirrorMemoryText(memory: MirrorMemory): string {
  return `${JSON.stringify(memory)}\n`;
}

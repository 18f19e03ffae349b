import { isFinished } from '../facts';
import { addTask } from '../note/add-task';
import { setTaskFields } from '../note/edit-fields';
import type { EditResult } from '../note/edit-result';
import { setTaskStatus, setTaskTitle } from '../note/edit-task';
import type { Note } from '../note/note';
import { parseNote } from '../note/parse-note';
import { withIds } from '../operation/edit-chain';
import type { Task } from '../task';
import { addBefore } from './add-before';
import type { MirroredTask } from './mirrored';
import type { Pair } from './pair-todos';
import type { WantedTask } from './read-todos';

export interface MirrorOptions {
  /** local date, `YYYY-MM-DD` */
  readonly today: string;
  /**
   * This list may have been written before and not been remembered: of a task that it would have
   * added, what stands there otherwise a person changed.
   */
  readonly again: boolean;
}

/** The heading that mirrored tasks are added under. */
export const TODOS = 'Todos';

/** The edits of one list, one after another; an edit that is refused leaves its task as it is. */
export class MirrorRun {
  readonly left: string[] = [];
  /** keys of the tasks that the entries are, in the order of the list; a new one gets its own when added */
  private readonly keys: (string | undefined)[];

  constructor(
    public note: Note,
    pairs: readonly Pair[],
    private readonly options: MirrorOptions,
  ) {
    this.keys = pairs.map(({ task }) => task?.key);
  }

  /** @returns what to remember of the entry; undefined where it could not be added */
  settle({ wanted, last, task }: Pair, at: number): MirroredTask | undefined {
    if (task === undefined) {
      return last === undefined ? this.add(wanted, at) : { ...last, text: wanted.text };
    }
    if (last !== undefined && last.id === task.id) return this.merge(task, last, wanted);
    const own = this.named(task, at);
    if (own === undefined) return undefined;
    const { title, status, priority } = task;
    // One with an id may be what the list that was not remembered added.
    const ours = this.options.again && task.id !== null;
    const base = ours ? { ...wanted, title: wanted.text } : { title, status, priority };
    return this.merge(own, { id: own.key, text: wanted.text, ...base }, wanted);
  }

  /** What vanished from the list: cancelled, unless it is finished or a person changed its status. */
  cancel(last: MirroredTask): MirroredTask {
    const task = this.note.board.tasks.find(({ key }) => key === last.id);
    if (task === undefined || isFinished(task) || task.status !== last.status) return last;
    const { today } = this.options;
    const done = this.edit((note) => setTaskStatus(note, task.key, 'cancelled', { today }));
    return done ? { ...last, status: 'cancelled' } : last;
  }

  private merge(task: Task, last: MirroredTask, wanted: WantedTask): MirroredTask {
    const { key } = task;
    const { text, status, priority } = wanted;
    const { today } = this.options;
    return {
      id: last.id,
      text,
      title: this.field(task.title, last.title, text, (note) => setTaskTitle(note, key, text)),
      status: this.field(task.status, last.status, status, (note) =>
        setTaskStatus(note, key, status, { today }),
      ),
      priority: this.field(task.priority, last.priority, priority, (note) =>
        setTaskFields(note, key, { priority }),
      ),
    };
  }

  /** Three-way: written only where the board still says what the mirror left. @returns what it left now */
  private field<T>(now: T, last: T, wanted: T, edit: (note: Note) => EditResult): T {
    if (now === wanted) return wanted;
    if (now !== last) return last;
    return this.edit(edit) ? wanted : last;
  }

  private add({ text, status, priority }: WantedTask, at: number): MirroredTask | undefined {
    const spec = { title: text, status, fields: { priority }, today: this.options.today };
    const before = this.anchor(this.keys.slice(0, at).reverse());
    const behind = before === undefined ? this.anchor(this.keys.slice(at + 1)) : undefined;
    let id = '';
    const done = this.edit((note) => {
      const added =
        behind === undefined
          ? addTask(note, {
              ...spec,
              ...(before === undefined ? { phase: TODOS } : { after: before }),
            })
          : addBefore(note, behind, spec);
      if (added.ok) id = added.id;
      return added;
    });
    if (!done) return undefined;
    this.keys[at] = id;
    return { id, text, title: text, status, priority };
  }

  /** The first of these tasks that stands at the left edge under the heading. */
  private anchor(keys: readonly (string | undefined)[]): string | undefined {
    const { tasks } = this.note.board;
    const stands = new Set(
      tasks.flatMap(({ key, parent, phase }) => (parent === null && phase === TODOS ? key : [])),
    );
    return keys.find((key) => key !== undefined && stands.has(key));
  }

  /** The task with an id. */
  private named(task: Task, at: number): Task | undefined {
    const named = withIds(this.note, [task]);
    if (!named.ok) {
      this.left.push(named.message);
      return undefined;
    }
    this.note = named.note;
    this.keys[at] = named.ids[0];
    return this.note.board.tasks.find(({ key }) => key === named.ids[0]);
  }

  private edit(edit: (note: Note) => EditResult): boolean {
    const result = edit(this.note);
    if (!result.ok) this.left.push(result.message);
    else if (result.text !== this.note.text) {
      this.note = parseNote(this.note.board.path, result.text);
    }
    return result.ok;
  }
}

import { PERSON, type Actor } from '../../core/board/history/actor';
import type { UndoAnswer, TodoManager } from '../../core/board/todo-manager';
import type { Board, Task, TaskTarget } from '../../core/board/task';
import { StoreError } from '../../core/ports';
import { STATUS_WORDS } from '../part/status-words';
import type { Notify } from './notify';

/** A change that the person made here. */
export interface OwnChange {
  /** its name in the history */
  readonly change: string;
  /** of the board */
  readonly path: string;
  readonly by: Actor;
  /** the task whose status it changed, to say what that is again */
  readonly target?: TaskTarget | undefined;
}

interface Undone extends OwnChange {
  /** what is done again with it */
  readonly said: readonly string[];
}

export interface OwnChangesDeps {
  /** the one of the board root that is set now */
  readonly manager: () => Pick<
    TodoManager,
    'boards' | 'history' | 'undo' | 'undoLast' | 'redoLast'
  >;
  readonly notify: Notify;
  readonly open: (board: Board, task: Task | undefined) => void;
}

/** What the person did, to take back and do again: first what was done here, then what was before. */
export class OwnChanges {
  private readonly done: OwnChange[] = [];
  private undone: Undone[] = [];
  /** boards with a change of the person from before this start, the newest last */
  private earlier: string[] = [];

  constructor(private readonly deps: OwnChangesDeps) {}

  get canUndo(): boolean {
    return this.done.length + this.earlier.length > 0;
  }

  get canRedo(): boolean {
    return this.undone.length > 0;
  }

  add(change: OwnChange): void {
    this.done.push(change);
    this.undone = [];
  }

  /** Looks for changes of the person that an earlier start left in the histories. */
  async recall(): Promise<void> {
    const found: { readonly path: string; readonly at: number }[] = [];
    const manager = this.deps.manager();
    for (const { path } of manager.boards()) {
      const last = (await manager.history(path)).find(
        ({ by, undone }) => by.kind === 'person' && !undone,
      );
      if (last !== undefined) found.push({ path, at: last.at });
    }
    this.earlier = found.sort((a, b) => a.at - b.at).map(({ path }) => path);
  }

  /** Takes the last change back; refused where the task changed since. */
  async undo(): Promise<void> {
    const last = this.done.pop();
    if (last === undefined) return this.undoEarlier();
    const answer = await this.tried(() => this.deps.manager().undo(last.change));
    if (answer.ok) this.undone.push({ ...last, said: answer.said });
    this.tell(answer, last, 'Undone');
  }

  /** Does again what was taken back last. */
  async redo(): Promise<void> {
    const last = this.undone.pop();
    if (last === undefined) return this.deps.notify('There is nothing to redo.');
    const answer = await this.tried(() => this.deps.manager().redoLast(last.path, last.by));
    if (answer.ok) this.done.push({ ...last, change: answer.change });
    this.tell(
      answer.ok ? { ...answer, said: last.said } : answer,
      { path: last.path },
      'Done again',
    );
  }

  private async undoEarlier(): Promise<void> {
    for (let path = this.earlier.at(-1); path !== undefined; path = this.earlier.at(-1)) {
      const board = path;
      const answer = await this.tried(() => this.deps.manager().undoLast(board, PERSON));
      if (answer.ok)
        this.undone.push({ change: answer.change, path, by: PERSON, said: answer.said });
      // What is refused once would stand in the way of all before it.
      else this.earlier.pop();
      if (answer.ok || answer.code !== 'nothing_to_undo') {
        return this.tell(answer, { path }, 'Undone');
      }
    }
    this.deps.notify('There is nothing to undo.');
  }

  /** A store that fails (a full disk, say) is told like a refusal; nothing was written then. */
  private async tried(work: () => Promise<UndoAnswer>): Promise<UndoAnswer> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return { ok: false, code: error.code, message: error.message };
    }
  }

  private tell(
    answer: UndoAnswer,
    { path, target }: Pick<OwnChange, 'path' | 'target'>,
    what: string,
  ): void {
    const { notify, manager, open } = this.deps;
    const board = answer.ok
      ? answer.board
      : manager()
          .boards()
          .find((one) => one.path === path);
    const task = target && board?.tasks.find((one) => isTarget(one, target));
    if (answer.ok) {
      const again = task && `${task.title} is ${STATUS_WORDS[task.status].word} again`;
      const said = answer.said.map((line) => line.replace(/\.$/, '')).join('; ');
      notify(`${what}: ${again ?? said}.`);
    } else if (board === undefined) notify(answer.message);
    else notify(answer.message, { label: 'Open', onClick: () => open(board, task) });
  }
}

function isTarget(task: Task, target: TaskTarget): boolean {
  return target.id === null ? task.line === target.line : task.id === target.id;
}

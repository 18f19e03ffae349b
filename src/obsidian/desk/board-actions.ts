import { boardFacts } from '../../core/board/facts';
import type { Board, Status, Task, TaskTarget } from '../../core/board/task';
import type { PersonAnswer, PersonOperation } from '../../core/board/person/person-operation';
import type { TodoManager } from '../../core/board/todo-manager';
import { STATUS_WORDS } from '../part/status-words';
import type { Notify } from './notify';

export interface BoardActionsDeps {
  /** the one of the board root that is set now */
  readonly manager: () => Pick<TodoManager, 'boards' | 'person' | 'undo'>;
  readonly notify: Notify;
  /** Asks before a task that still waits is marked done. */
  readonly confirmDone: (text: string) => Promise<boolean>;
  readonly open: (board: Board, task: Task | undefined) => void;
}

interface OwnChange {
  readonly token: string;
  readonly path: string;
  readonly target: TaskTarget | undefined;
}

/** A person's changes to boards: each is one write, says what it did, and can be undone. */
export class BoardActions {
  private readonly done: OwnChange[] = [];

  constructor(private readonly deps: BoardActionsDeps) {}

  get canUndo(): boolean {
    return this.done.length > 0;
  }

  /** Done, or open again where it is done or cancelled. */
  async tick(board: Board, task: Task): Promise<void> {
    const closed = task.status === 'completed' || task.status === 'cancelled';
    await this.setStatus(board, task, closed ? 'pending' : 'completed');
  }

  async setStatus(board: Board, task: Task, status: Status): Promise<void> {
    if (status === task.status) return;
    if (status === 'completed' && !(await this.mayComplete(board, task))) return;
    const answer = await this.change(
      board,
      { type: 'status', target: targetOf(task), status },
      task,
    );
    if (!answer.ok) return;
    const frees = answer.frees === 0 ? '' : ` Frees ${answer.frees} ${plural(answer.frees)}.`;
    this.tell(`${sentence(status)}${frees}`);
  }

  async rename(board: Board, task: Task, title: string): Promise<void> {
    const target = targetOf(task);
    const answer = await this.change(board, { type: 'rename', target, title }, task);
    if (answer.ok) this.tell('Renamed.');
  }

  async add(board: Board, title: string, after?: Task): Promise<void> {
    const place = after === undefined ? {} : { after: targetOf(after) };
    const answer = await this.change(board, { type: 'add', title, ...place });
    if (answer.ok) this.tell('Added.');
  }

  /** Takes back the person's own last change; refused where the task changed since. */
  async undo(): Promise<void> {
    const last = this.done.pop();
    if (last === undefined) {
      this.deps.notify('There is nothing to undo.');
      return;
    }
    const answer = await this.deps.manager().undo(last.token);
    if (answer.ok) {
      const task = answer.board.tasks.find((one) => isTarget(one, last.target));
      this.deps.notify(
        task === undefined
          ? 'Undone.'
          : `Undone: ${task.title} is ${STATUS_WORDS[task.status].word} again.`,
      );
      return;
    }
    const board = this.deps
      .manager()
      .boards()
      .find((one) => one.path === last.path);
    const task = board?.tasks.find((one) => isTarget(one, last.target));
    if (board === undefined) this.deps.notify(answer.message);
    else
      this.deps.notify(answer.message, {
        label: 'Open',
        onClick: () => this.deps.open(board, task),
      });
  }

  private async mayComplete(board: Board, task: Task): Promise<boolean> {
    const facts = boardFacts(board).get(task.key);
    if (facts?.blocked !== true) return true;
    return this.deps.confirmDone(`${waits(board, task, facts.blockedBy)} Mark it done anyway?`);
  }

  private async change(
    board: Board,
    operation: PersonOperation,
    task?: Task,
  ): Promise<PersonAnswer> {
    const answer = await this.write(board, operation);
    if (answer.ok) {
      const target = task === undefined ? undefined : targetOf(task);
      this.done.push({ token: answer.change, path: board.path, target });
    } else this.deps.notify(answer.message);
    return answer;
  }

  /** A store that fails (a full disk, say) is told like a refusal; nothing was written then. */
  private async write(board: Board, operation: PersonOperation): Promise<PersonAnswer> {
    try {
      return await this.deps.manager().person(board.path, [operation]);
    } catch (error) {
      const message = error instanceof Error ? error.message : 'The board was not saved.';
      return { ok: false, code: 'io', message };
    }
  }

  private tell(message: string): void {
    this.deps.notify(message, { label: 'Undo', onClick: () => void this.undo() });
  }
}

function sentence(status: Status): string {
  return status === 'pending' ? 'Open again.' : `Moved to ${STATUS_WORDS[status].word}.`;
}

function waits(board: Board, task: Task, blockedBy: readonly string[]): string {
  const [only] = blockedBy;
  if (only === undefined) return `${task.title} stands under a task that is not free yet.`;
  if (blockedBy.length > 1) return `${task.title} waits for ${blockedBy.length} tasks.`;
  const title = board.tasks.find((one) => one.id === only)?.title ?? only;
  return `${task.title} waits for ${title}.`;
}

function plural(count: number): string {
  return count === 1 ? 'task' : 'tasks';
}

function targetOf({ id, line, title }: Task): TaskTarget {
  return { id, line, title };
}

function isTarget(task: Task, target: TaskTarget | undefined): boolean {
  if (target === undefined) return false;
  return target.id === null ? task.line === target.line : task.id === target.id;
}

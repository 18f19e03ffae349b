import { boardFacts } from '../../core/board/facts';
import { familyOf } from '../../core/board/operation/family';
import type { PersonOperation } from '../../core/board/person/person-operation';
import type { Board, Status, Task, TaskTarget } from '../../core/board/task';
import { STATUS_WORDS } from '../part/status-words';
import { targetOf, type BoardWrites } from './board-writes';
import { stepTask, type Step } from './step-task';

/** What becomes of a task's sub-tasks, or whether the text under it may go with it. */
export type Removal = 'all' | 'keep';

export interface BoardQuestions {
  /** Asks before a task that still waits is marked done. */
  readonly confirmDone: (text: string) => Promise<boolean>;
  /** Asks what becomes of what stands under a task; undefined: nothing is removed. */
  readonly askRemoval: (task: Task, subtasks: number) => Promise<Removal | undefined>;
}

/** Where a task can be put: behind another, under another, or at the end of a phase. */
export type TaskPlace =
  { readonly after: TaskTarget } | { readonly parent: TaskTarget } | { readonly phase: string };

/** A person's changes of tasks, in the words of the views. */
export class BoardActions {
  constructor(
    readonly writes: BoardWrites,
    private readonly ask: BoardQuestions,
  ) {}

  /** Done, or open again where it is done or cancelled. */
  async tick(board: Board, task: Task): Promise<void> {
    const closed = task.status === 'completed' || task.status === 'cancelled';
    await this.setStatus(board, task, closed ? 'pending' : 'completed');
  }

  async setStatus(board: Board, task: Task, status: Status): Promise<void> {
    if (status === task.status) return;
    if (status === 'completed' && !(await this.mayComplete(board, task))) return;
    const operation: PersonOperation = { type: 'status', target: targetOf(task), status };
    const told = ({ frees }: { frees: number }): string =>
      sentence(status) + (frees === 0 ? '' : ` Frees ${counted(frees, 'task')}.`);
    await this.writes.write(board, [operation], told, { status: task });
  }

  async rename(board: Board, task: Task, title: string): Promise<void> {
    await this.one(board, { type: 'rename', target: targetOf(task), title }, 'Renamed.');
  }

  /** At the end of the board, or at a place in it. */
  async add(board: Board, title: string, place?: TaskPlace): Promise<void> {
    await this.one(board, { type: 'add', title, ...place }, 'Added.');
  }

  /** What has sub-tasks or text under it goes only as the person says. */
  async remove(board: Board, task: Task): Promise<void> {
    const operation: PersonOperation = { type: 'remove', target: targetOf(task) };
    const told = () => 'Removed.';
    const quiet = ['has_children', 'has_body'];
    const answer = await this.writes.write(board, [operation], told, { quiet });
    if (answer.ok || !quiet.includes(answer.code)) return;
    const subtasks = familyOf(board, task).length - 1;
    const how = await this.ask.askRemoval(task, subtasks);
    if (how === undefined) return;
    const under = how === 'all' ? { cascade: true } : { promote: true };
    await this.writes.write(board, [{ ...operation, ...under }], told);
  }

  async move(board: Board, task: Task, place: TaskPlace): Promise<void> {
    await this.one(board, { type: 'move', target: targetOf(task), ...place }, 'Moved.');
  }

  /** One step among its siblings or in depth; nothing where there is no such place. */
  async step(board: Board, task: Task, step: Step): Promise<void> {
    const way = stepTask(board, task, step);
    if (way !== undefined) await this.writes.write(board, way.operations, () => way.told);
  }

  async depend(board: Board, task: Task, on: Task): Promise<void> {
    const operation: PersonOperation = { type: 'depend', ...between(task, on) };
    await this.one(board, operation, `${task.title} now waits for ${on.title}.`);
  }

  /** @param on a task, or an id that no task has */
  async undepend(board: Board, task: Task, on: TaskTarget): Promise<void> {
    const operation: PersonOperation = { type: 'undepend', ...between(task, on) };
    await this.one(board, operation, `${task.title} no longer waits for ${on.title}.`);
  }

  /** @param owner an agent, `me`, or null for nobody */
  async assign(board: Board, task: Task, owner: string | null): Promise<void> {
    const operation: PersonOperation = {
      type: 'fields',
      target: targetOf(task),
      fields: { owner },
    };
    const whose = owner === 'me' ? 'yours' : owner === null ? 'nobody’s' : `${owner}’s`;
    await this.one(board, operation, `${task.title} is ${whose} now.`);
  }

  /** All that is finished. */
  async archive(board: Board): Promise<void> {
    const told = (now: { board: Board }) =>
      `${counted(board.tasks.length - now.board.tasks.length, 'task')} moved to the archive.`;
    await this.writes.write(board, [{ type: 'archive' }], told);
  }

  async restore(board: Board, { id, title }: Task): Promise<void> {
    if (id !== null) await this.one(board, { type: 'restore', id }, `${title} is back.`);
  }

  /** The second of two tasks with one number gets one of its own. */
  async renumber(board: Board, target: TaskTarget): Promise<void> {
    const told = 'It has a number of its own now.';
    await this.one(board, { type: 'renumber', target }, told);
  }

  private async one(board: Board, operation: PersonOperation, told: string): Promise<void> {
    await this.writes.write(board, [operation], () => told);
  }

  private async mayComplete(board: Board, task: Task): Promise<boolean> {
    const facts = boardFacts(board).get(task.key);
    if (facts?.blocked !== true) return true;
    return this.ask.confirmDone(`${waits(board, task, facts.blockedBy)} Mark it done anyway?`);
  }
}

function between(task: Task, on: TaskTarget): { target: TaskTarget; on: readonly TaskTarget[] } {
  return { target: targetOf(task), on: [targetOf(on)] };
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

/** `1 task`, `2 tasks` */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

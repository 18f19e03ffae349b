import { PERSON, type Actor } from '../../core/board/history/actor';
import type {
  PersonAnswer,
  PersonOperation,
  Refused,
} from '../../core/board/person/person-operation';
import type { TodoManager } from '../../core/board/todo-manager';
import type { Board, Task, TaskTarget } from '../../core/board/task';
import { StoreError } from '../../core/ports';
import type { Notify } from './notify';
import { OwnChanges, type OwnChangesDeps } from './own-changes';

export interface BoardWritesDeps extends Omit<OwnChangesDeps, 'manager'> {
  readonly manager: () => ReturnType<OwnChangesDeps['manager']> & Pick<TodoManager, 'person'>;
}

type Written = Extract<PersonAnswer, { ok: true }>;

/** Writes what the person does: each is one write, says what it did, and can be taken back. */
export class BoardWrites {
  readonly own: OwnChanges;
  readonly notify: Notify;

  constructor(private readonly deps: BoardWritesDeps) {
    this.own = new OwnChanges(deps);
    this.notify = deps.notify;
  }

  /**
   * @param told what was done, as the notice says it
   * @param status the task whose status it changes
   * @param quiet codes of refusals that the caller answers itself
   */
  async write(
    { path }: Pick<Board, 'path'>,
    operations: readonly PersonOperation[],
    told: (answer: Written) => string,
    { status, quiet = [] }: { status?: Task; quiet?: readonly string[] } = {},
  ): Promise<PersonAnswer> {
    const answer = await this.tried(() => this.deps.manager().person(path, operations));
    if (!answer.ok) {
      const nothing = answer.code === 'cycle' ? ' Nothing was changed.' : '';
      if (!quiet.includes(answer.code)) this.deps.notify(answer.message + nothing);
      return answer;
    }
    const target = status && targetOf(status);
    this.own.add({ change: answer.change, path, by: PERSON, target });
    const lasting = answer.unrecorded === undefined ? '' : ` ${answer.unrecorded}`;
    this.tell(told(answer) + lasting);
    return answer;
  }

  /** What was written in another way for the person: told, and taken back like all else. */
  wrote(path: string, change: string, told: string, by: Actor = PERSON): void {
    this.own.add({ change, path, by });
    this.tell(told);
  }

  /** A store that fails (a full disk, say) is told like a refusal; nothing was written then. */
  async tried<T>(work: () => Promise<T>): Promise<T | Refused> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return { ok: false, code: error.code, message: error.message };
    }
  }

  private tell(message: string): void {
    this.deps.notify(message, { label: 'Undo', onClick: () => void this.own.undo() });
  }
}

/** How an operation names a task. */
export function targetOf({ id, line, title }: TaskTarget): TaskTarget {
  return { id, line, title };
}

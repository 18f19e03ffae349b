import {
  TodoManager,
  type TasksAnswer,
  type TodoManagerDeps,
} from '../../src/core/board/todo-manager';
import type { Task } from '../../src/core/board/task';
import type { Clock, Ids } from '../../src/core/ports';
import { MemoryStore } from '../store/memory-store';

export const clock: Clock = { now: () => 1e12, today: () => '2026-11-21', after: () => () => {} };

/** Repeatable ids from Lehmer's generator. */
export function seededIds(seed = 1): Ids {
  let state = seed;
  let count = 0;
  return {
    unique: () => `u${(count += 1)}`,
    random: () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647,
  };
}

/** A manager over memory, with short methods for calls by agents of one session. */
export class ManagerFixture {
  readonly manager: TodoManager;

  constructor(
    readonly store = new MemoryStore(),
    deps: Partial<TodoManagerDeps> = {},
  ) {
    this.manager = new TodoManager({ store, clock, ids: seededIds(), ...deps });
  }

  call(agent: string, ...operations: unknown[]): Promise<TasksAnswer> {
    return this.callIn('ses_1', agent, ...operations);
  }

  callIn(sessionId: string, agent: string, ...operations: unknown[]): Promise<TasksAnswer> {
    return this.manager.call({ sessionId, agent, sessionTitle: 'The session' }, { operations });
  }

  /** The text of an agent's board. */
  text(agent: string, session = 'ses_1'): string {
    return this.store.files.get(boardPathOf(agent, session))?.text ?? '';
  }

  /** Writes the note as a person's editor would. */
  editNote(agent: string, change: (text: string) => string): void {
    const before = this.text(agent);
    const after = change(before);
    if (before === after) throw new Error('the person changed nothing');
    this.store.put(boardPathOf(agent), after);
  }

  /** `title: status` of each task of the current board. */
  async tasks(agent: string): Promise<string[]> {
    return (await this.board(agent)).map(({ title, status }) => `${title}: ${status}`);
  }

  async board(agent: string): Promise<readonly Task[]> {
    return (await this.manager.load(boardPathOf(agent)))?.tasks ?? [];
  }

  /** Paths of the existing boards, relative to the root. */
  paths(): string[] {
    return [...this.store.files.keys()]
      .filter((path) => path.startsWith('.opencode/todos/'))
      .map((path) => path.slice('.opencode/todos/'.length))
      .sort();
  }
}

export function boardPathOf(agent: string, session = 'ses_1'): string {
  return `.opencode/todos/${session}/${agent}-tasks.md`;
}

/** The error code of each failed operation, `ok` for the others. */
export function codes(answer: TasksAnswer): string[] {
  return answer.result.results.map(({ error }) => error?.code ?? 'ok');
}

export function messages(answer: TasksAnswer): string[] {
  return answer.result.results.flatMap(({ error }) => (error === undefined ? [] : [error.message]));
}

import type { Task } from '../../src/core/board/task';
import type { KeyedCommand } from '../../src/core/orchestrator/command';
import type { RunEvent } from '../../src/core/orchestrator/event';
import { task } from './plan-board';
import { STATUS_AFTER } from './world-session';

/** The board of a world, as agents, the run and the person change it. */
export class WorldBoard {
  tasks: Task[] = [];
  /** answers to commands and changes of the board, in order */
  readonly answers: RunEvent[] = [];
  /** tasks for which there is evidence: a check that passed, or the person's word */
  readonly passed = new Set<string>();
  readonly byPerson = new Set<string>();
  #lines = 100;

  /** Line of an added task; no two tasks share one. */
  freshLine(): number {
    return (this.#lines += 1);
  }

  /** Adds a plan of two steps, unless there are open tasks on the board. */
  addPlan(): void {
    if (this.tasks.some(({ status }) => status !== 'completed' && status !== 'cancelled')) return;
    const [n, m] = [this.freshLine(), this.freshLine()];
    this.tasks = [...this.tasks, task(n), task(m, { dependsOn: [`k3f9-${n}`] })];
  }

  number(at: number): void {
    this.tasks = this.tasks.map((one) => {
      const id = `k3f9-${one.line}`;
      return one.line === at && one.id === null ? { ...one, id, key: id } : one;
    });
  }

  write({ key, task: id, write }: Extract<KeyedCommand, { type: 'write' }>): RunEvent {
    const there = this.tasks.find((one) => one.id === id);
    if (there === undefined) return { type: 'refused', key, message: 'The task is gone.' };
    const status = STATUS_AFTER[write.kind];
    if (status === 'in_progress') this.passed.delete(id);
    if (status === 'completed') this.byPerson.add(id);
    if (status !== undefined) this.set(id, status);
    return { type: 'done', key };
  }

  set(id: string, status: Task['status']): void {
    this.tasks = this.tasks.map((one) => (one.id === id ? { ...one, status } : one));
  }

  /** The person changes the status of a task. */
  edit(id: string, status: Task['status']): void {
    this.byPerson.delete(id);
    if (status === 'completed') this.byPerson.add(id);
    else this.passed.delete(id);
    this.set(id, status);
    this.answers.push({ type: 'board', byPerson: [id] });
  }

  remove(id: string): void {
    this.passed.delete(id);
    this.byPerson.delete(id);
    this.tasks = this.tasks.filter((one) => one.id !== id);
    this.answers.push({ type: 'board', byPerson: [] });
  }
}

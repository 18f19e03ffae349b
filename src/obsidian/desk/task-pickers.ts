import type { App } from 'obsidian';
import { familyOf } from '../../core/board/operation/family';
import { nameOf } from '../../core/board/operation/find-task';
import type { Board, Task, TaskTarget } from '../../core/board/task';
import { taskTree } from '../../core/board/task-tree';
import type { BoardActions, TaskPlace } from './board-actions';
import { targetOf } from './board-writes';
import { pick, type Choice } from './pick';

/** Changes of a task that ask for a second thing: on what, to where, whose. */
export class TaskPickers {
  constructor(
    private readonly app: App,
    private readonly actions: BoardActions,
    /** agents that are known, to name as owners */
    private readonly agents: () => readonly string[],
  ) {}

  /** A circle is refused when it is written, with the way that it would go. */
  async depend(board: Board, task: Task): Promise<void> {
    const own = new Set(familyOf(board, task).map(({ key }) => key));
    const choices = board.tasks
      .filter(({ id, key }) => !own.has(key) && !task.dependsOn.includes(id ?? ''))
      .map((one) => ({ text: label(one), value: one }));
    const on = await this.pick(choices, `${task.title} waits for…`, 'No task can be waited for.');
    if (on !== undefined) await this.actions.depend(board, task, on);
  }

  async undepend(board: Board, task: Task): Promise<void> {
    const choices = task.dependsOn.map((id): Choice<TaskTarget> => {
      const on = board.tasks.find((one) => one.id === id);
      return { text: on ? label(on) : id, value: on ?? { id, line: 0, title: id } };
    });
    const none = `${task.title} waits for no task.`;
    const on = await this.pick(choices, `${task.title} no longer waits for…`, none);
    if (on !== undefined) await this.actions.undepend(board, task, on);
  }

  async move(board: Board, task: Task): Promise<void> {
    const own = new Set(familyOf(board, task).map(({ key }) => key));
    const others = board.tasks.filter(({ key }) => !own.has(key));
    const phases = new Set(taskTree(board.tasks).flatMap(({ title }) => title ?? []));
    const choices: Choice<TaskPlace>[] = [
      ...[...phases].map((phase) => ({ text: `To the end of ${phase}`, value: { phase } })),
      ...others.map((one) => ({ text: `After ${label(one)}`, value: { after: targetOf(one) } })),
      ...others.map((one) => ({ text: `Under ${label(one)}`, value: { parent: targetOf(one) } })),
    ];
    const place = await this.pick(choices, `Move ${task.title}`, 'There is no other place.');
    if (place !== undefined) await this.actions.move(board, task, place);
  }

  async assign(board: Board, task: Task): Promise<void> {
    const agents = new Set([board.agent, ...this.agents()]);
    const choices: Choice<string | null>[] = [
      { text: 'You', value: 'me' },
      ...[...agents].map((agent) => ({ text: agent, value: agent })),
      { text: 'Nobody', value: null },
    ].filter(({ value }) => value !== task.owner);
    const owner = await this.pick(choices, `Assign ${task.title} to…`, '');
    if (owner !== undefined) await this.actions.assign(board, task, owner);
  }

  private async pick<T>(
    choices: readonly Choice<T>[],
    placeholder: string,
    none: string,
  ): Promise<T | undefined> {
    if (choices.length === 0) this.actions.writes.notify(none);
    return pick(this.app, choices, placeholder, true);
  }
}

function label(task: Task): string {
  return task.n === null ? task.title : `${task.title} · ${nameOf(task)}`;
}

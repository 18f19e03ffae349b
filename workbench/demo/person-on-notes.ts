import { join } from 'node:path';
import type { PersonOperation, TodoManager } from '../../src/core/board/todo-manager';
import { typeBelow } from './edit-note';
import { findTask, type FoundTask } from './find-task';
import { ticked, typed } from './person-outcome';
import type { PersonAction } from './script';
import type { Acted } from './stage';
import { statusOf } from './status-word';

/** Does what a person does in the sidebar, on the notes themselves and by the same core. */
export class PersonOnNotes {
  constructor(
    private readonly manager: TodoManager,
    private readonly vault: string,
  ) {}

  async act(sessionId: string, action: PersonAction): Promise<Acted> {
    await this.manager.scan();
    const boards = this.manager.boards().filter((board) => board.session === sessionId);
    const found = findTask(boards, sessionId, action.task);
    if (action.do === 'add' && action.value === undefined) {
      const path = boards[0]?.path;
      if (path === undefined) return { kind: 'not_yet' };
      return this.person(path, { type: 'add', title: typed(action.task) });
    }
    if (!found) return { kind: 'not_yet' };
    if (action.do === 'edit') {
      await typeBelow(join(this.vault, found.board.path), found.task.line, action.value);
      return { kind: 'done' };
    }
    const what = operation(found, action);
    // What is so already, the sidebar does not write again.
    if (what.type === 'status' && what.status === found.task.status) return { kind: 'done' };
    if (what.type === 'rename' && what.title === found.task.title) return { kind: 'done' };
    return this.person(found.board.path, what);
  }

  private async person(path: string, what: PersonOperation): Promise<Acted> {
    const answer = await this.manager.person(path, [what]);
    return answer.ok ? { kind: 'done' } : { kind: 'failed', message: answer.message };
  }
}

function operation(
  { task }: FoundTask,
  action: Exclude<PersonAction, { do: 'edit' }>,
): PersonOperation {
  const target = { id: task.id, line: task.line, title: task.title };
  switch (action.do) {
    case 'tick':
      return { type: 'status', target, status: ticked(task) };
    case 'status':
      return { type: 'status', target, status: statusOf(action.value) ?? task.status };
    case 'rename':
      return { type: 'rename', target, title: typed(action.value) };
    case 'add':
      return { type: 'add', title: typed(action.value ?? action.task), after: target };
  }
}

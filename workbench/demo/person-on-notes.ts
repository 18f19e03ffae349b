import { PERSON } from '../../src/core/board/history/actor';
import { join } from 'node:path';
import type { TodoManager } from '../../src/core/board/todo-manager';
import type { Op } from '../../src/core/board/op';
import { typeBelow } from './edit-note';
import { findTask, type FoundTask } from './find-task';
import { statusAfterTick, submittedTitle } from './person-outcome';
import type { PersonAction } from './script';
import type { ActionResult } from './stage';
import { parseStatus } from './status-label';

/** Performs a person's sidebar actions on the notes directly, with the same core. */
export class PersonOnNotes {
  constructor(
    private readonly manager: TodoManager,
    private readonly vault: string,
  ) {}

  async act(sessionId: string, action: PersonAction): Promise<ActionResult> {
    await this.manager.scan();
    const boards = this.manager.boards().filter((board) => board.session === sessionId);
    const found = findTask(boards, sessionId, action.task);
    if (action.do === 'add' && action.value === undefined) {
      const path = boards[0]?.path;
      if (path === undefined) return { kind: 'not_yet' };
      return this.commit(path, { type: 'add', title: submittedTitle(action.task) });
    }
    if (!found) return { kind: 'not_yet' };
    if (action.do === 'edit') {
      await typeBelow(join(this.vault, found.board.path), found.task.line, action.value);
      return { kind: 'done' };
    }
    const what = operationFor(found, action);
    // The sidebar does not write a value that is already set.
    if (what.type === 'update') {
      const { status = found.task.status, title = found.task.title } = what;
      if (status === found.task.status && title === found.task.title) return { kind: 'done' };
    }
    return this.commit(found.board.path, what);
  }

  private async commit(path: string, what: Op): Promise<ActionResult> {
    const answer = await this.manager.commit(path, PERSON, [what]);
    return answer.ok ? { kind: 'done' } : { kind: 'failed', message: answer.message };
  }
}

function operationFor({ task }: FoundTask, action: Exclude<PersonAction, { do: 'edit' }>): Op {
  const target = { id: task.id, line: task.line, title: task.title };
  switch (action.do) {
    case 'tick':
      return { type: 'update', id: target, status: statusAfterTick(task) };
    case 'status':
      return { type: 'update', id: target, status: parseStatus(action.value) ?? task.status };
    case 'rename':
      return { type: 'update', id: target, title: submittedTitle(action.value) };
    case 'add':
      return { type: 'add', title: submittedTitle(action.value ?? action.task), after: target };
  }
}

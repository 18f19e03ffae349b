import type { ChangeOperationOf } from '../src/core/board/op';
import { PERSON } from '../src/core/board/history/actor';
import { TodoManager } from '../src/core/board/todo-manager';
import { StoreError, type Clock, type Ids, type NoteStore } from '../src/core/ports';
import type { ExpectedTasks } from './expected-tasks';

export const WORK_NOTE = '.opencode/todos/s1/build-tasks.md';

/** An agent and a person make a few edits each on one board; outcomes are recorded in `expected`. */
export async function workOnBoard(
  store: NoteStore,
  clock: Clock,
  ids: Ids,
  expected: ExpectedTasks,
): Promise<void> {
  const manager = new TodoManager({ store, clock, ids });
  const call = async (...operations: unknown[]): Promise<readonly boolean[]> => {
    const answer = await manager.call({ sessionId: 's1', agent: 'build' }, { operations });
    const { results } = answer.result;
    return operations.map((_, at) => results[at]?.success === true);
  };
  const person = async (
    title: string,
    change: Omit<ChangeOperationOf<'update'>, 'type' | 'id'>,
  ): Promise<boolean> => {
    const board = await manager.load(WORK_NOTE).catch(ignoreStoreError);
    const task = board?.tasks.find((one) => one.title === title);
    if (task === undefined) return false;
    const target = { id: task.id, line: task.line, title };
    return (await manager.commit(WORK_NOTE, PERSON, [{ type: 'update', id: target, ...change }]))
      .ok;
  };
  const add = async (...names: string[]): Promise<void> => {
    for (const name of names) expected.add(name, false);
    const done = await call(...names.map((title) => ({ type: 'add', title })));
    names.forEach((name, at) => expected.add(name, done[at] === true));
  };
  await call({ type: 'init', title: 'Faults' });
  await add('One', 'Zwei äöü', 'Three 🆔 of them');
  expected.setStatus('One', 'completed', false);
  expected.setStatus('One', 'completed', await person('One', { status: 'completed' }));
  await add('Four');
  expected.rename('Four', 'Fourth', false);
  expected.rename('Four', 'Fourth', await person('Four', { title: 'Fourth' }));
  expected.setStatus('Zwei äöü', 'in_progress', false);
  const [started] = await call({ type: 'update', id: 'Zwei äöü', status: 'in_progress' });
  expected.setStatus('Zwei äöü', 'in_progress', started === true);
  await add('Five');
}

/** Treats a refused read as an injected fault; rethrows anything else as a bug. */
function ignoreStoreError(error: unknown): undefined {
  if (!(error instanceof StoreError)) throw error;
}

import { describe, expect, test } from 'vitest';
import { Faults } from '../../workbench/demo/faults';
import { PersonQueue } from '../../workbench/demo/person-queue';
import type { PersonAction } from '../../workbench/demo/script';
import type { ActionResult, Stage } from '../../workbench/demo/stage';

/** A stage that knows the existing tasks and records what was done. */
class Board implements Stage {
  readonly done: string[] = [];
  readonly tasks = new Set<string>();

  act(_session: string, { do: verb, task }: PersonAction): Promise<ActionResult> {
    if (!this.tasks.has(task)) return Promise.resolve({ kind: 'not_yet' });
    this.done.push(`${verb} ${task}`);
    if (task === 'locked') return Promise.resolve({ kind: 'failed', message: 'it is locked' });
    return Promise.resolve({ kind: 'done' });
  }
  startSession(): Promise<string> {
    return Promise.resolve('s');
  }
  prompt(): Promise<void> {
    return Promise.resolve();
  }
  answer(): Promise<void> {
    return Promise.resolve();
  }
}

const tick = (after: number, task: string): PersonAction => ({ after, do: 'tick', task });

function start(actions: readonly PersonAction[]) {
  const board = new Board();
  const faults = new Faults();
  return { board, faults, queue: new PersonQueue(board, 's', actions, faults, 'Prompt 1') };
}

describe('the person of a script', () => {
  test('[DEMO14] acts once so many answers are carried out, in order', async () => {
    const { board, faults, queue } = start([tick(2, 'b'), tick(0, 'a'), tick(2, 'c')]);
    for (const task of ['a', 'b', 'c']) board.tasks.add(task);
    await queue.performDue(0);
    expect(board.done).toEqual(['tick a']);
    await queue.performDue(1);
    expect(board.done).toEqual(['tick a']);
    await queue.performDue(2);
    await queue.finish();
    expect(board.done).toEqual(['tick a', 'tick b', 'tick c']);
    expect(faults.all).toEqual([]);
  });

  test('[DEMO15] waits for a task that is not there yet', async () => {
    const { board, faults, queue } = start([tick(0, 'late')]);
    await queue.performDue(0);
    board.tasks.add('late');
    await queue.performDue(1);
    expect(board.done).toEqual(['tick late']);
    await queue.finish();
    expect(faults.all).toEqual([]);
  });

  test('[DEMO15] what is left is done when the turn is over', async () => {
    const { board, faults, queue } = start([tick(7, 'a')]);
    board.tasks.add('a');
    await queue.performDue(1);
    await queue.finish();
    expect(board.done).toEqual(['tick a']);
    expect(faults.all).toEqual([]);
  });

  test('[DEMO15] a task that never comes, and a change that is refused, are faults', async () => {
    const { board, faults, queue } = start([tick(0, 'never'), tick(0, 'locked')]);
    board.tasks.add('locked');
    await queue.performDue(0);
    await queue.finish();
    expect(faults.all).toEqual([
      'Prompt 1: the person could not tick "locked": it is locked',
      'Prompt 1: the person could not tick "never": no task has that title.',
    ]);
  });
});

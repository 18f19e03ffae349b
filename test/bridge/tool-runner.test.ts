import { expect, test } from 'vitest';
import type { TasksAnswer, TodoManager } from '../../src/core/board/todo-manager';
import {
  ToolRunner,
  type ToolCallContext,
  type ToolRunnerParts,
} from '../../src/bridge/tool-runner';

interface Scene {
  readonly runner: ToolRunner;
  /** arguments of the calls that were carried out, in order */
  readonly ran: unknown[];
}

/** A runner without clients, whose boards only note down what they are asked. */
function scene(): Scene {
  const ran: unknown[] = [];
  const boards: Pick<TodoManager, 'call'> = {
    call: (_, args) => {
      ran.push(args);
      return Promise.resolve({
        ok: true,
        title: 'Task List: t',
        output: String(args),
        metadata: {},
      } as unknown as TasksAnswer);
    },
  };
  const runner = new ToolRunner({
    book: { get: () => Promise.resolve({ title: 't' }) },
    clients: { runner: () => undefined },
    calls: {},
    todos: { settled: () => Promise.resolve() },
    boards: () => Promise.resolve(boards),
  } as unknown as ToolRunnerParts);
  return { runner, ran };
}

function context(
  sessionID: string,
  ask: () => Promise<void>,
  abort = new AbortController(),
): ToolCallContext {
  return { sessionID, messageID: 'm', agent: 'build', abort: abort.signal, ask };
}

test('[BRIDGE44] a call waits for those before it, however long one of them is asked about', async () => {
  const { runner, ran } = scene();
  let allow = (): void => undefined;
  const asked = new Promise<void>((resolve) => (allow = resolve));
  const first = runner.run(
    'tasks',
    'first',
    context('a', () => asked),
  );
  const second = runner.run(
    'tasks',
    'second',
    context('a', () => Promise.resolve()),
  );
  await runner.run(
    'tasks',
    'elsewhere',
    context('b', () => Promise.resolve()),
  );
  expect(ran).toEqual(['elsewhere']);
  allow();
  await Promise.all([first, second]);
  expect(ran).toEqual(['elsewhere', 'first', 'second']);
});

test('[BRIDGE44] a refused call does not stop the next; an interrupted one is not run', async () => {
  const { runner, ran } = scene();
  const abort = new AbortController();
  const refused = runner.run(
    'tasks',
    'refused',
    context('a', () => Promise.reject(new Error('denied'))),
  );
  const interrupted = runner.run(
    'tasks',
    'late',
    context('a', () => Promise.resolve(), abort),
  );
  const next = runner.run(
    'tasks',
    'next',
    context('a', () => Promise.resolve()),
  );
  abort.abort();
  await expect(refused).rejects.toThrow('denied');
  await expect(interrupted).rejects.toThrow('Nothing was done: the turn was interrupted.');
  await expect(next).resolves.toMatchObject({ output: 'next' });
  expect(ran).toEqual(['next']);
});

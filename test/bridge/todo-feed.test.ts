import { expect, test } from 'vitest';
import { TodoFeed, type TodoFeedServices } from '../../src/bridge/opencode/todo-feed';
import { readEvent } from '../../src/bridge/opencode/opencode-event';
import type { TodoManager } from '../../src/core/board/todo-manager';
import { ManagerFixture } from '../board/manager-fixture';

type Mirror = TodoManager['mirrorTodos'];

interface Scene {
  readonly feed: TodoFeed;
  readonly notes: string[];
  /** `agent: contents` of each mirrored list */
  readonly lists: string[];
}

/** A feed over boards in memory. */
function scene(mirror?: Mirror, isLeft = false): Scene {
  const notes: string[] = [];
  const lists: string[] = [];
  const { manager } = new ManagerFixture();
  const feed = new TodoFeed({
    ignoresTodowrite: isLeft,
    sessions: { get: () => Promise.reject(new Error('unknown')) },
    log: {
      note: (message: string, why: object) => notes.push(`${message} ${JSON.stringify(why)}`),
    },
    boards: {
      manager: () =>
        Promise.resolve({
          mirrorTodos: (caller, todos) => {
            lists.push(`${caller.agent}: ${todos.map(({ content }) => content).join()}`);
            return (mirror ?? manager.mirrorTodos.bind(manager))(caller, todos);
          },
        }),
    } satisfies TodoFeedServices['boards'],
  } as unknown as TodoFeedServices);
  return { feed, notes, lists };
}

function hear(feed: TodoFeed, type: string, properties: object): void {
  const event = readEvent({ type, properties: { sessionID: 'ses_1', ...properties } });
  if (event === undefined) throw new Error('no event');
  feed.handleEvent(event);
}

function list(feed: TodoFeed, ...contents: string[]): void {
  hear(feed, 'todo.updated', {
    todos: contents.map((content) => ({ content, status: 'pending', priority: 'low' })),
  });
}

function prompt(feed: TodoFeed, role: string, agent: string): void {
  hear(feed, 'message.updated', { info: { id: 'm', role, agent, time: { created: 1 } } });
}

test('[BRIDGE60] a list goes to the agent of the newest prompt, else to build', async () => {
  const { feed, lists } = scene();
  list(feed, 'A');
  await feed.settled('ses_1');
  prompt(feed, 'user', 'plan');
  prompt(feed, 'assistant', 'general');
  list(feed, 'B');
  await feed.allSettled();
  expect(lists).toEqual(['build: A', 'plan: B']);
});

test('[BRIDGE61] of lists that come while one is written only the newest is', async () => {
  const { feed, lists } = scene();
  for (const content of ['A', 'B', 'C', 'D']) list(feed, content);
  await feed.allSettled();
  expect(lists).toEqual(['build: D']);
});

test('[BRIDGE61] a list that cannot be written is noted, and the next one is', async () => {
  let calls = 0;
  const { feed, lists, notes } = scene(() => {
    calls += 1;
    if (calls === 1) return Promise.reject(new Error('disk full'));
    if (calls === 2)
      return Promise.resolve({ ok: false, code: 'broken_note', message: 'Repair it.' });
    return Promise.resolve({ ok: true, mirrored: true, left: ['Line 9 stays.'] });
  });
  for (const content of ['A', 'B', 'C']) {
    list(feed, content);
    await feed.settled('ses_1');
  }
  expect(lists).toHaveLength(3);
  expect(notes).toEqual([
    expect.stringContaining('disk full'),
    expect.stringContaining('Repair it.'),
    expect.stringContaining('Line 9 stays.'),
  ]);
});

test('[BRIDGE62] lists that are to be left are not mirrored', async () => {
  const { feed, lists } = scene(undefined, true);
  list(feed, 'One');
  await feed.allSettled();
  expect(lists).toEqual([]);
  const { feed: other, lists: mirrored } = scene();
  list(other, 'One');
  await other.allSettled();
  expect(mirrored).toEqual(['build: One']);
});

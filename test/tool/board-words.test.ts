import { expect, test } from 'vitest';
import { TodoManager } from '../../src/core/board/todo-manager';
import type { AuditEntry } from '../../src/core/permission/audit/audit-entry';
import { tasksTool } from '../../src/core/tool/tasks-tool';
import { clock, seededIds } from '../board/manager-fixture';
import { MemoryStore } from '../store/memory-store';
import { boardHost } from './board-host';

/** Audit titles of calls on one board, made in order. */
async function titles(calls: readonly (readonly object[])[]): Promise<(string | undefined)[]> {
  const entries: AuditEntry[] = [];
  const boards = new TodoManager({ store: new MemoryStore(), clock, ids: seededIds() });
  const host = boardHost(new Map([['tasks', tasksTool(boards)]]), {
    audit: {
      append: (entry) => {
        entries.push(entry);
        return Promise.resolve();
      },
    },
  });
  for (const [at, operations] of calls.entries()) {
    const answer = await host.run({
      ...{ callId: `c${at}`, sessionId: 's1', agent: 'build', tool: 'tasks' },
      args: { operations },
    });
    expect(answer).not.toHaveProperty('did');
  }
  return entries.flatMap((entry) => (entry.kind === 'outcome' ? [entry.title] : []));
}

test('[AUD61] the outcome of a call on a board says what became of which task', async () => {
  const add = ['One', 'Two', 'Three', 'Four'].map((title) => ({ type: 'add', title }));
  expect(
    await titles([
      [{ type: 'init', title: 'Plan' }, ...add],
      [
        { type: 'complete', id: '1' },
        { type: 'claim', id: '2' },
      ],
      [{ type: 'update', id: '2', status: 'pending' }],
      [{ type: 'update', id: '2', status: 'failed', reason: 'No network' }],
      [{ type: 'update', id: '3', title: 'Third' }],
      [
        { type: 'depend', id: '4', dependsOn: ['3'] },
        { type: 'move', id: '4', phase: 'Later' },
      ],
      [{ type: 'remove', id: '4' }],
      [{ type: 'undo' }],
      [{ type: 'archive', id: '1' }],
      [{ type: 'list' }, { type: 'get', id: '2' }],
      [{ type: 'complete', id: '99' }],
    ]),
  ).toEqual([
    'Board made, #1 added, #2 added, #3 added, #4 added',
    '#1 done, #2 started',
    '#2 reopened',
    '#2 failed',
    '#3 title changed',
    '#4 waits for #3, #4 moved',
    '#4 removed',
    'Last call taken back',
    '1 archived',
    'Board read',
    '1 refused',
  ]);
});

test('[AUD61] of many tasks the first are named', async () => {
  const add = Array.from({ length: 9 }, (_, at) => ({ type: 'add', title: `Task ${at}` }));
  expect(await titles([[...add, { type: 'complete', id: '99' }]])).toEqual([
    '#1 added, #2 added, #3 added, #4 added, #5 added, 4 more, 1 refused',
  ]);
});

test('[AUD62] a call of which a part was refused says how much was done, and why the rest was not', async () => {
  const entries: AuditEntry[] = [];
  const boards = new TodoManager({ store: new MemoryStore(), clock, ids: seededIds() });
  const host = boardHost(new Map([['tasks', tasksTool(boards)]]), {
    audit: { append: (entry) => Promise.resolve(void entries.push(entry)) },
  });
  const call = { callId: 'c', sessionId: 's1', agent: 'build', tool: 'tasks' };
  const add = { type: 'add', title: 'One' };
  const wrong = { type: 'complete', id: '99' };
  const half = await host.run({ ...call, args: { operations: [add, wrong] } });
  expect(half).toMatchObject({
    ok: true,
    metadata: {
      refusals: { done: 1, refused: 1, reason: expect.stringMatching(/^complete: .*99/) as string },
    },
  });
  const none = await host.run({ ...call, callId: 'd', args: { operations: [wrong] } });
  expect(none).toMatchObject({ ok: true, metadata: { refusals: { done: 0, refused: 1 } } });
  const whole = await host.run({ ...call, callId: 'e', args: { operations: [add] } });
  expect(whole).not.toHaveProperty('metadata.refusals');
  const ends = entries.filter(({ kind }) => kind === 'outcome');
  expect(ends).toMatchObject([
    {
      result: 'done',
      refusals: { done: 1, refused: 1 },
      message: expect.stringContaining('99') as string,
    },
    {
      result: 'failed',
      refusals: { done: 0, refused: 1 },
      message: expect.stringContaining('99') as string,
    },
    { result: 'done' },
  ]);
  expect(ends[2]).toMatchObject({ refusals: undefined });
});

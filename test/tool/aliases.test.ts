import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { ALIASES, boardTools } from '../../src/core/tool/alias/aliases';
import { boardHost } from './board-host';
import type { ToolOutcome } from '../../src/core/tool/tool';
import { ManagerFixture } from '../board/manager-fixture';

function scene() {
  const { manager, store } = new ManagerFixture();
  const host = boardHost(boardTools(manager));
  const run = (tool: string, args: unknown, agent = 'build'): Promise<ToolOutcome> =>
    host.run({ tool, args, sessionId: 'ses_1', agent, sessionTitle: 'S' });
  const json = async (tool: string, args: unknown): Promise<unknown> => {
    const outcome = await run(tool, args);
    if (!outcome.ok) throw new Error(outcome.error.message);
    return JSON.parse(outcome.output) as unknown;
  };
  return { run, json, store };
}

const outputOf = (outcome: ToolOutcome): string => (outcome.ok ? outcome.output : '');
const errorOf = (outcome: ToolOutcome): string => (outcome.ok ? '' : outcome.error.message);

describe('the seven tools before tasks', () => {
  test('[ALIAS1] each answers what tasks answers, with the warning behind a blank line', async () => {
    const [old, now] = [scene(), scene()];
    for (const [tool, args, operation] of [
      ['tasks_init', { title: 'P', agent: null }, { type: 'init', title: 'P' }],
      ['tasks_add', { title: 'A' }, { type: 'add', title: 'A' }],
      ['tasks_add', { title: 'B', parent: '1' }, { type: 'add', title: 'B', parent: '1' }],
      [
        'tasks_update',
        { id: '2', status: 'in_progress' },
        { type: 'update', id: 2, status: 'in_progress' },
      ],
      ['tasks_complete', { id: '2' }, { type: 'complete', id: 2 }],
      ['tasks_complete', { id: '9' }, { type: 'complete', id: 9 }],
      ['tasks_remove', { id: '2' }, { type: 'remove', id: 2 }],
      ['tasks_list', {}, { type: 'list' }],
      ['tasks_status', {}, { type: 'list' }],
    ] as const) {
      const answer = outputOf(await old.run(tool, args));
      const same = outputOf(await now.run('tasks', { operations: [operation] }));
      const [text, warning, ...more] = answer.split('\n\n⚠️ ');
      expect([tool, text, more]).toEqual([tool, same, []]);
      expect(warning).toBe(
        '**DEPRECATED**: This tool will be removed in v4.0.0. Please use the unified `tasks` tool instead. See migration guide: docs/migration.md',
      );
    }
  });

  test('[ALIAS1] what they are given can not make them another operation', async () => {
    const { run } = scene();
    await run('tasks_add', { title: 'A' });
    expect(outputOf(await run('tasks_list', { type: 'remove', id: 1 }))).toContain('#1 A');
  });
});

describe('the four tools task_…', () => {
  test('[ALIAS2] a chain of three: each waits for the one before, completing frees the next only', async () => {
    const { run, json } = scene();
    expect(outputOf(await run('task_list', {}))).toBe('No tasks.');
    const first = await run('task_create', { subject: 'Setup project', description: 'npm init' });
    expect(outputOf(first)).toBe(
      JSON.stringify(
        {
          ...{ id: 1, subject: 'Setup project', description: 'npm init', status: 'pending' },
          ...{ blockedBy: [], blocks: [], owner: '' },
        },
        null,
        2,
      ),
    );
    await run('task_create', { subject: 'Write code' });
    await run('task_create', { subject: 'Write tests', description: null });
    await run('task_update', { task_id: 2, add_blocked_by: [1] });
    expect(await json('task_update', { task_id: 2, add_blocks: [3] })).toMatchObject({
      id: 2,
      blockedBy: [1],
      blocks: [3],
    });
    expect(await json('task_get', { task_id: 1 })).toMatchObject({
      blocks: [2],
      description: 'npm init',
    });
    await run('task_update', { task_id: 1, status: 'in_progress', owner: 'alice' });
    await run('task_update', { task_id: 1, status: 'completed' });
    expect(await json('task_list', {})).toMatchObject([
      { marker: '[x]', id: 1, status: 'completed', owner: 'alice' },
      { marker: '[ ]', id: 2, blockedBy: [] },
      { marker: '[ ]', id: 3, blockedBy: [2] },
    ]);
  });

  test('[ALIAS3] an edge that is added twice is one edge; both sides show it', async () => {
    const { run, json } = scene();
    await run('task_create', { subject: 'A' });
    await run('task_create', { subject: 'B' });
    await run('task_update', { task_id: 1, add_blocks: [2, 2] });
    await run('task_update', { task_id: 2, add_blocked_by: [1] });
    expect(await json('task_get', { task_id: 1 })).toMatchObject({ blocks: [2], blockedBy: [] });
    expect(await json('task_get', { task_id: 2 })).toMatchObject({ blocks: [], blockedBy: [1] });
  });

  test('[ALIAS4] an unknown task is not found; an edge without its other task changes nothing', async () => {
    const { run, json } = scene();
    await run('task_create', { subject: 'A' });
    expect(errorOf(await run('task_get', { task_id: 9 }))).toBe('Task 9 not found');
    expect(errorOf(await run('task_update', { task_id: 9, status: 'completed' }))).toBe(
      'Task 9 not found',
    );
    const edge = await run('task_update', { task_id: 1, status: 'in_progress', add_blocks: [7] });
    expect(errorOf(edge)).toMatch(
      /^Task 7 not found: an edge needs both its tasks, so nothing was changed/,
    );
    expect(errorOf(await run('task_update', { task_id: 1, add_blocked_by: [8] }))).toContain(
      'Task 8 not found',
    );
    expect(errorOf(await run('task_update', { task_id: 1, status: 'flying' }))).toBe(
      'Invalid status: flying',
    );
    expect(await json('task_get', { task_id: 1 })).toMatchObject({ status: 'pending', blocks: [] });
  });

  test('[ALIAS4] a circle and a missing argument are refused with the reason', async () => {
    const { run } = scene();
    await run('task_create', { subject: 'A' });
    await run('task_create', { subject: 'B' });
    await run('task_update', { task_id: 2, add_blocked_by: [1] });
    expect(errorOf(await run('task_update', { task_id: 1, add_blocked_by: [2] }))).toContain('#1');
    expect(errorOf(await run('task_create', {}))).toContain('subject: ');
    expect(errorOf(await run('task_create', { subject: '' }))).not.toBe('');
  });

  test('[ALIAS3] deleted removes a task', async () => {
    const { run, json } = scene();
    await run('task_create', { subject: 'A' });
    await run('task_create', { subject: 'B' });
    expect(await json('task_update', { task_id: 1, status: 'deleted' })).toEqual({
      id: 1,
      status: 'deleted',
    });
    expect(await json('task_list', {})).toMatchObject([{ id: 2 }]);
  });
});

test('[ALIAS5] there are eleven, none is called task, and what each takes is a JSON schema', () => {
  expect(ALIASES.map(({ name }) => name).sort()).toEqual([
    ...['task_create', 'task_get', 'task_list', 'task_update'],
    ...[
      'tasks_add',
      'tasks_complete',
      'tasks_init',
      'tasks_list',
      'tasks_remove',
      'tasks_status',
      'tasks_update',
    ],
  ]);
  for (const { input } of ALIASES)
    expect(z.toJSONSchema(input(), { io: 'input' })).toMatchObject({ type: 'object' });
});

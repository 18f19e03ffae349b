import { describe, expect, test } from 'vitest';
import { ASK_FOR_ALL, DEFAULT_PERMISSIONS } from '../../src/core/permission/permissions';
import { readSharedSettings, SHARED_SETTINGS_PATH } from '../../src/core/shared-settings';
import { MemoryStore } from '../store/memory-store';

const DEFAULTS = {
  root: '.opencode/todos',
  defaultSession: 'isolate',
  nameByTitle: false,
  aliases: false,
  subagents: false,
  modelSubagents: true,
  todowrite: 'mirror',
  noteTools: true,
  permissions: DEFAULT_PERMISSIONS,
  askMinutes: 10,
  auditMonths: 12,
  runs: { approve: true, turns: 40, tokens: 600_000, minutes: 120, attempts: 3, parallel: 1 },
  runPrompts: 'headings',
  runNotes: true,
};

function read(text: string | undefined, config?: string): Promise<unknown> {
  const store = new MemoryStore();
  if (text !== undefined) store.put(SHARED_SETTINGS_PATH, text);
  return readSharedSettings(store, config);
}

describe('the shared settings', () => {
  test('[SET1] a missing file, or a missing setting, means the defaults', async () => {
    expect(await read(undefined)).toEqual(DEFAULTS);
    expect(await read('{}')).toEqual(DEFAULTS);
    expect(await read('\uFEFF{"root": "Plans/AI/", "other": 1}')).toEqual({
      ...DEFAULTS,
      root: 'Plans/AI',
    });
    expect(await read('{"defaultSession": "refuse"}')).toEqual({
      ...DEFAULTS,
      defaultSession: 'refuse',
    });
    expect(await read('{"subagents": true, "todowrite": "replace"}')).toEqual({
      ...DEFAULTS,
      subagents: true,
      todowrite: 'replace',
    });
    expect(await read('{"noteTools": false, "askMinutes": 0, "auditMonths": 3}')).toEqual({
      ...DEFAULTS,
      noteTools: false,
      askMinutes: 0,
      auditMonths: 3,
    });
    expect(await read('{"runs": {"approve": false, "parallel": 2}}')).toEqual({
      ...DEFAULTS,
      runs: { ...DEFAULTS.runs, approve: false, parallel: 2 },
    });
    expect(await read('{"runPrompts": "plain"}')).toEqual({ ...DEFAULTS, runPrompts: 'plain' });
    expect(await read('{"permissions": {"preset": {"kind": "read-only"}}}')).toEqual({
      ...DEFAULTS,
      permissions: { preset: { kind: 'read-only' }, scopes: [], rules: [] },
    });
  });

  test.each([
    ...['{', '[]', '7', '{"root": 7}', '{"defaultSession": "maybe"}', '{"aliases": 1}'],
    ...['{"subagents": "yes"}', '{"todowrite": "never"}', '{"askMinutes": -1}'],
    '{"runPrompts": "short"}',
    ...['{"runs": {"turns": 0}}', '{"runs": {"parallel": 17}}', '{"runs": 3}'],
  ])('[SET2] %s is not followed, the problem named, and all is asked', async (text) => {
    expect(await read(text)).toEqual({
      ...DEFAULTS,
      permissions: ASK_FOR_ALL,
      problem: expect.stringContaining('.opencode/agent-task-boards.json') as string,
    });
  });

  test.each(['{"rules": [{"permission": "write"}]}', '{"preset": "open"}', 'null', '[]'])(
    '[SET2] permissions %s are followed in no part; the other settings hold',
    async (permissions) => {
      expect(await read(`{"askMinutes": 3, "permissions": ${permissions}}`)).toEqual({
        ...DEFAULTS,
        askMinutes: 3,
        permissions: ASK_FOR_ALL,
        problem: expect.stringContaining('so you are asked about everything') as string,
      });
    },
  );

  test.each([
    '/etc',
    '../out',
    'a/../../b',
    'C:/x',
    'a\\b',
    '',
    '.git/x',
    '.GIT',
    '.obsidian/todos',
    'a/.hidden/b',
    '.opencode',
    '.opencode/run',
    '.opencode/plugin/x',
    '.opencode/agent-task-boards/seen',
    'Config',
    'config/boards',
  ])('[SET3] boards never live in %j; the other settings hold', async (root) => {
    expect(await read(JSON.stringify({ root, defaultSession: 'refuse' }), 'config')).toEqual({
      ...DEFAULTS,
      defaultSession: 'refuse',
      problem: expect.stringContaining('"root" is not used.') as string,
    });
  });

  test.each(['Tasks', '.opencode/boards', 'a/b c/ü', 'configuration'])(
    '[SET3] they may live in %j',
    async (root) => {
      expect(await read(JSON.stringify({ root }), 'config')).toEqual({ ...DEFAULTS, root });
    },
  );
});

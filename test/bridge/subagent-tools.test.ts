import { expect, test } from 'vitest';
import type { OpencodeConfig, ToolSettings } from '../../src/bridge/opencode/permission-defaults';
import { SubagentTools } from '../../src/bridge/opencode/subagent-tools';
import { describeTool } from '../../src/bridge/opencode/tool-definitions';

const SETTINGS: ToolSettings = {
  ...{ subagents: false, todowrite: 'mirror', aliases: ['task_list'], notes: true },
  deniedTools: () => [],
};

/** The tools of a prompt to an agent: in a terminal session, for a subagent, for a board. */
async function shown(
  agent: string,
  settings: Partial<ToolSettings> = {},
  config: OpencodeConfig = {},
): Promise<readonly unknown[]> {
  const known = {
    own: { title: '', parentId: undefined, agent: undefined },
    child: { title: '', parentId: 'own', agent: undefined },
    step: { title: '', parentId: 'own', agent, board: { session: 'own', agent: 'build' } },
  };
  const sessions = { get: (id: string) => Promise.resolve(known[id as keyof typeof known]) };
  const tools = new SubagentTools(sessions, { ...SETTINGS, ...settings });
  tools.readConfig(config);
  const prompts = Object.keys(known).map(async (id) => {
    const message = { agent, tools: { bash: false } };
    await tools.handlePrompt(id, { message });
    return message.tools;
  });
  return Promise.all(prompts);
}

const ALL = { bash: false };
const NONE = { bash: false, tasks: false, task_list: false };

test('[BRIDGE30] an agent of any mode is not shown the task tools in a subagent’s session, unless a rule names them', async () => {
  const ruled = { mine: { permission: { tasks: 'ask' } } };
  expect(await shown('mine')).toEqual([ALL, NONE, ALL]);
  expect(await shown('mine', {}, { agent: ruled })).toEqual([ALL, ALL, ALL]);
  expect(await shown('other', {}, { agent: ruled })).toEqual([ALL, NONE, ALL]);
  expect(await shown('other', {}, { permission: { tasks: 'allow' } })).toEqual([ALL, ALL, ALL]);
});

test('[BRIDGE32] the setting shows them to all', async () => {
  expect(await shown('mine', { subagents: true })).toEqual([ALL, ALL, ALL]);
});

test('[BRIDGE63] task says what delegated work has to do with the board, tasks that it stands in for todowrite', () => {
  const words = (tool: string, settings: Partial<ToolSettings> = {}): string => {
    const output = { description: 'Own words.' };
    describeTool(tool, output, { ...SETTINGS, ...settings });
    return output.description;
  };
  expect(words('task')).toBe(
    'Own words.\n\nWork that you delegate and that stands on your task board (tool `tasks`): set its task in progress before, and complete it from the result; the subagent can neither see nor change the board.',
  );
  expect(words('task', { subagents: true })).toContain('the subagent keeps a board of its own.');
  expect(words('tasks')).toBe('Own words.');
  expect(words('tasks', { todowrite: 'replace' })).toBe(
    'Own words.\nIt stands in for `todowrite`, which is not there.',
  );
  expect(words('bash', { todowrite: 'replace' })).toBe('Own words.');
});

import { describe, expect, test } from 'vitest';
import { readPermissions } from '../../src/core/permission/permissions';
import { defaultSettings } from '../../src/core/shared-settings';
import { deniedTools } from '../../src/core/engine/engine-permissions';
import { NOTE_TOOLS } from '../../src/core/tool/note/definitions';
import {
  addPermissionDefaults,
  flattenOpencodeRules,
  matchesWildcard,
  type OpencodeConfig,
  type ToolSettings,
} from '../../src/bridge/opencode/permission-defaults';
import { protectedFiles } from '../../src/bridge/opencode/edit-guard';

const FILES = ['v/.opencode/plugin/*', 'v/.opencode/todos/*'];
const ASKS = { 'v/.opencode/plugin/*': 'ask', 'v/.opencode/todos/*': 'ask' };

const TOOLS: ToolSettings = {
  ...{ subagents: false, todowrite: 'mirror', aliases: [], notes: true },
  deniedTools: () => [],
};

function withDefaults(config: OpencodeConfig, tools: Partial<ToolSettings> = {}): OpencodeConfig {
  addPermissionDefaults(config, { protectedFiles: FILES, tools: { ...TOOLS, ...tools } });
  return config;
}

/** The config without `tasks_ask`, `notes_ask` and agents that have nothing else. */
function after(config: OpencodeConfig, tools: Partial<ToolSettings> = {}): OpencodeConfig {
  const agents = Object.entries(withDefaults(config, tools).agent ?? {}).flatMap(
    ([name, agent]) => {
      if (typeof agent?.permission !== 'object') return [[name, agent] as const];
      const { tasks_ask: _, notes_ask: __, ...permission } = agent.permission;
      return Object.keys(permission).length === 0
        ? []
        : [[name, { ...agent, permission }] as const];
    },
  );
  return { ...config, agent: Object.fromEntries(agents) };
}

describe('our defaults in the configuration of OpenCode', () => {
  test('[BRIDGE30] subagents are denied tasks, the others not', () => {
    const { agent } = after({
      agent: { helper: { mode: 'subagent' }, writer: { mode: 'primary' }, both: { mode: 'all' } },
    });
    const denied = Object.entries(agent ?? {}).filter(
      ([, { permission } = {}]) => typeof permission === 'object' && permission.tasks === 'deny',
    );
    expect(denied.map(([name]) => name).sort()).toEqual(['explore', 'general', 'helper']);
  });

  test('[BRIDGE30] a rule of the user that names tasks stands', () => {
    const global = after({ permission: { tasks: 'allow' } });
    expect(global.agent?.general?.permission).not.toHaveProperty('tasks');
    const own = after({ agent: { helper: { mode: 'subagent', permission: { tasks: 'ask' } } } });
    expect(own.agent?.helper?.permission).toHaveProperty('tasks', 'ask');
    expect(own.agent?.general?.permission).toHaveProperty('tasks', 'deny');
  });

  test('[BRIDGE30] what else the user says of an agent stays', () => {
    const { agent } = after({
      agent: {
        general: { permission: { bash: 'deny' } },
        gone: { disable: true, mode: 'subagent' },
      },
    });
    expect(agent?.general?.permission).toEqual({ bash: 'deny', tasks: 'deny', 'edit*': ASKS });
    expect(agent?.gone).toEqual({ disable: true, mode: 'subagent' });
  });

  test('[BRIDGE30] what stands in for tasks goes with it, by whomever it is denied', () => {
    const aliases = ['task_create', 'tasks_list'];
    const denied = { tasks: 'deny', task_create: 'deny', tasks_list: 'deny' };
    expect(after({}, { aliases }).agent?.explore?.permission).toEqual(denied);
    expect(after({}, { aliases }).agent?.build?.permission).not.toHaveProperty('task_create');
    const own = after({ agent: { build: { permission: { 'task*': 'deny' } } } }, { aliases });
    expect(own.agent?.build?.permission).toMatchObject({ tasks_list: 'deny' });
    const allowed = { explore: { permission: { tasks: 'allow' } } };
    const explore = after({ agent: allowed }, { aliases }).agent?.explore;
    expect(explore?.permission).toEqual({ tasks: 'allow' });
  });

  test('[BRIDGE32] the setting lets all subagents work with tasks; who is denied them by the user stays so', () => {
    const config = { agent: { explore: { permission: { tasks: 'deny' } } } };
    const { agent } = after(config, { subagents: true });
    expect(agent?.general?.permission).not.toHaveProperty('tasks');
    expect(agent?.explore?.permission).toEqual({ tasks: 'deny' });
  });

  test('[BRIDGE62] replaced, todowrite is denied to all that have tasks, unless the user names it', () => {
    const mine = { permission: { todowrite: 'allow' } };
    const config = { agent: { mine, off: { permission: { tasks: 'deny' } } } };
    const { agent } = after(config, { todowrite: 'replace' });
    expect(agent?.build?.permission).toHaveProperty('todowrite', 'deny');
    expect(agent?.plan?.permission).toEqual({ todowrite: 'deny' });
    expect(agent?.mine?.permission).toHaveProperty('todowrite', 'allow');
    expect(agent?.off?.permission).not.toHaveProperty('todowrite');
    expect(agent?.explore?.permission).toEqual({ tasks: 'deny' });
    expect(agent?.title).toBeUndefined();
    expect(after({}, { todowrite: 'leave' }).agent?.plan).toBeUndefined();
  });

  test('[BRIDGE31] an edit of a protected file asks, for agents that could edit it unasked', () => {
    const { agent } = after({ agent: { writer: {} } });
    expect(agent?.build?.permission).toEqual({ 'edit*': ASKS });
    expect(agent?.writer?.permission).toEqual({ 'edit*': ASKS });
    expect(agent?.plan).toBeUndefined();
    expect(agent?.title).toBeUndefined();
    expect(agent?.explore?.permission).toEqual({ tasks: 'deny' });
  });

  test('[BRIDGE31] what is denied or asked already stays so', () => {
    for (const action of ['deny', 'ask']) {
      expect(after({ permission: { edit: action } }).agent?.build).toBeUndefined();
      expect(after({ permission: action }).agent?.build).toBeUndefined();
      const own = after({ agent: { build: { permission: { edit: { '*': action } } } } });
      expect(own.agent?.build?.permission).toEqual({ edit: { '*': action } });
    }
  });

  test('[BRIDGE31] a deny of one of the files stays a deny, a rule for just that pattern stays', () => {
    const denied = after({
      permission: { edit: { '*': 'allow', 'v/.opencode/plugin/*': 'deny' } },
    });
    expect(denied.agent?.build?.permission).toEqual({ 'edit*': { 'v/.opencode/todos/*': 'ask' } });
    const allowed = after({ permission: { edit: { 'v/.opencode/plugin/*': 'allow' } } });
    expect(allowed.agent?.build?.permission).toEqual({ 'edit*': { 'v/.opencode/todos/*': 'ask' } });
  });

  test('[BRIDGE31] plan may edit nothing, and is asked only where the user lets it edit', () => {
    expect(after({ permission: { edit: 'allow' } }).agent?.plan?.permission).toEqual({
      'edit*': ASKS,
    });
  });

  test('[BRIDGE31] files are named as OpenCode names them: from the worktree, or from the root of the disk', () => {
    expect(protectedFiles('/home/me/vault', '/', '.opencode/todos')).toEqual([
      'home/me/vault/.opencode/agent-task-boards*',
      'home/me/vault/.opencode/plugin/*',
      'home/me/vault/.opencode/plugins/*',
      'home/me/vault/.opencode/tool/*',
      'home/me/vault/.opencode/tools/*',
      'home/me/vault/.opencode/agent/*',
      'home/me/vault/.opencode/agents/*',
      'home/me/vault/.opencode/opencode.json*',
      'home/me/vault/opencode.json*',
      'home/me/vault/.opencode/run/*',
      'home/me/vault/.obsidian/*',
      'home/me/vault/.opencode/todos/*',
    ]);
    expect(protectedFiles('/repo/notes', '/repo', 'Plans')).toContain('notes/Plans/*');
  });
});

describe('what our own rules say', () => {
  /** The action that decides about a permission for an agent. */
  function decided(config: OpencodeConfig, agent: string, permission: string): string | undefined {
    const rules = [
      ...flattenOpencodeRules(config.permission),
      ...flattenOpencodeRules(config.agent?.[agent]?.permission),
    ];
    return rules.findLast((rule) => matchesWildcard(permission, rule.permission))?.action;
  }

  test('[BRIDGE33] tasks_ask and notes_ask ask for every agent, whatever rules of the user would match it', () => {
    for (const permission of [
      'allow',
      { '*': 'allow' },
      { 'tasks*': 'allow', 'notes*': 'allow' },
      undefined,
    ]) {
      for (const own of [
        'allow',
        { tasks_ask: 'allow', notes_ask: 'allow', 'tasks_*': 'allow' },
        undefined,
      ]) {
        const given: OpencodeConfig = {
          ...(permission !== undefined && { permission }),
          agent: { mine: own === undefined ? {} : { permission: own } },
        };
        const config = withDefaults(given);
        for (const agent of ['mine', 'build', 'plan', 'general', 'of a later version']) {
          for (const permission of ['tasks_ask', 'notes_ask']) {
            expect([agent, decided(config, agent, permission)]).toEqual([agent, 'ask']);
          }
        }
      }
    }
  });

  test('[BRIDGE33] what else the user says stays, in its order', () => {
    const permission = { '*': 'ask', bash: { '*': 'allow', 'rm *': 'deny' }, edit: 'deny' };
    const config = withDefaults({ permission });
    expect(config.permission).toEqual({ ...permission, tasks_ask: 'ask', notes_ask: 'ask' });
    expect(withDefaults({ permission: 'deny' }).permission).toEqual({
      '*': 'deny',
      tasks_ask: 'ask',
      notes_ask: 'ask',
    });
  });

  test('[BRIDGE34] a tool that the rules keep from an agent altogether is denied to it, also where the user allows it', () => {
    const permissions = readPermissions({
      scopes: [{ agent: 'plan', level: 'read-only' }],
      rules: [
        { permission: 'tasks', action: 'deny', agent: 'mine' },
        { permission: 'read', action: 'deny', agent: 'mine' },
      ],
    });
    if ('ok' in permissions) throw new Error(permissions.message);
    const shut = deniedTools({ ...defaultSettings(), permissions });
    const allowed = { permission: { tasks: 'allow', '*': 'allow' } };
    const config = withDefaults(
      { agent: { mine: allowed } },
      { deniedTools: shut, todowrite: 'replace' },
    );
    const all = ['tasks', ...NOTE_TOOLS.map(({ openCodeName }) => openCodeName)];
    const hidden = (agent: string) =>
      all.filter((tool) => decided(config, agent, tool) === 'deny').sort();
    expect(hidden('plan')).toEqual(['obsidian_create_note', 'obsidian_update_note']);
    expect(hidden('build')).toEqual([]);
    expect(hidden('mine')).toEqual([
      'obsidian_get_note_metadata',
      'obsidian_list_notes',
      'obsidian_read_note',
      'obsidian_search_vault',
      'tasks',
    ]);
    expect(decided(config, 'mine', 'todowrite')).toBe('allow');
    expect(decided(config, 'build', 'todowrite')).toBe('deny');
  });

  test('[BRIDGE31] a key of the user that is like ours stays beside it', () => {
    const own = { 'edit*': { 'x/*': 'deny' } };
    const { agent } = after({ agent: { build: { permission: own } } });
    expect(agent?.build?.permission).toEqual({ ...own, 'edit**': ASKS });
  });
});

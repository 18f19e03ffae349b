/** A folder with a typical OpenCode configuration, and what must come of it. */
export interface Setup {
  readonly name: string;
  /** `opencode.json` of the folder, without the model */
  readonly config: Readonly<Record<string, unknown>>;
  /** other files of the folder */
  readonly files?: Readonly<Record<string, string>>;
  /** agents that the catalog must list */
  readonly agents?: readonly string[];
  readonly models?: readonly string[];
  /** the agent that the session is started with */
  readonly agent?: string;
  /** whether to execute a run there as well */
  readonly run?: true;
}

const OWN = '---\nmode: primary\n---\nYou are short.\n';

export const SETUPS: readonly Setup[] = [
  { name: 'nothing', config: {} },
  { name: 'permission: allow', config: { permission: 'allow' }, run: true },
  { name: 'permission: ask', config: { permission: 'ask' } },
  { name: 'all allowed', config: { permission: { '*': 'allow' } } },
  { name: 'all asked', config: { permission: { '*': 'ask', read: 'allow' } } },
  { name: 'all denied but tasks', config: { permission: { '*': 'deny', tasks: 'allow' } } },
  { name: 'edit allowed', config: { permission: { edit: 'allow' } }, run: true },
  { name: 'edit allowed by pattern', config: { permission: { edit: { '*': 'allow' } } } },
  {
    name: 'permissions by several patterns',
    config: {
      permission: {
        edit: { '*': 'ask', 'notes/*': 'allow', '*.env': 'deny' },
        bash: { '*': 'ask', 'git *': 'allow' },
        external_directory: 'deny',
      },
    },
  },
  { name: 'tools denied', config: { permission: { bash: 'deny', webfetch: 'deny' } } },
  { name: 'tools switched off', config: { tools: { write: false, bash: false } } },
  {
    name: 'a primary agent without a description',
    config: { agent: { own: { mode: 'primary', prompt: 'You are short.' } } },
    ...{ agents: ['own', 'build'], agent: 'own', run: true },
  },
  {
    name: 'a subagent without a description',
    config: { agent: { own: { mode: 'subagent' } } },
    agents: ['own'],
  },
  {
    name: 'an agent for all, with a model',
    config: { agent: { own: { mode: 'all', model: 'scripted/script', temperature: 0.2 } } },
    ...{ agents: ['own'], agent: 'own' },
  },
  { name: 'an agent without a mode', config: { agent: { own: {} } }, agents: ['own'] },
  {
    name: 'an agent with permissions in both forms',
    config: {
      agent: {
        own: { permission: { edit: 'deny', bash: { '*': 'ask' } } },
        other: { permission: 'allow' },
      },
    },
    ...{ agents: ['own', 'other'], agent: 'own' },
  },
  {
    name: 'a hidden agent and a disabled one',
    config: { agent: { own: { hidden: true }, plan: { disable: true } } },
    agents: ['build'],
  },
  {
    name: 'agents in files',
    config: {},
    files: { '.opencode/agent/own.md': OWN, '.opencode/agent/team/other.md': OWN },
    ...{ agents: ['own', 'team/other'], agent: 'team/other' },
  },
  {
    name: 'a provider without models',
    config: { provider: { empty: { npm: '@ai-sdk/openai-compatible', name: 'Empty' } } },
  },
  {
    name: 'models that say nothing of themselves',
    config: {
      provider: {
        bare: {
          npm: '@ai-sdk/openai-compatible',
          options: { baseURL: 'http://127.0.0.1:9/v1' },
          models: { 'org/model:free': {}, half: { limit: { context: 1000, output: 0 } } },
        },
      },
    },
    models: ['bare/org/model:free', 'bare/half'],
  },
  {
    name: 'MCP servers that don’t start',
    config: {
      mcp: {
        nowhere: { type: 'local', command: ['no-such-program-here'] },
        silent: { type: 'remote', url: 'http://127.0.0.1:9/mcp' },
        off: { type: 'local', command: ['true'], enabled: false },
      },
    },
  },
  {
    name: 'instructions, there and not',
    config: { instructions: ['rules.md', 'missing.md', 'docs/*.md'] },
    files: { 'rules.md': 'Be short.', 'AGENTS.md': 'Be kind.' },
  },
  {
    name: 'commands and a default agent',
    config: {
      default_agent: 'plan',
      command: { look: { template: 'Look.' }, two: { template: 'Two', subtask: true } },
    },
    agents: ['plan'],
  },
  { name: 'no model named', config: { model: undefined } },
];

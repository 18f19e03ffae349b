import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { engineContract, type EngineRun } from '../bridge/engine-contract';
import { startModel } from '../bridge/model';
import { agentSession, serveOpencode } from './served-acp';
import type { ServedModel } from './served-model';

/** Prefix under which OpenCode shows the tools of our server. */
const SERVER = 'agent_boards_';

engineContract('opencode acp', {
  // Each start is a process that takes seconds.
  ...{ starts: 3, skipsGrace: true },
  start: async () =>
    asEngine(await serveOpencode(await startModel(), { permission: { bash: 'ask' } })),
  taskTool: `${SERVER}tasks`,
  features: ['keys', 'notes', 'permissions', 'questions', 'thinking'],
  catalog: {
    agents: ['build', 'plan'],
    models: [
      { id: 'scripted/script', name: 'Scripted/Scripted model', provider: 'OpenCode (ACP)' },
    ],
    model: 'scripted/script',
    commands: ['customize-opencode', 'init', 'review'],
  },
  asked: {
    call: bash('echo from-bash'),
    told: { permission: 'bash', patterns: ['echo from-bash'] },
    output: 'from-bash',
  },
  askedForGood: bash('printf for-good'),
  question: (question, options) => {
    const args = { questions: [{ question, header: 'H', options }] };
    return { name: `${SERVER}question`, args };
  },
  noAgent: 'There is no agent “nobody”. There are: build, plan.',
  refusedBy: 'user',
  noModel: 'scripted/none',
});

/** The model uses OpenCode's session ids, the test those of the bridge. */
function asEngine(served: ServedModel): EngineRun {
  const { vault, runFile, model } = served;
  const folder = join(vault, '.opencode/agent-task-boards/acp-sessions/opencode');
  model.nameSessions((id) => {
    const names = existsSync(folder) ? readdirSync(folder) : [];
    const ours = names.flatMap((name) => /^(ses_.*)\.json$/.exec(name)?.[1] ?? []);
    return ours.find((one) => agentSession(vault, one) === id) ?? id;
  });
  const asked: EngineRun['model'] = {
    play: (session, ...answers) => model.play(session, ...answers),
    // OpenCode asks the model for a title after the first prompt.
    get requests() {
      return model.requests.filter(({ system }) => !system.includes('title generator'));
    },
  };
  const restart = async (): Promise<EngineRun> => asEngine(await served.restart());
  return { vault, runFile, model: asked, restart, close: () => served.close() };
}

function bash(command: string) {
  return { name: 'bash', args: { command, description: 'Says so' } };
}

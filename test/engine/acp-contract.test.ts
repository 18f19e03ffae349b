import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { engineContract, type EngineRun } from '../bridge/engine-contract';
import { startModel, type Model, type ModelAnswer } from '../bridge/model';
import { agentSession, serveOpencode } from './served-acp';
import type { ServedModel } from './served-model';

/** As OpenCode shows the tools of our server. */
const SERVER = 'agent-boards_';

engineContract('opencode acp', {
  start: async () =>
    asEngine(await serveOpencode(await startModel(), { permission: { bash: 'ask' } })),
  features: ['keys', 'notes', 'permissions', 'questions', 'thinking'],
  catalog: {
    agents: ['build', 'plan'],
    models: [
      { id: 'scripted/script', name: 'Scripted/Scripted model', provider: 'OpenCode (ACP)' },
    ],
    model: 'scripted/script',
  },
  asked: {
    call: bash('echo from-bash'),
    told: { permission: 'bash', patterns: ['echo from-bash'] },
    output: 'from-bash',
  },
  askedForGood: bash('printf for-good'),
  question: (question, options) => {
    const args = { questions: [{ question, header: 'H', options }] };
    return { name: 'question', args };
  },
  noAgent: 'There is no agent “nobody”. There are: build, plan.',
  refusedBy: 'user',
  noModel: 'scripted/none',
});

/** The model knows OpenCode's sessions, the test those of the bridge. */
function asEngine(served: ServedModel): EngineRun {
  const { vault } = served;
  const plays = new Map<string, readonly ModelAnswer[]>();
  const ownOf = (id: string): string | undefined => {
    const folder = join(vault, '.opencode/agent-task-boards/acp-sessions');
    const names = existsSync(folder) ? readdirSync(folder) : [];
    const ours = names.flatMap((name) => /^(ses_.*)\.json$/.exec(name)?.[1] ?? []);
    return ours.find((one) => agentSession(vault, one) === id);
  };
  const model: Pick<Model, 'play' | 'requests'> = {
    get requests() {
      // OpenCode has a title made of the first prompt.
      const asked = served.model.requests.filter(
        ({ system }) => !system.includes('title generator'),
      );
      return asked.map((one) => ({
        ...one,
        sessionId: ownOf(one.sessionId) ?? one.sessionId,
      }));
    },
    play: (session, ...answers) => void plays.set(session, answers.map(ofServer)),
  };
  served.model.answerUnknown((id) => {
    const own = ownOf(id) ?? '';
    const [next, ...rest] = plays.get(own) ?? [];
    plays.set(own, rest);
    return next;
  });
  return {
    ...{ vault, runFile: served.runFile, model, close: () => served.close() },
    restart: async () => asEngine(await served.restart()),
  };
}

function ofServer(answer: ModelAnswer): ModelAnswer {
  const tools = answer.tools?.map((tool) =>
    /^(tasks|question)$/.test(tool.name) ? { ...tool, name: SERVER + tool.name } : tool,
  );
  return { ...answer, ...(tools && { tools }) };
}

function bash(command: string) {
  return { name: 'bash', args: { command, description: 'Says so' } };
}

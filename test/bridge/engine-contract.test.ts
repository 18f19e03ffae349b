import { engineContract, type EngineRun } from './engine-contract';
import { startRun, type Run } from './opencode-run';

engineContract('OpenCode', {
  start: async () => asEngine(await startRun({ config: { permission: { bash: 'ask' } } })),
  features: ['keys', 'notes', 'permissions', 'questions', 'thinking'],
  catalog: {
    agents: ['build', 'explore', 'general', 'plan'],
    models: [
      {
        id: 'scripted/script',
        name: 'Scripted model',
        provider: 'Scripted',
        context: 1_000_000,
        output: 100_000,
        reasoning: true,
      },
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
  noAgent: 'There is no agent “nobody”. There are: build, explore, general, plan.',
  noModel: 'scripted/none',
});

function asEngine(run: Run): EngineRun {
  const restart = async (): Promise<EngineRun> => {
    await run.opencode.kill();
    return asEngine(await run.again());
  };
  return { ...run, restart };
}

function bash(command: string) {
  return { name: 'bash', args: { command, description: 'Says so' } };
}

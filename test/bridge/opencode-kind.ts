import type { EngineKind } from './engine-contract';

/** OpenCode as a kind of engine, wherever it runs; its configuration asks for `bash`. */
export const OPENCODE_KIND: Omit<EngineKind, 'start'> = {
  features: ['compact', 'keys', 'notes', 'permissions', 'questions', 'thinking'],
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
    commands: ['init', 'review', 'customize-opencode'],
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
};

function bash(command: string) {
  return { name: 'bash', args: { command, description: 'Says so' } };
}

import { expect } from 'vitest';
import { engineContract } from '../bridge/engine-contract';
import { serveModel } from './served-model';

const SKILL = (name: string, words: string): string =>
  `---\nname: ${name}\ndescription: Says ${words}\n---\n${words}\n`;

/** A provider without a name is listed by its host. */
const HOST = expect.stringMatching(/^127\.0\.0\.1:\d+$/) as string;

engineContract('the model engine', {
  skipsGrace: true,
  start: () =>
    serveModel({
      files: {
        'opencode.json': JSON.stringify({ permission: { skill: 'ask' } }),
        '.opencode/skills/shout/SKILL.md': SKILL('shout', 'from-the-skill'),
        '.opencode/skills/whisper/SKILL.md': SKILL('whisper', 'for-good'),
      },
    }),
  features: ['compact', 'keys', 'notes', 'permissions', 'questions', 'thinking'],
  catalog: {
    agents: ['build', 'explore', 'general', 'plan'],
    models: [{ id: 'own/script', name: 'script', provider: HOST }],
    model: 'own/script',
  },
  asked: {
    call: { name: 'skill', args: { name: 'shout' } },
    told: { permission: 'skill', patterns: ['shout'] },
    output: 'from-the-skill',
  },
  askedForGood: { name: 'skill', args: { name: 'whisper' } },
  question: (question, options) => {
    const args = { questions: [{ question, header: 'H', options }] };
    return { name: 'question', args };
  },
  noAgent: 'There is no agent “nobody”. There are: build, explore, general, plan.',
  noModel: 'own/none',
});

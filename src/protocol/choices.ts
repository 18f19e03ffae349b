import './jitless';
import * as z from 'zod/mini';
import { payload } from './envelope';
import { count, list, name, text } from './fields';
import { modelId } from './model-id';

/** The agents and models that a person can choose for a session. */
export const choices = payload({
  agents: list(
    z.object({
      name,
      description: z.optional(text),
      mode: z.optional(name.check(z.describe('`primary`, `subagent` or `all`.'))),
      model: z.optional(modelId),
    }),
  ),
  models: list(
    z.object({
      id: modelId,
      name: z.optional(name),
      provider: z.optional(name.check(z.describe('Name of the provider, for a person.'))),
      context: z.optional(count.check(z.describe('Tokens that fit into one request.'))),
      output: z.optional(count.check(z.describe('Tokens of the longest answer.'))),
      reasoning: z.optional(z.boolean()),
    }),
  ),
  model: z.optional(
    modelId.check(z.describe('What OpenCode takes where neither prompt nor agent names one.')),
  ),
});

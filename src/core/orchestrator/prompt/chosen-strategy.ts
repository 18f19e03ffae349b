import type { ContextStrategy } from './context-strategy';
import { simpleConcatenation } from './simple-concatenation';
import { structuredTemplate } from './structured-template';

/** The strategies that there are, by the name that they have in the settings. */
const STRATEGIES = { headings: structuredTemplate, plain: simpleConcatenation };

export type StrategyName = keyof typeof STRATEGIES;

/** @param name asked for with each prompt, so that a change of the settings counts from the next on */
export function chosenStrategy(name: () => StrategyName): ContextStrategy {
  return { join: (parts) => STRATEGIES[name()].join(parts) };
}

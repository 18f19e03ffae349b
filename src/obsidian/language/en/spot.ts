import type { Messages } from '../message';

/** Where dragged tasks would be dropped. */
export const spotTexts = {
  after: 'After {title}',
  before: 'Before {title}',
  under: 'Under {title}',
} as const satisfies Messages;

/** As `spotTexts`, in a phase of a plan. */
export const spotInPhaseTexts = {
  after: 'After {title} in {phase}',
  before: 'Before {title} in {phase}',
  under: 'Under {title} in {phase}',
} as const satisfies Messages;

import type { ContextStrategy } from './context-strategy';

/** The parts one after another, a blank line between them. */
export const simpleConcatenation: ContextStrategy = {
  join(parts) {
    return parts
      .filter(({ lines }) => lines.length > 0)
      .map(({ lines }) => lines.join('\n'))
      .join('\n\n');
  },
};

import type { Stage } from './state';
import type { Turn } from './turn';

/** The turns that a stage holds, in whatever state. */
export function turnsOf(stage: Stage): readonly Turn[] {
  switch (stage.kind) {
    case 'planning':
      return stage.doing.kind === 'turn' ? [stage.doing.turn] : [];
    case 'approving':
      return [];
    case 'executing':
      return stage.steps.flatMap(({ doing }) =>
        doing.kind === 'work' || doing.kind === 'check' ? [doing.turn] : [],
      );
  }
}

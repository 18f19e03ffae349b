import type { Happening } from '../event';
import type { Approving, Run } from '../state';
import { note } from './note';
import { plan } from './planning';
import type { StageStep } from './stage-step';

/** The board is the plan, as it stands when the person approves: there must be something on it. */
export function stepApproving(run: Run, stage: Approving, happening: Happening): StageStep {
  const { event, plan: look } = happening;
  if (event.type === 'replan')
    return plan(note(run, 'person', event.words), 1, event.words, stage.talk);
  if (event.type === 'session_ended' && event.sessionId === stage.talk?.session) {
    return { kind: 'stage', run, stage: { ...stage, talk: null } };
  }
  const approved = event.type === 'approve' && look.kind === 'plan' && look.tasks.length > 0;
  return approved
    ? {
        kind: 'stage',
        run: note(run, 'approved'),
        stage: { kind: 'executing', steps: [], naming: null, unnamed: null },
      }
    : { kind: 'stage', run, stage };
}

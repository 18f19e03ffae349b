import type { RunView } from '../../core/orchestrator/runs';
import type { RunAt } from '../model/overview';
import { goingOf, stateWords } from './run-of';

/** The runs that go on, by the session whose board is their plan; of several the newest. */
export function runsBySession(all: readonly RunView[]): ReadonlyMap<string, RunAt> {
  const found = new Map<string, RunAt>();
  for (const view of all) {
    const going = goingOf(view);
    const session = going?.run.planner ?? null;
    if (going === undefined || session === null || found.has(session)) continue;
    const approves = going.kind === 'going' && going.stage.kind === 'approving';
    const needs = going.kind === 'waiting' || approves;
    found.set(session, { id: view.id, words: stateWords(view), needs });
  }
  return found;
}

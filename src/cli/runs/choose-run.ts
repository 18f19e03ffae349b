import type { RunView } from '../../core/orchestrator/runs';
import { oneLine } from '../../core/orchestrator/timeline';
import { isOver } from './is-over';

export type ChosenRun =
  { readonly ok: true; readonly view: RunView } | { readonly ok: false; readonly message: string };

/**
 * The run that is meant: the one that is named, by as much of its id as no other has; else the only one
 * that is not over.
 * @param over whether one that is over may be meant too: the newest, where none goes on
 */
export function chooseRun(
  all: readonly RunView[],
  named: string | undefined,
  over: boolean,
): ChosenRun {
  if (named !== undefined) return byName(all, named);
  const open = all.filter(({ state }) => !isOver(state));
  const [only, ...more] = open;
  if (only !== undefined && more.length === 0) return { ok: true, view: only };
  if (only !== undefined) return { ok: false, message: `which run? ${listed(open)}` };
  const [newest] = all;
  if (over && newest !== undefined) return { ok: true, view: newest };
  return {
    ok: false,
    message:
      newest === undefined
        ? 'this vault has no run yet. agent-boards run start "GOAL" begins one.'
        : 'no run goes on; agent-boards run list shows those that are over.',
  };
}

function byName(all: readonly RunView[], named: string): ChosenRun {
  const found =
    all.find(({ id }) => id === named) ??
    (all.filter(({ id }) => id.startsWith(named)).length === 1
      ? all.find(({ id }) => id.startsWith(named))
      : undefined);
  if (found !== undefined) return { ok: true, view: found };
  const known = all.length === 0 ? 'This vault has none yet.' : listed(all);
  return { ok: false, message: `there is no run "${named}". ${known}` };
}

const MOST = 5;

function listed(views: readonly RunView[]): string {
  const names = views.slice(0, MOST).map(({ id, state }) => `${id} (${goalOf(state)})`);
  const more = views.length > MOST ? ` and ${views.length - MOST} more` : '';
  return `There is ${names.join(', ')}${more}.`;
}

/** The goal, short enough for a list. */
export function goalOf(state: RunView['state']): string {
  return state.kind === 'idle' ? 'can’t be read' : oneLine(state.run.wish.goal, 60);
}

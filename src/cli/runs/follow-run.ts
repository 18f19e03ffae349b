import { join } from 'node:path';
import type { RunView } from '../../core/orchestrator/runs';
import { stateName } from '../../core/orchestrator/state-name';
import type { WaitReason } from '../../core/orchestrator/wait-reason';
import type { Exit } from '../exit';
import { lookUntil } from '../look-until';
import { isOver } from './is-over';
import { ending } from './run-ending';
import type { RunTeller } from './run-teller';
import type { RunDesk } from './run-verb';

export interface Following {
  readonly id: string;
  readonly teller: RunTeller;
  readonly stop: AbortSignal;
  /** a paused run is left as well, where this is what was wanted of it */
  readonly pauses: boolean;
}

/**
 * Tells what happens in a run that this process carries out, until it ends or waits for the person; with
 * `--stay` until it ends. What ends by itself, or is answered in OpenCode or Obsidian, is waited for.
 */
export async function followRun(desk: RunDesk, following: Following): Promise<Exit> {
  const { vault, open, given } = desk;
  const { id, teller, stop } = following;
  const stay = given.flag('stay');
  const left = new AbortController();
  const online = (): boolean => open.openCode.connection.state.kind === 'connected';
  const look = (): void => {
    const view = open.runs.get(id);
    if (view !== undefined) teller.tell(view);
    if (view === undefined || leaves(view, online(), stay, following.pauses)) left.abort();
  };
  const undo = open.runs.onChange((changed) => {
    if (changed === id) look();
  });
  look();
  // What the person changes on the board is an event of the run.
  await lookUntil(
    AbortSignal.any([stop, left.signal]),
    join(vault.folder, vault.root),
    async () => {
      await vault.manager.scan();
    },
  );
  undo();
  const view = open.runs.get(id);
  await open.close();
  return view === undefined ? lost(id) : ending(view, given.json);
}

/** Whether nothing happens in it any more without the person. */
function leaves(
  { state, by, fault }: RunView,
  online: boolean,
  stay: boolean,
  pauses: boolean,
): boolean {
  // Turns of a run that is over are stopped first, where that can be.
  if (isOver(state))
    return by !== 'here' || !online || !('stops' in state && state.stops.length > 0);
  if (by !== 'here' || (fault !== null && !stay)) return true;
  if (state.kind === 'paused') return pauses;
  if (stay) return false;
  if (state.kind === 'waiting') return !state.why.some(endsElsewhere);
  return stateName(state) === 'approving';
}

function endsElsewhere({ kind }: WaitReason): boolean {
  return kind === 'offline' || kind === 'asked';
}

function lost(id: string): Exit {
  return { code: 1, out: '', err: `agent-boards: run ${id} is not there any more.\n` };
}

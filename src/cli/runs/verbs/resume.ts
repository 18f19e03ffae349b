import type { RunAnswer, RunView } from '../../../core/orchestrator/runs';
import { usage } from '../../exit';
import { actOn, cantRun, carryRun, runOf } from '../carry-run';
import { isOver } from '../is-over';
import { FOLLOWS, type RunDesk, type RunVerb } from '../run-verb';

/** `agent-boards run resume`: goes on with a run that is paused, or that no program carries out. */
export const resume: RunVerb = {
  name: 'resume',
  takes: '[RUN]',
  says: 'goes on with a run that is paused, or rests; here, if no other program has it',
  options: FOLLOWS,
  words: { least: 0, most: 1 },
  run(desk) {
    const chosen = runOf(desk, desk.words[0]);
    if (!chosen.ok) return Promise.resolve(usage(chosen.message, 'run'));
    const { view } = chosen;
    if (isOver(view.state)) {
      return Promise.resolve(cantRun(desk, `Run ${view.id} is over: ${view.state.kind}.`));
    }
    if (view.by === 'elsewhere') return actOn(desk, view, { type: 'resume' });
    return carryRun(desk, { waits: true, begin: () => takenUp(desk, view) });
  },
};

/** A run that went on by itself goes on; one that the person paused, or that waits, is resumed. */
async function takenUp({ open }: RunDesk, { id }: RunView): Promise<RunAnswer<string>> {
  const taken = await open.runs.takeUp(id);
  if (!taken.ok) return taken;
  const { kind } = open.runs.get(id)?.state ?? { kind: 'idle' };
  if (kind !== 'paused' && kind !== 'waiting') return { ok: true, value: id };
  const resumed = await open.runs.act(id, { type: 'resume' });
  return resumed.ok ? { ok: true, value: id } : resumed;
}

import { replayRun, type Replayed } from '../../../core/orchestrator/drive/replay-run';
import { stateName } from '../../../core/orchestrator/state-name';
import { printed, usage } from '../../exit';
import { timeOf } from '../../time-of';
import { cantRun, runOf } from '../carry-run';
import { stateJson } from '../run-json';
import type { RunVerb } from '../run-verb';

/** `agent-boards run replay`: the states that a run's log leads to, and whether they end at the stored one. */
export const replay: RunVerb = {
  name: 'replay',
  takes: '[RUN]',
  says: 'goes through the log of a run once more: its states, and whether the stored one is the last',
  options: [],
  words: { least: 0, most: 1 },
  async run(desk) {
    const { given, words, vault } = desk;
    const chosen = runOf(desk, words[0], true);
    if (!chosen.ok) return usage(chosen.message, 'run');
    const { id } = chosen.view;
    const played = await replayRun(vault.store, id);
    if (!played.ok) return cantRun(desk, played.message);
    const { steps, same } = played.value;
    const code = same ? 0 : 3;
    if (given.json) {
      const states = steps.map(({ heard, state }) => ({
        at: new Date(heard.at).toISOString(),
        event: heard.event,
        ...stateJson(state),
      }));
      return printed(code, JSON.stringify({ ok: same, run: id, steps: states }));
    }
    const end = same ? 'The stored state is the last of them.' : DIFFERS;
    return printed(code, [...steps.map(lineOf), `${steps.length} events. ${end}`].join('\n'));
  },
};

const DIFFERS = 'The stored state is another one: keep the folder of the run for a report.';

function lineOf({ heard, state }: Replayed['steps'][number], at: number): string {
  const number = String(at + 1).padStart(4);
  return `${number}  ${timeOf(heard.at)}  ${heard.event.type} → ${stateName(state)}`;
}

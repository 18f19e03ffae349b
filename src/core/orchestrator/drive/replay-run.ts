import type { NoteStore } from '../../ports';
import type { Happening } from '../event';
import type { RunAnswer } from '../runs';
import { readLog, readState, stateText } from '../serialise';
import { IDLE, type RunState } from '../state';
import { replay } from '../step';
import { RunFiles } from './run-files';

/** A run played again from its log. */
export interface Replayed {
  /** each event, and the state that it led to */
  readonly steps: readonly { readonly heard: Happening; readonly state: RunState }[];
  /** the state that is stored */
  readonly stored: RunState;
  /** whether the log leads to it */
  readonly same: boolean;
}

/** @throws StoreError where a file can't be read */
export async function replayRun(
  store: NoteStore,
  id: string,
  stateRoot?: string,
): Promise<RunAnswer<Replayed>> {
  const files = new RunFiles(store, stateRoot);
  const read = await files.read(id);
  if (read === undefined) return { ok: false, message: `There is no run ${id}.` };
  if (!read.ok) return read;
  const { state: stored, n } = read.value;
  const log = await wholeLog(files, id);
  if (!log.ok) return log;
  const heard = log.value.slice(0, n);
  if (heard.length < n) {
    return { ok: false, message: `The log has ${heard.length} of ${n} events: the rest is gone.` };
  }
  const states = replay(heard, IDLE);
  const last = states.at(-1) ?? IDLE;
  const steps = heard.map((one, at) => ({ heard: one, state: states[at] ?? IDLE }));
  // As it would be read back: what order its parts stand in says nothing.
  const again = readState(stateText(last));
  const same = again.ok && JSON.stringify(again.value) === JSON.stringify(stored);
  return { ok: true, value: { steps, stored, same } };
}

async function wholeLog(files: RunFiles, id: string): Promise<RunAnswer<readonly Happening[]>> {
  const log: Happening[] = [];
  for (const first of await files.segments(id)) {
    if (first > log.length + 1) {
      const message = `The log has no events from ${log.length + 1} to ${first - 1}: they are gone.`;
      return { ok: false, message };
    }
    const read = readLog(await files.segment(id, first));
    if (!read.ok) return read;
    // What a later segment says instead was never acted on in this one.
    log.splice(first - 1, log.length, ...read.value.log);
  }
  return { ok: true, value: log };
}

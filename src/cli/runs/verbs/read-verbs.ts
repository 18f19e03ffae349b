import {
  resultExit,
  parseCheckpointNumber,
  textExit,
  refusalExit,
  wallClockText,
  type Exit,
} from '../../command';
import { failRun, valueOf } from '../carry-run';
import { isEnded, runJson, findRun, runLine, runText, stateJson } from '../run-text';
import { connect, type RunContext, type RunVerb } from '../open-runs';
import { replayRun, type Replayed } from '../../../core/orchestrator/drive/run-journal';
import { stateName } from '../../../core/orchestrator/state';
import { diffExit } from '../../board-history';

/** `agent-boards run list`: lists all runs, newest first. */
export const listRuns: RunVerb = {
  name: 'list',
  takes: '',
  says: 'the runs of the vault, the newest first, those that are over too',
  run({ runs, given }) {
    const all = runs.all();
    const lines = all.length === 0 ? ['No runs.'] : all.map(runLine);
    return resultExit(given, 0, { runs: all.map(runJson) }, lines.join('\n'));
  },
};

/** `agent-boards run status`: shows the status of a run. */
export const status: RunVerb = {
  name: 'status',
  takes: '[RUN]',
  says: 'the state of a run: its plan, its figures, why it waits, what happened last',
  run(context) {
    const { given, words } = context;
    if (words[0] === undefined && context.runs.all().length === 0) {
      return resultExit(given, 0, { run: null }, NO_RUNS);
    }
    const view = findRun(context, words[0], { over: true });
    const code = view.fault === null || isEnded(view.state) ? 0 : 3;
    return resultExit(given, code, runJson(view), runText(view));
  },
};

const NO_RUNS = 'No runs yet. agent-boards run start "GOAL" begins one.';

/** `agent-boards run note`: prints the note of a run. */
export const showRunNote: RunVerb = {
  name: 'note',
  takes: '[RUN]',
  says: 'the note of a run, as it is written',
  async run(context): Promise<Exit> {
    const { given, words, vault } = context;
    const { id, note: path } = findRun(context, words[0], { over: true });
    const text = path === undefined ? undefined : await vault.store.read(path);
    if (text === undefined) return failRun(`Run ${id} has no note yet.`);
    if (given.json) return textExit(0, JSON.stringify({ run: id, path, text }));
    return { code: 0, out: text, err: '', raw: true };
  },
};

/**
 * `agent-boards run replay`: replays the log of a run, and compares the final state with the stored
 * one.
 */
export const replayVerb: RunVerb = {
  name: 'replay',
  takes: '[RUN]',
  says: 'replays the log of a run: its states, and whether the stored one is the last',
  async run(context) {
    const { given, words, vault } = context;
    const { id } = findRun(context, words[0], { over: true });
    const { steps, same } = valueOf(await replayRun(vault.store, id));
    const code = same ? 0 : 3;
    if (given.json) {
      const states = steps.map(({ record: heard, state }) => ({
        at: new Date(heard.at).toISOString(),
        event: heard.event,
        ...stateJson(state),
      }));
      return textExit(code, JSON.stringify({ ok: same, run: id, steps: states }));
    }
    const end = same ? 'The stored state is the last of them.' : DIFFERS;
    return textExit(code, [...steps.map(lineOf), `${steps.length} events. ${end}`].join('\n'));
  },
};

const DIFFERS = 'The stored state is another one: keep the folder of the run for a report.';

function lineOf({ record: heard, state }: Replayed['steps'][number], at: number): string {
  const number = String(at + 1).padStart(4);
  return `${number}  ${wallClockText(heard.at)}  ${heard.event.type} → ${stateName(state)}`;
}

const checkpoint: RunVerb = {
  name: 'checkpoint',
  takes: '[RUN]',
  says: 'creates a checkpoint of the board; --label TEXT',
  options: ['label'],
  async run(context) {
    const { given, words, runs } = context;
    const { id } = findRun(context, words[0], { over: true });
    const made = valueOf(await runs.checkpoint(id, given.text('label')));
    const result = { ok: true, run: id, checkpoint: made };
    return resultExit(given, 0, result, `Checkpoint ${made} was created.`);
  },
};

const rollBack: RunVerb = {
  name: 'roll-back',
  takes: 'CHECKPOINT [RUN]',
  says: 'rolls the board back: shows what would change, and does it with --yes',
  options: ['yes'],
  async run(context) {
    const { given, vault, words } = context;
    const n = parseCheckpointNumber(words[0], 'roll-back takes the number of a checkpoint.');
    const { id, board } = findRun(context, words[1], { over: true });
    if (board === undefined) return failRun(`Run ${id} has no board yet.`);
    const dryRun = !given.flag('yes');
    const diff = dryRun
      ? await vault.manager.checkpoints.diff(board, n)
      : await rollBackRun(context, id, n);
    if (!diff.ok) return refusalExit(diff);
    const note = dryRun ? '; nothing was written. --yes does it.' : '. The run is paused.';
    return diffExit(given, diff, diff.changes, { dryRun, note, json: { dryRun } });
  },
};

export const CHECKPOINT_VERBS: readonly RunVerb[] = [checkpoint, rollBack];

/**
 * Rolls a run back. If no program carries it out, connects first, so that its turns can be stopped.
 */
async function rollBackRun(context: RunContext, id: string, n: number) {
  const { runs, environment } = context;
  const view = runs.get(id);
  if (view?.by === 'nobody' && !isEnded(view.state)) {
    const fault = await connect(context, environment.untilStopped());
    if (fault !== undefined) failRun(fault);
  }
  return runs.rollBack(id, n);
}

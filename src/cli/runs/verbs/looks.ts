import { answered, printed, refused, timeOf, usage, type Exit } from '../../command';
import { cantRun, runOf } from '../carry-run';
import { isEnded, runJson, runLine, runText, stateJson } from '../run-text';
import { connect, type RunContext, type RunVerb } from '../open-runs';
import { replayRun, type Replayed } from '../../../core/orchestrator/drive/run-journal';
import { stateName } from '../../../core/orchestrator/state';
import { changeLines } from '../../../core/board/answer/board-lines';
import type { CheckpointDiff } from '../../../core/board/checkpoint/checkpoints';
import { checkpointJson, checkpointLine } from '../../board-history';

/** `agent-boards run list`: all runs, the newest first. */
export const listRuns: RunVerb = {
  name: 'list',
  takes: '',
  says: 'the runs of the vault, the newest first, those that are over too',
  options: [],
  run({ runs, given }) {
    const all = runs.all();
    const lines = all.length === 0 ? ['No runs.'] : all.map(runLine);
    return answered(given, 0, { runs: all.map(runJson) }, lines.join('\n'));
  },
};

/** `agent-boards run status`: how a run stands. */
export const status: RunVerb = {
  name: 'status',
  takes: '[RUN]',
  says: 'how a run stands: its plan, its figures, why it waits, what happened last',
  options: [],
  run(context) {
    const { given, words } = context;
    if (words[0] === undefined && context.runs.all().length === 0) {
      return answered(given, 0, { run: null }, NO_RUNS);
    }
    const chosen = runOf(context, words[0], true);
    if (!chosen.ok) return usage(chosen.message);
    const { view } = chosen;
    const code = view.fault === null || isEnded(view.state) ? 0 : 3;
    return answered(given, code, runJson(view), runText(view));
  },
};

const NO_RUNS = 'No runs yet. agent-boards run start "GOAL" begins one.';

/** `agent-boards run note`: the note of a run. */
export const showRunNote: RunVerb = {
  name: 'note',
  takes: '[RUN]',
  says: 'the note of a run, as it is written',
  options: [],
  async run(context): Promise<Exit> {
    const { given, words, vault } = context;
    const chosen = runOf(context, words[0], true);
    if (!chosen.ok) return usage(chosen.message);
    const { id, note: path } = chosen.view;
    const text = path === undefined ? undefined : await vault.store.read(path);
    if (path === undefined || text === undefined) {
      return cantRun(`Run ${id} has no note yet.`);
    }
    if (given.json) return printed(0, JSON.stringify({ run: id, path, text }));
    return { code: 0, out: text, err: '', raw: true };
  },
};

/** `agent-boards run replay`: the states that a run's log leads to, and whether they end at the stored one. */
export const replayVerb: RunVerb = {
  name: 'replay',
  takes: '[RUN]',
  says: 'goes through the log of a run once more: its states, and whether the stored one is the last',
  options: [],
  async run(context) {
    const { given, words, vault } = context;
    const chosen = runOf(context, words[0], true);
    if (!chosen.ok) return usage(chosen.message);
    const { id } = chosen.view;
    const played = await replayRun(vault.store, id);
    if (!played.ok) return cantRun(played.message);
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

const checkpoint: RunVerb = {
  name: 'checkpoint',
  takes: '[RUN]',
  says: 'keeps the board as it is now; --label TEXT',
  options: ['label'],
  async run(context) {
    const { given, words, runs } = context;
    const chosen = runOf(context, words[0], true);
    if (!chosen.ok) return usage(chosen.message);
    const { id } = chosen.view;
    const made = await runs.checkpoint(id, given.text('label'));
    if (!made.ok) return cantRun(made.message);
    const result = { ok: true, run: id, checkpoint: made.value };
    return answered(given, 0, result, `Checkpoint ${made.value} was created.`);
  },
};

const rollBack: RunVerb = {
  name: 'roll-back',
  takes: 'CHECKPOINT [RUN]',
  says: 'puts the board back as it was: shows what that changes, does it with --yes',
  options: ['yes'],
  async run(context) {
    const [word = '', named] = context.words;
    if (!/^[1-9]\d{0,8}$/.test(word)) {
      return usage('roll-back takes the number of a checkpoint.');
    }
    const chosen = runOf(context, named, true);
    if (!chosen.ok) return usage(chosen.message);
    const { id, board } = chosen.view;
    if (board === undefined) return cantRun(`Run ${id} has no board yet.`);
    return context.given.flag('yes')
      ? rolledBack(context, id, Number(word))
      : shown(context, await context.vault.manager.checkpoints.diff(board, Number(word)), false);
  },
};

export const CHECKPOINTS: readonly RunVerb[] = [checkpoint, rollBack];

/** A run that rests is taken up for it: its turns are stopped first. */
async function rolledBack(context: RunContext, id: string, n: number): Promise<Exit> {
  const { runs, around } = context;
  const view = runs.get(id);
  if (view?.by === 'nobody' && !isEnded(view.state)) {
    const fault = await connect(context, around.untilStopped());
    if (fault !== undefined) return cantRun(fault);
  }
  return shown(context, await runs.rollBack(id, n), true);
}

function shown({ given }: RunContext, diff: CheckpointDiff, done: boolean): Exit {
  if (!diff.ok) return refused(diff);
  const { checkpoint: kept, changes, left } = diff;
  const code = left.length === 0 ? 0 : 1;
  if (given.json) {
    const told = { ...diff, checkpoint: checkpointJson(kept), dryRun: !done };
    return printed(code, JSON.stringify(told));
  }
  const count = changes.length === 1 ? '1 change' : `${changes.length} changes`;
  const head = done
    ? `Made ${count}. The run is paused.`
    : `Would make ${count}; nothing was written. --yes does it.`;
  const lines = [...changeLines(changes, Infinity), ...left.map((why) => `! ${why}`)];
  return printed(code, [checkpointLine(kept), head, ...lines].join('\n'));
}

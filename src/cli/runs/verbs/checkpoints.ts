import { changeLines } from '../../../core/board/answer/change-lines';
import type { CheckpointDiff } from '../../../core/board/checkpoint/checkpoints';
import { printed, usage, type Exit } from '../../exit';
import { checkpointJson, checkpointLine } from '../../list-checkpoints';
import { refused } from '../../refused';
import { cantRun, connect, runOf } from '../carry-run';
import { isOver } from '../is-over';
import type { RunDesk, RunVerb } from '../run-verb';

const checkpoint: RunVerb = {
  name: 'checkpoint',
  takes: '[RUN]',
  says: 'keeps the board as it is now; --label TEXT',
  options: ['label'],
  words: { least: 0, most: 1 },
  async run(desk) {
    const { given, words, open } = desk;
    const chosen = runOf(desk, words[0], true);
    if (!chosen.ok) return usage(chosen.message, 'run');
    const { id } = chosen.view;
    const made = await open.runs.checkpoint(id, given.text('label'));
    if (!made.ok) return cantRun(desk, made.message);
    if (given.json)
      return printed(0, JSON.stringify({ ok: true, run: id, checkpoint: made.value }));
    return printed(0, `Checkpoint ${made.value} is kept.`);
  },
};

const rollBack: RunVerb = {
  name: 'roll-back',
  takes: 'CHECKPOINT [RUN]',
  says: 'puts the board back as it was: shows what that changes, does it with --yes',
  options: ['yes'],
  words: { least: 1, most: 2 },
  async run(desk) {
    const [word = '', named] = desk.words;
    if (!/^[1-9]\d{0,8}$/.test(word)) {
      return usage('roll-back takes the number of a checkpoint.', 'run');
    }
    const chosen = runOf(desk, named, true);
    if (!chosen.ok) return usage(chosen.message, 'run');
    const { id, board } = chosen.view;
    if (board === undefined) return cantRun(desk, `Run ${id} has no board yet.`);
    return desk.given.flag('yes')
      ? rolledBack(desk, id, Number(word))
      : shown(desk, await desk.vault.manager.checkpoints.diff(board, Number(word)), false);
  },
};

export const CHECKPOINTS: readonly RunVerb[] = [checkpoint, rollBack];

/** A run that rests is taken up for it: its turns are stopped first. */
async function rolledBack(desk: RunDesk, id: string, n: number): Promise<Exit> {
  const { open, around } = desk;
  const view = open.runs.get(id);
  if (view?.by === 'nobody' && !isOver(view.state)) {
    const fault = await connect(desk, around.untilStopped());
    if (fault !== undefined) return cantRun(desk, fault);
  }
  return shown(desk, await open.runs.rollBack(id, n), true);
}

function shown({ given }: RunDesk, diff: CheckpointDiff, done: boolean): Exit {
  if (!diff.ok) return refused(diff, given.json);
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

import { changeLines } from '../core/board/answer/change-lines';
import type { CheckpointDiff } from '../core/board/checkpoint/checkpoints';
import { PERSON } from '../core/board/history/actor';
import { chooseBoard } from './choose-board';
import type { Command } from './command';
import { CHOICE } from './common-options';
import { printed, usage } from './exit';
import { checkpointJson, checkpointLine } from './list-checkpoints';
import { refused } from './refused';

/** `agent-boards rollback`: the tasks of one board as they were at a checkpoint. */
export const rollBackBoard: Command = {
  name: 'rollback',
  takes: 'CHECKPOINT',
  says: "puts a board's tasks back as they were; other text stays; undo takes it back",
  options: {
    ...CHOICE,
    'dry-run': { type: 'boolean', says: 'only tells what would change' },
  },
  words: { least: 1, most: 1 },
  async run(given, vault) {
    const [word = ''] = given.words;
    if (!/^[1-9]\d{0,8}$/.test(word)) {
      return usage('rollback takes the number of a checkpoint; see agent-boards checkpoints.');
    }
    const chosen = await chooseBoard(vault, given);
    if (!chosen.ok) return usage(chosen.message);
    const { path } = chosen.board;
    const { checkpoints } = vault.manager;
    const dry = given.flag('dry-run');
    const done = dry
      ? await checkpoints.diff(path, Number(word))
      : await checkpoints.rollBack(path, Number(word), PERSON);
    if (!done.ok) return refused(done, given.json);
    const code = done.left.length === 0 ? 0 : 1;
    if (!given.json) return printed(code, shown(done, dry));
    const checkpoint = checkpointJson(done.checkpoint);
    return printed(code, JSON.stringify({ ...done, checkpoint, path, dryRun: dry }));
  },
};

function shown(
  { checkpoint, changes, left }: Extract<CheckpointDiff, { ok: true }>,
  dry: boolean,
): string {
  const count = changes.length === 1 ? '1 change' : `${changes.length} changes`;
  const head = dry ? `Would make ${count}; nothing was written.` : `Made ${count}.`;
  const lines = [...changeLines(changes, Infinity), ...left.map((why) => `! ${why}`)];
  return [checkpointLine(checkpoint), head, ...lines].join('\n');
}

import { chooseBoard } from './choose-board';
import type { Command } from './command';
import { CHOICE } from './common-options';
import { printed, usage } from './exit';
import { checkpointJson, checkpointLine } from './list-checkpoints';
import { refused } from './refused';

/** `agent-boards checkpoint`: keeps one board as it is. */
export const makeCheckpoint: Command = {
  name: 'checkpoint',
  takes: '',
  says: 'keeps a board as it is now, to roll back to',
  options: { ...CHOICE, label: { type: 'string', value: 'TEXT', says: 'what it is called' } },
  words: { least: 0, most: 0 },
  async run(given, vault) {
    const chosen = await chooseBoard(vault, given);
    if (!chosen.ok) return usage(chosen.message);
    const { path } = chosen.board;
    const label = given.text('label');
    const wish = { by: 'user' as const, ...(label !== undefined && { label }) };
    const made = await vault.manager.checkpoints.add(path, wish);
    if (!made.ok) return refused(made, given.json);
    const { checkpoint } = made;
    if (given.json) {
      return printed(0, JSON.stringify({ ok: true, path, checkpoint: checkpointJson(checkpoint) }));
    }
    return printed(0, checkpointLine(checkpoint));
  },
};

import type { Checkpoint } from '../core/board/checkpoint/checkpoint-files';
import { PERSON } from '../core/board/history/actor';
import { actorWords } from './actor-words';
import { chooseBoard } from './choose-board';
import type { Command } from './command';
import { CHOICE } from './common-options';
import { printed, usage } from './exit';
import { timeOf } from './time-of';

/** `agent-boards checkpoints`: what one board can be rolled back to. */
export const listCheckpoints: Command = {
  name: 'checkpoints',
  takes: '',
  says: 'what a board can be rolled back to, the newest first',
  options: CHOICE,
  words: { least: 0, most: 0 },
  async run(given, vault) {
    const chosen = await chooseBoard(vault, given);
    if (!chosen.ok) return usage(chosen.message);
    const { path } = chosen.board;
    const found = await vault.manager.checkpoints.list(path);
    if (given.json) {
      return printed(0, JSON.stringify({ path, checkpoints: found.map(checkpointJson) }));
    }
    return printed(
      0,
      found.length === 0 ? 'No checkpoints.' : found.map(checkpointLine).join('\n'),
    );
  },
};

export function checkpointLine({ n, at, by, label, rev }: Checkpoint): string {
  const name = label === null ? '' : ` "${label}"`;
  const who = by === 'user' ? actorWords(PERSON) : by;
  return `Checkpoint ${n}${name}  ${timeOf(at)}  by ${who}, rev ${rev}`;
}

/** `at` as ISO 8601. */
export function checkpointJson(checkpoint: Checkpoint): object {
  return { ...checkpoint, at: new Date(checkpoint.at).toISOString() };
}

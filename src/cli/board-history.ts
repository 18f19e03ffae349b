import type { HistoryEntry } from '../core/board/todo-manager';
import { chooseBoard, chooseBoardToWrite } from './choose-board';
import {
  resultExit,
  parseCheckpointNumber,
  BOARD_OPTIONS,
  readCount,
  refusalExit,
  wallClockText,
  type Command,
  type Exit,
  type CommandArgs,
} from './command';
import type { Checkpoint, CheckpointDiff } from '../core/board/checkpoint/checkpoints';
import { PERSON, type Actor } from '../core/board/history/actor';
import { changeLines } from '../core/board/answer/board-lines';

const DEFAULT_LIMIT = 20;

/** `agent-boards history`: shows who changed what on a board. */
export const boardHistory: Command = {
  name: 'history',
  takes: '',
  says: 'who changed what, the newest first',
  options: {
    ...BOARD_OPTIONS,
    limit: { value: 'N', says: `how many changes (${DEFAULT_LIMIT}; 200 are kept)` },
  },
  async run(given, vault) {
    const limit = readCount(given, 'limit', 99_999, '--limit takes a number.') ?? DEFAULT_LIMIT;
    const { path, agent, title, rev } = await chooseBoard(vault, given);
    const entries = await vault.manager.history(path, limit);
    const history = entries.map((entry) => ({ ...entry, at: new Date(entry.at).toISOString() }));
    const text = entries.length === 0 ? 'Nothing yet.' : entries.map(lineOf).join('\n');
    return resultExit(given, 0, { path, agent, title, rev, history }, text);
  },
};

function lineOf({ at, by, said, rev, undone }: HistoryEntry): string {
  return `${wallClockText(at)}  ${actorText(by)}: ${said.join(' ')} (rev ${rev}${undone ? ', undone' : ''})`;
}

/** `agent-boards checkpoints`: lists the checkpoints that a board can be rolled back to. */
export const listCheckpoints: Command = {
  name: 'checkpoints',
  takes: '',
  says: 'what a board can be rolled back to, the newest first',
  options: BOARD_OPTIONS,
  async run(given, vault) {
    const { path } = await chooseBoard(vault, given);
    const found = await vault.manager.checkpoints.list(path);
    const text = found.length === 0 ? 'No checkpoints.' : found.map(checkpointLine).join('\n');
    return resultExit(given, 0, { path, checkpoints: found.map(checkpointJson) }, text);
  },
};

function checkpointLine({ n, at, by, label, rev }: Checkpoint): string {
  const name = label === null ? '' : ` "${label}"`;
  const who = by === 'user' ? actorText(PERSON) : by;
  return `Checkpoint ${n}${name}  ${wallClockText(at)}  by ${who}, rev ${rev}`;
}

/** As JSON, with `at` in ISO 8601. */
export function checkpointJson(checkpoint: Checkpoint): object {
  return { ...checkpoint, at: new Date(checkpoint.at).toISOString() };
}

/** `agent-boards checkpoint`: saves a board as it is. */
export const makeCheckpoint: Command = {
  name: 'checkpoint',
  takes: '',
  says: 'creates a checkpoint of a board, to roll back to',
  options: { ...BOARD_OPTIONS, label: { value: 'TEXT', says: 'what it is called' } },
  async run(given, vault) {
    const { path } = await chooseBoard(vault, given);
    const label = given.text('label');
    const options = { by: 'user' as const, ...(label !== undefined && { label }) };
    const made = await vault.manager.checkpoints.add(path, options);
    if (!made.ok) return refusalExit(made);
    const { checkpoint } = made;
    const result = { ok: true, path, checkpoint: checkpointJson(checkpoint) };
    return resultExit(given, 0, result, checkpointLine(checkpoint));
  },
};

/** `agent-boards rollback`: restores the tasks of a board from a checkpoint. */
export const rollBackBoard: Command = {
  name: 'rollback',
  takes: 'CHECKPOINT',
  says: "restores a board's tasks from a checkpoint; other text stays; undo reverts it",
  options: {
    ...BOARD_OPTIONS,
    'dry-run': { says: 'only shows what would change' },
  },
  async run(given, vault) {
    const n = parseCheckpointNumber(
      given.words[0],
      'rollback takes the number of a checkpoint; see agent-boards checkpoints.',
    );
    const { path } = await chooseBoardToWrite(vault, given);
    const { checkpoints } = vault.manager;
    const dryRun = given.flag('dry-run');
    const done = dryRun
      ? await checkpoints.diff(path, n)
      : await checkpoints.rollBack(path, n, PERSON);
    if (!done.ok) return refusalExit(done);
    const { told, ...rest } = done;
    const note = dryRun ? '; nothing was written.' : '.';
    return diffExit(given, rest, told, { dryRun, note, json: { path, dryRun } });
  },
};

/**
 * The text of a rollback's changes, done or previewed.
 * @param note added after the number of changes
 */
export function diffExit(
  given: CommandArgs,
  diff: Omit<Extract<CheckpointDiff, { ok: true }>, 'told'>,
  changes: Parameters<typeof changeLines>[0],
  { dryRun, note, json }: { dryRun: boolean; note: string; json: object },
): Exit {
  const { checkpoint, left } = diff;
  const count = changes.length === 1 ? '1 change' : `${changes.length} changes`;
  const lines = [
    checkpointLine(checkpoint),
    `${dryRun ? 'Would make' : 'Made'} ${count}${note}`,
    ...changeLines(changes, Infinity),
    ...left.map((why) => `! ${why}`),
  ];
  const result = { ...diff, checkpoint: checkpointJson(checkpoint), ...json };
  return resultExit(given, left.length === 0 ? 0 : 1, result, lines.join('\n'));
}

/**
 * The author of a change in a line of output: the agent's name, `a person`, or the source of an
 * import.
 */
export function actorText(actor: Actor): string {
  return actor.kind === 'person' ? 'a person' : actor.name;
}

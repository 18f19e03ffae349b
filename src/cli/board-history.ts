import type { HistoryEntry } from '../core/board/todo-manager';
import { chooseBoard, chooseBoardToWrite, notChosen } from './choose-board';
import { answered, CHOICE, refused, timeOf, usage, type Command } from './command';
import type { Checkpoint, CheckpointDiff } from '../core/board/checkpoint/checkpoints';
import { PERSON, type Actor } from '../core/board/history/actor';
import { changeLines } from '../core/board/answer/board-lines';

const USUAL = 20;

/** `agent-boards history`: who changed what on one board. */
export const boardHistory: Command = {
  name: 'history',
  takes: '',
  says: 'who changed what, the newest first',
  options: {
    ...CHOICE,
    limit: { value: 'N', says: `how many changes (${USUAL}; 200 are kept)` },
  },
  async run(given, vault) {
    const limit = given.text('limit') ?? String(USUAL);
    if (!/^[1-9]\d{0,4}$/.test(limit)) return usage('--limit takes a number.');
    const chosen = await chooseBoard(vault, given);
    if (!chosen.ok) return notChosen(chosen);
    const { path, agent, title, rev } = chosen.board;
    const entries = await vault.manager.history(path, Number(limit));
    const history = entries.map((entry) => ({ ...entry, at: new Date(entry.at).toISOString() }));
    const text = entries.length === 0 ? 'Nothing yet.' : entries.map(lineOf).join('\n');
    return answered(given, 0, { path, agent, title, rev, history }, text);
  },
};

function lineOf({ at, by, said, rev, undone }: HistoryEntry): string {
  return `${timeOf(at)}  ${actorWords(by)}: ${said.join(' ')} (rev ${rev}${undone ? ', undone' : ''})`;
}

/** `agent-boards checkpoints`: what one board can be rolled back to. */
export const listCheckpoints: Command = {
  name: 'checkpoints',
  takes: '',
  says: 'what a board can be rolled back to, the newest first',
  options: CHOICE,
  async run(given, vault) {
    const chosen = await chooseBoard(vault, given);
    if (!chosen.ok) return notChosen(chosen);
    const { path } = chosen.board;
    const found = await vault.manager.checkpoints.list(path);
    const text = found.length === 0 ? 'No checkpoints.' : found.map(checkpointLine).join('\n');
    return answered(given, 0, { path, checkpoints: found.map(checkpointJson) }, text);
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

/** `agent-boards checkpoint`: keeps one board as it is. */
export const makeCheckpoint: Command = {
  name: 'checkpoint',
  takes: '',
  says: 'keeps a board as it is now, to roll back to',
  options: { ...CHOICE, label: { value: 'TEXT', says: 'what it is called' } },
  async run(given, vault) {
    const chosen = await chooseBoard(vault, given);
    if (!chosen.ok) return notChosen(chosen);
    const { path } = chosen.board;
    const label = given.text('label');
    const wish = { by: 'user' as const, ...(label !== undefined && { label }) };
    const made = await vault.manager.checkpoints.add(path, wish);
    if (!made.ok) return refused(made);
    const { checkpoint } = made;
    const result = { ok: true, path, checkpoint: checkpointJson(checkpoint) };
    return answered(given, 0, result, checkpointLine(checkpoint));
  },
};

/** `agent-boards rollback`: the tasks of one board as they were at a checkpoint. */
export const rollBackBoard: Command = {
  name: 'rollback',
  takes: 'CHECKPOINT',
  says: "puts a board's tasks back as they were; other text stays; undo takes it back",
  options: {
    ...CHOICE,
    'dry-run': { says: 'only tells what would change' },
  },
  async run(given, vault) {
    const [word = ''] = given.words;
    if (!/^[1-9]\d{0,8}$/.test(word)) {
      return usage('rollback takes the number of a checkpoint; see agent-boards checkpoints.');
    }
    const chosen = await chooseBoardToWrite(vault, given);
    if (!chosen.ok) return notChosen(chosen);
    const { path } = chosen.board;
    const { checkpoints } = vault.manager;
    const dry = given.flag('dry-run');
    const done = dry
      ? await checkpoints.diff(path, Number(word))
      : await checkpoints.rollBack(path, Number(word), PERSON);
    if (!done.ok) return refused(done);
    const code = done.left.length === 0 ? 0 : 1;
    const { told: _, ...rest } = done;
    const result = { ...rest, checkpoint: checkpointJson(done.checkpoint), path, dryRun: dry };
    return answered(given, code, result, shown(done, dry));
  },
};

function shown(
  { checkpoint, told, left }: Extract<CheckpointDiff, { ok: true }>,
  dry: boolean,
): string {
  const count = told.length === 1 ? '1 change' : `${told.length} changes`;
  const head = dry ? `Would make ${count}; nothing was written.` : `Made ${count}.`;
  const lines = [...changeLines(told, Infinity), ...left.map((why) => `! ${why}`)];
  return [checkpointLine(checkpoint), head, ...lines].join('\n');
}

/** Who did something, in a line of output: the agent's name, `a person`, or what was imported. */
export function actorWords(actor: Actor): string {
  return actor.kind === 'person' ? 'a person' : actor.name;
}

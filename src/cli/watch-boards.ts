import { join } from 'node:path';
import { changeLines } from '../core/board/answer/board-lines';
import { boardJson } from '../core/board/answer/task-json';
import type { BoardChange } from '../core/board/board-change';
import { PERSON, type Actor } from '../core/board/history/actor';
import type { AuthoredChanges } from '../core/board/history/histories';
import type { TodoManager } from '../core/board/todo-manager';
import { nodeClock } from '../node/node-ports';
import { actorText } from './board-history';
import { BOARD_OPTIONS, type Command, type Exit, type CommandArgs } from './command';
import { watchFolder } from '../node/watch-folder';

/** Maximum lines per change of a board; the rest is counted. */
const MAX_LINES = 50;

/** `agent-boards watch`: prints each change of a board as it happens, until Ctrl C. */
export const watchBoards: Command = {
  name: 'watch',
  takes: '',
  says: 'prints each change of the boards as it happens, until Ctrl C',
  options: BOARD_OPTIONS,
  async run(given, vault, environment): Promise<Exit> {
    const stop = environment.untilStopped();
    const { manager } = vault;
    const { session } = given;
    const scan = async (): Promise<unknown> =>
      session === undefined ? manager.scan() : manager.inSession(session);
    await scan();
    const changes: BoardChange[] = [];
    const undo = manager.onChange((change) => changes.push(change));
    environment.print(greeting(manager.boards().length, given));
    await watchFolder(stop, join(vault.folder, vault.root), async () => {
      await scan();
      for (const change of changes.splice(0)) {
        if (isWanted(change, given)) environment.print(await changeText(manager, change, given));
      }
    });
    undo();
    return { code: 0, out: '', err: '' };
  },
};

function greeting(boards: number, { json }: CommandArgs): string {
  if (json) return `${JSON.stringify({ type: 'watching', boards })}\n`;
  return `Watching ${boards} ${boards === 1 ? 'board' : 'boards'}. Ctrl C ends it.\n`;
}

function isWanted({ session, agent }: BoardChange, given: CommandArgs): boolean {
  return (
    (given.session === undefined || given.session === session) &&
    (given.agent === undefined || given.agent === agent)
  );
}

/** The text of a change: one part per author, or a single part if no task changed. */
async function changeText(
  manager: TodoManager,
  change: BoardChange,
  given: CommandArgs,
): Promise<string> {
  const parts = await manager.changesByAuthor(change);
  const all = parts.length > 0 ? parts : [{ by: silentAuthors(change), changes: [] }];
  return all.map((part) => partText(change, part, given)).join('');
}

/** The author of a change without changed tasks: a person, unless a program raised `rev`. */
function silentAuthors({ before, board }: BoardChange): readonly Actor[] {
  const readable = board !== undefined && board.broken === null;
  return readable && before?.rev === board.rev ? [PERSON] : [];
}

function partText(
  change: BoardChange,
  { by, changes }: AuthoredChanges,
  { json }: CommandArgs,
): string {
  const { session, agent, path, before, board } = change;
  if (json) {
    const at = new Date(nodeClock.now()).toISOString();
    const state = board === undefined ? null : boardJson(board);
    const line = { type: 'change', at, path, session, agent, by, changes, board: state };
    return `${JSON.stringify(line)}\n`;
  }
  const what = board === undefined ? 'is gone' : before === undefined ? 'is new' : 'changed';
  const who = by.length === 0 ? '' : ` by ${by.map(actorText).join(' or ')}`;
  const broken = board?.broken?.reason;
  const lines =
    broken === undefined ? changeLines(changes, MAX_LINES) : [`- needs repair: ${broken}`];
  return [`${path} ${what}${who}`, ...lines, ''].join('\n');
}

import { join } from 'node:path';
import { changeLines } from '../core/board/answer/board-lines';
import { boardJson } from '../core/board/answer/task-json';
import type { BoardChange } from '../core/board/board-change';
import { PERSON, type Actor } from '../core/board/history/actor';
import type { AuthoredChanges } from '../core/board/history/histories';
import type { TodoManager } from '../core/board/todo-manager';
import { nodeClock } from '../node/node-ports';
import { actorWords } from './board-history';
import { CHOICE, type Command, type Exit, type Given } from './command';
import { lookUntil } from '../node/look-until';

/** Maximum lines per change of a board; the rest is counted. */
const MAX_LINES = 50;

/** `agent-boards watch`: prints each change of a board as it happens, until Ctrl C. */
export const watchBoards: Command = {
  name: 'watch',
  takes: '',
  says: 'prints each change of the boards as it happens, until Ctrl C',
  options: CHOICE,
  async run(given, vault, around): Promise<Exit> {
    const stop = around.untilStopped();
    const { manager } = vault;
    const { session } = given;
    const look = async (): Promise<unknown> =>
      session === undefined ? manager.scan() : manager.inSession(session);
    await look();
    const found: BoardChange[] = [];
    const undo = manager.onChange((change) => found.push(change));
    around.print(greeting(manager.boards().length, given));
    await lookUntil(stop, join(vault.folder, vault.root), async () => {
      await look();
      for (const change of found.splice(0)) {
        if (isWanted(change, given)) around.print(await told(manager, change, given));
      }
    });
    undo();
    return { code: 0, out: '', err: '' };
  },
};

function greeting(boards: number, { json }: Given): string {
  if (json) return `${JSON.stringify({ type: 'watching', boards })}\n`;
  return `Watching ${boards} ${boards === 1 ? 'board' : 'boards'}. Ctrl C ends it.\n`;
}

function isWanted({ session, agent }: BoardChange, wish: Given): boolean {
  return (
    (wish.session === undefined || wish.session === session) &&
    (wish.agent === undefined || wish.agent === agent)
  );
}

/** The text of a change: one part per author, or a single part if no task changed. */
async function told(manager: TodoManager, change: BoardChange, given: Given): Promise<string> {
  const parts = await manager.authored(change);
  const all = parts.length > 0 ? parts : [{ by: silent(change), changes: [] }];
  return all.map((part) => toldOf(change, part, given)).join('');
}

/** The author of a change without changed tasks: a person, unless a program raised `rev`. */
function silent({ before, board }: BoardChange): readonly Actor[] {
  const readable = board !== undefined && board.broken === null;
  return readable && before?.rev === board.rev ? [PERSON] : [];
}

function toldOf(change: BoardChange, { by, changes }: AuthoredChanges, { json }: Given): string {
  const { session, agent, path, before, board } = change;
  if (json) {
    const at = new Date(nodeClock.now()).toISOString();
    const state = board === undefined ? null : boardJson(board);
    const line = { type: 'change', at, path, session, agent, by, changes, board: state };
    return `${JSON.stringify(line)}\n`;
  }
  const what = board === undefined ? 'is gone' : before === undefined ? 'is new' : 'changed';
  const who = by.length === 0 ? '' : ` by ${by.map(actorWords).join(' or ')}`;
  const broken = board?.broken?.reason;
  const lines =
    broken === undefined ? changeLines(changes, MAX_LINES) : [`- needs repair: ${broken}`];
  return [`${path} ${what}${who}`, ...lines, ''].join('\n');
}

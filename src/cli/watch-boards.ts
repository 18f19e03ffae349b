import { join } from 'node:path';
import { changeLines } from '../core/board/answer/change-lines';
import { boardJson } from '../core/board/answer/task-json';
import type { BoardChange } from '../core/board/board-change';
import { boardChanges, type TaskChange } from '../core/board/digest';
import { PERSON, sameActor, type Actor } from '../core/board/history/actor';
import type { TodoManager } from '../core/board/todo-manager';
import { nodeClock } from '../node/node-clock';
import { actorWords } from './actor-words';
import type { Command } from './command';
import { CHOICE } from './common-options';
import type { Exit } from './exit';
import type { Given } from './given';
import { lookUntil } from './look-until';

/** Lines per change of a board; the rest is counted. */
const MOST_LINES = 50;

/** `agent-boards watch`: each change of a board as it happens, until Ctrl C. */
export const watchBoards: Command = {
  name: 'watch',
  takes: '',
  says: 'prints each change of the boards as it happens, until Ctrl C',
  options: CHOICE,
  words: { least: 0, most: 0 },
  async run(given, vault, around): Promise<Exit> {
    const stop = around.untilStopped();
    const { manager } = vault;
    await manager.scan();
    const found: BoardChange[] = [];
    const undo = manager.onChange((change) => found.push(change));
    around.print(greeting(manager.boards().length, given));
    await lookUntil(stop, join(vault.folder, vault.root), async () => {
      await manager.scan();
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

async function told(manager: TodoManager, change: BoardChange, given: Given): Promise<string> {
  const { session, agent, path, before, board } = change;
  const changes = differences(change);
  const by = await authors(manager, change);
  if (given.json) {
    const at = new Date(nodeClock.now()).toISOString();
    const state = board === undefined ? null : boardJson(board);
    const line = { type: 'change', at, path, session, agent, by, changes, board: state };
    return `${JSON.stringify(line)}\n`;
  }
  const what = board === undefined ? 'is gone' : before === undefined ? 'is new' : 'changed';
  const who = by.length === 0 ? '' : ` by ${by.map(actorWords).join(', ')}`;
  const broken = board?.broken?.reason;
  const lines =
    broken === undefined ? changeLines(changes, MOST_LINES) : [`- needs repair: ${broken}`];
  return [`${path} ${what}${who}`, ...lines, ''].join('\n');
}

/** Who wrote between two states, as the history has it; where no program raised `rev`, a person. */
async function authors(
  manager: TodoManager,
  { path, before, board }: BoardChange,
): Promise<readonly Actor[]> {
  if (board === undefined || board.broken !== null) return [];
  if (before?.rev === board.rev) return [PERSON];
  const since = before?.rev ?? 0;
  const entries = await manager.history(path, MOST_LINES);
  const found = entries.filter(({ rev }) => rev > since && rev <= board.rev).map(({ by }) => by);
  return found.filter((actor, at) => found.findIndex((one) => sameActor(one, actor)) === at);
}

/** All tasks of a new board count as added; of a note that can't be read nothing is known. */
function differences({ before, board }: BoardChange): readonly TaskChange[] {
  if (board === undefined || board.broken !== null) return [];
  if (before === undefined) return boardChanges({ ...board, tasks: [] }, board);
  return before.broken === null ? boardChanges(before, board) : [];
}

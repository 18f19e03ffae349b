import { TodoManager } from '../core/board/todo-manager';
import { StoreError } from '../core/ports';
import { readSharedSettings } from '../core/shared-settings';
import { DiskStore } from '../node/disk-store';
import { nodeClock } from '../node/node-clock';
import { nodeIds } from '../node/node-ids';
import { analyzeBoards } from './analyze-boards';
import { printed, usage, type Exit, type Surroundings } from './exit';
import { findVault } from './find-vault';
import { listBoards } from './list-boards';
import { HELP, readOptions, type Options } from './options';
import { runOperations } from './run-operations';

type Command = (boards: TodoManager, options: Options, around: Surroundings) => Promise<Exit>;

const COMMANDS: ReadonlyMap<string, Command> = new Map([
  ['list', listBoards],
  ['analyze', analyzeBoards],
  ['ops', runOperations],
]);

/** One run of `agent-boards`. */
export async function run(args: readonly string[], around: Surroundings): Promise<Exit> {
  const read = readOptions(args);
  if (!read.ok) return usage(read.message);
  const { options } = read;
  if (options.help) return printed(0, HELP);
  const command = COMMANDS.get(options.command ?? '');
  if (command === undefined) {
    return usage(
      options.command === undefined ? 'which command?' : `no command "${options.command}".`,
    );
  }
  const found = await findVault(around.cwd, options.vault);
  if (!found.ok) return usage(found.message);
  try {
    const store = new DiskStore(found.vault, { waitMs: options.waitMs });
    const { problem, ...settings } = await readSharedSettings(store);
    const boards = new TodoManager({ store, clock: nodeClock, ids: nodeIds, ...settings });
    const exit = await command(boards, options, around);
    return problem === undefined ? exit : { ...exit, err: `agent-boards: ${problem}\n${exit.err}` };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const code = error.code === 'busy' ? 4 : 1;
    return { code, out: '', err: `agent-boards: ${error.message}\n` };
  }
}

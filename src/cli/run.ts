import { StoreError } from '../core/ports';
import { storeError, systemCode } from '../node/store-error';
import {
  CHOICE,
  CLI_VERSION,
  crashed,
  EarlyExit,
  forPrograms,
  printed,
  refused,
  usage,
  withHelp,
  type Command,
  type Exit,
  type Given,
  type CliSurroundings,
} from './command';
import { findVault, openVault } from './open-vault';
import { helpName, helpOf, overview, readCommandLine, readFlags } from './read-command-line';
import { analyzeBoards, getOne, listBoards, readyOnes } from './read-boards';
import { boardHistory, listCheckpoints, makeCheckpoint, rollBackBoard } from './board-history';
import { installBridge } from './install-bridge';
import { WRITE_COMMANDS } from './operation-command';
import { serveClient } from './mcp';
import { runOperations } from './send-operations';
import { watchBoards } from './watch-boards';
import { SimpleTodoError, SimpleTodoManager } from './simple-todo-manager';

/** One run of `agent-boards`. A fault of the program itself is thrown, and told where JSON is asked for. */
export async function run(args: readonly string[], around: CliSurroundings): Promise<Exit> {
  try {
    return await ended(args, around);
  } catch (error) {
    if (!asksForJson(args)) throw error;
    return crashed(error);
  }
}

async function ended(args: readonly string[], around: CliSurroundings): Promise<Exit> {
  const old = args[0]?.startsWith('--') === true && args.some(isAction);
  const { env } = around;
  const commands = await loadedFor(args[0] ?? '');
  const line = old ? readFlags(actionFlags, args, env) : readCommandLine(args, commands, env);
  switch (line.kind) {
    case 'fault': {
      const exit = withHelp(usage(line.message), line.command);
      return asksForJson(args) ? forPrograms(exit) : exit;
    }
    case 'help':
      return printed(0, line.command === undefined ? overview(commands) : helpOf(line.command));
    case 'version':
      return printed(0, CLI_VERSION);
    case 'run':
      return carryOut(line.command, line.given, around);
  }
}

/** The flags of the tool that this one follows; they stand without a command. */
function isAction(arg: string): boolean {
  return arg === '--action' || arg.startsWith('--action=');
}

/** Where the arguments can't be read, whether `--json` stands among them. */
function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).includes('--json');
}

async function carryOut(command: Command, given: Given, around: CliSurroundings): Promise<Exit> {
  const told = (exit: Exit): Exit => {
    const whole = withHelp(exit, helpName(command));
    return given.json ? forPrograms(whole) : whole;
  };
  const wait = given.text('wait');
  try {
    const named = command.anywhere?.(given) === true ? '.' : given.text('vault');
    const found = await findVault(around.cwd, named, command.makesVault === true);
    if (!found.ok) return told(usage(found.message));
    const vault = await openVault(
      found.vault,
      wait === undefined ? undefined : Number(wait) * 1000,
    );
    const exit = told(await unlessRemoved(vault, await outcome(command, given, vault, around)));
    const { problem } = vault;
    return problem === undefined ? exit : { ...exit, err: `agent-boards: ${problem}\n${exit.err}` };
  } catch (error) {
    return told(refused(asStoreError(error)));
  }
}

async function outcome(command: Command, ...given: Parameters<Command['run']>): Promise<Exit> {
  try {
    return await command.run(...given);
  } catch (error) {
    if (error instanceof EarlyExit) return error.exit;
    throw error;
  }
}

/** What was done and is gone before it is said is not said to be done. */
async function unlessRemoved(
  { removed }: Awaited<ReturnType<typeof openVault>>,
  exit: Exit,
): Promise<Exit> {
  const [path] = exit.code === 0 ? await removed() : [];
  if (path === undefined) return exit;
  const why = `${path} was removed by another program right after it was written, so the change is gone.`;
  return refused({ code: 'removed', message: `${why} Try again.` });
}

/** What the file system refused is told by the path that it names. @throws what is no fault of it */
function asStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  if (systemCode(error) === undefined) throw error;
  const { path } = error as NodeJS.ErrnoException;
  return storeError(path ?? 'A file of the vault', error);
}

/** The command itself where it is small; else it is loaded when it is asked for. */
type Load = () => Promise<Command>;

const loaded = (command: Command): readonly [string, Load] => [
  command.name,
  () => Promise.resolve(command),
];

/** All commands by name, in the order in which help shows them. */
export const COMMANDS: ReadonlyMap<string, Load> = new Map<string, Load>([
  ...[listBoards, getOne, readyOnes, analyzeBoards, boardHistory].map(loaded),
  ...[...WRITE_COMMANDS, runOperations, makeCheckpoint, listCheckpoints, rollBackBoard].map(loaded),
  ['import', async () => (await import('./import-plans')).importPlans],
  ['export', async () => (await import('./export-boards')).exportBoards],
  ['notes', async () => (await import('./notes')).notes],
  loaded(installBridge),
  ['connect', async () => (await import('./connect/connect')).connectClient],
  ['merge-driver', async () => (await import('./git-merge')).mergeDriver],
  loaded(serveClient),
  ['doctor', async () => (await import('./doctor')).doctor],
  loaded(watchBoards),
  ['audit', async () => (await import('./audit/audit')).audit],
  ['run', async () => (await import('./runs/run-command')).runCommand],
]);

/** The command with this name; all of them where none has it, as for help. */
async function loadedFor(name: string): Promise<ReadonlyMap<string, Command>> {
  const load = COMMANDS.get(name);
  const wanted = load === undefined ? [...COMMANDS.values()] : [load];
  const commands = await Promise.all(wanted.map((one) => one()));
  return new Map(commands.map((command) => [command.name, command]));
}

/**
 * `--agent A --session S --action add|update|list|info`: the flags of the tool before this one.
 * One line on standard output, `SUCCESS:` with the value or `ERROR: ` with the reason; with `--json`
 * `{"success", "result"}` or `{"success", "error"}`.
 */
const actionFlags: Command = {
  name: '--action',
  takes: 'add|update|list|info --agent A --session S',
  says: 'as simple_todo did: one line, SUCCESS: and the value, or ERROR: and the reason',
  options: {
    action: { value: 'NAME', says: 'add, update, list or info' },
    ...CHOICE,
    content: { value: 'TEXT', says: 'add: the todo' },
    priority: { value: 'P', says: 'add: high, medium (if not given), low…' },
    'task-id': { value: 'ID', says: 'update: which todo' },
    status: { value: 'ST', says: 'update: its new status; list: only those' },
  },
  words: { least: 0, most: 0 },
  async run(given, { folder }) {
    const { agent, session } = given;
    if (agent === undefined || session === undefined)
      return usage('--action needs --agent and --session.');
    const action = ACTIONS.get(given.text('action') ?? '');
    if (action === undefined) return usage(`--action takes ${[...ACTIONS.keys()].join(', ')}.`);
    const wait = given.text('wait');
    const todos = new SimpleTodoManager(agent, session, {
      vault: folder,
      ...(wait !== undefined && { waitMs: Number(wait) * 1000 }),
    });
    return carriedOut(() => action(todos, given), given.json);
  },
};

type Action = (todos: SimpleTodoManager, given: Given) => Promise<unknown>;

const ACTIONS: ReadonlyMap<string, Action> = new Map<string, Action>([
  ['add', (todos, given) => todos.addTodo(needed(given, 'content'), given.text('priority'))],
  ['update', (todos, given) => updated(todos, needed(given, 'task-id'), needed(given, 'status'))],
  ['list', (todos, given) => todos.listTodos(given.text('status'))],
  ['info', (todos) => todos.getSessionInfo()],
]);

async function updated(todos: SimpleTodoManager, id: string, status: string): Promise<true> {
  if (await todos.updateStatus(id, status)) return true;
  throw new SimpleTodoError('unknown_task', `There is no todo ${id}.`);
}

function needed(given: Given, name: string): string {
  const value = given.text(name);
  if (value !== undefined && value !== '') return value;
  throw new SimpleTodoError('usage', `--action ${given.text('action') ?? ''} needs --${name}.`);
}

async function carriedOut(action: () => Promise<unknown>, json: boolean): Promise<Exit> {
  try {
    const result = await action();
    const value = typeof result === 'string' ? result : JSON.stringify(result);
    const out = json ? JSON.stringify({ success: true, result }) : `SUCCESS:${value}`;
    return { code: 0, out: `${out}\n`, err: '' };
  } catch (error) {
    if (!(error instanceof SimpleTodoError)) throw error;
    const { code, message } = error;
    const out = json
      ? JSON.stringify({ ok: false, success: false, error: { code, message } })
      : `ERROR: ${message}`;
    return { code: EXIT_CODES.get(code) ?? 1, out: `${out}\n`, err: '' };
  }
}

const EXIT_CODES: ReadonlyMap<string, Exit['code']> = new Map<string, Exit['code']>([
  ['usage', 2],
  ['bad_field', 2],
  ['bad_session', 2],
  ['bad_agent', 2],
  ['broken_note', 3],
  ['busy', 4],
]);

import process from 'node:process';
import { escapeControls } from '../core/board/task-display';
import { StoreError } from '../core/ports';
import { storeError, systemCode } from '../node/store-error';
import { PRODUCT_VERSION } from '../core/version';
import {
  crashExit,
  EarlyExit,
  toJsonExit,
  textExit,
  refusalExit,
  usageExit,
  withHelp,
  type Command,
  type Exit,
  type CommandArgs,
  type CliEnvironment,
} from './command';
import { findVault, openVault } from './open-vault';
import { helpName, helpOf, overview, readCommandLine, readFlags } from './read-command-line';

/**
 * Runs `agent-boards` once. A bug of the program itself is thrown, or printed if JSON is requested.
 */
export async function run(
  args: readonly string[],
  commands: Commands,
  environment: CliEnvironment,
): Promise<Exit> {
  try {
    return await runCommandLine(args, commands, environment);
  } catch (error) {
    if (!asksForJson(args)) throw error;
    return crashExit(error);
  }
}

async function runCommandLine(
  args: readonly string[],
  all: Commands,
  environment: CliEnvironment,
): Promise<Exit> {
  const isOld = args[0]?.startsWith('--') === true && args.some(isAction);
  const old = isOld ? all.withoutName : undefined;
  const { env } = environment;
  const commands = await loadCommands(args[0] ?? '', all);
  const line = old ? readFlags(old, args, env) : readCommandLine(args, commands, env);
  switch (line.kind) {
    case 'fault': {
      const exit = withHelp(usageExit(line.message), line.command);
      return asksForJson(args) ? toJsonExit(exit) : exit;
    }
    case 'help':
      return textExit(0, line.command === undefined ? overview(commands) : helpOf(line.command));
    case 'version':
      return textExit(0, PRODUCT_VERSION);
    case 'run':
      return executeCommand(line.command, line.given, environment);
  }
}

/** Whether it is the flag of the predecessor's command line, which has no command. */
function isAction(arg: string): boolean {
  return arg === '--action' || arg.startsWith('--action=');
}

/** Whether `--json` is among arguments that can't be parsed. */
function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).includes('--json');
}

async function executeCommand(
  command: Command,
  given: CommandArgs,
  environment: CliEnvironment,
): Promise<Exit> {
  const toExit = (exit: Exit): Exit => {
    const whole = withHelp(exit, helpName(command));
    return given.json ? toJsonExit(whole) : whole;
  };
  const wait = given.text('wait');
  try {
    const needsNoVault = command.anywhere?.(given) === true;
    const named = needsNoVault ? '.' : given.text('vault');
    const found = await findVault(environment.cwd, named, command.makesVault === true);
    if (!found.ok) return toExit(usageExit(found.message));
    const vault = await openVault(
      found.vault,
      wait === undefined ? undefined : Number(wait) * 1000,
      needsNoVault || command.opensAnyway,
    );
    const { problem } = vault;
    let warning = problem === undefined || needsNoVault ? '' : `agent-boards: ${problem}\n`;
    const untilStopped = (): AbortSignal => {
      // A command that keeps running says it now; nobody would know until its end.
      process.stderr.write(escapeControls(warning));
      warning = '';
      return environment.untilStopped();
    };
    const own = { ...environment, untilStopped };
    const exit = toExit(
      await failIfRemoved(vault, await catchEarlyExit(command, given, vault, own)),
    );
    return { ...exit, err: warning + exit.err };
  } catch (error) {
    return toExit(refusalExit(asStoreError(error)));
  }
}

async function catchEarlyExit(
  command: Command,
  ...given: Parameters<Command['run']>
): Promise<Exit> {
  try {
    return await command.run(...given);
  } catch (error) {
    if (error instanceof EarlyExit) return error.exit;
    throw error;
  }
}

/** Reports a failure if another program has removed a written note before the result is printed. */
async function failIfRemoved(
  { removed }: Awaited<ReturnType<typeof openVault>>,
  exit: Exit,
): Promise<Exit> {
  const [path] = exit.code === 0 ? await removed() : [];
  if (path === undefined) return exit;
  const why = `${path} was removed by another program right after it was written, so the change is gone.`;
  return refusalExit({ code: 'removed', message: `${why} Try again.` });
}

/**
 * Converts an error of the file system, naming its path.
 * @throws any other error
 */
function asStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  if (systemCode(error) === undefined) throw error;
  const { path } = error as NodeJS.ErrnoException;
  return storeError(path ?? 'A file of the vault', error);
}

/** The commands of a program. */
export interface Commands {
  /** in the order of help; each is loaded on use */
  readonly byName: ReadonlyMap<string, () => Promise<Command>>;
  /** for flags without a command */
  readonly withoutName?: Command;
}

/** The command with this name; if there is none, all commands, as for help. */
async function loadCommands(name: string, all: Commands): Promise<ReadonlyMap<string, Command>> {
  const load = all.byName.get(name);
  const wanted = load === undefined ? [...all.byName.values()] : [load];
  const commands = await Promise.all(wanted.map((one) => one()));
  return new Map(commands.map((command) => [command.name, command]));
}

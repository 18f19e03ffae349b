import { StoreError } from '../core/ports';
import { actionFlags } from './action-flags';
import { CLI_VERSION } from './cli-version';
import type { Command } from './command';
import { COMMANDS } from './commands';
import { printed, usage, type Exit, type Surroundings } from './exit';
import { findVault } from './find-vault';
import type { Given } from './given';
import { helpOf, overview } from './help';
import { openVault } from './open-vault';
import { readCommandLine, readFlags } from './read-command-line';

/** One run of `agent-boards`. */
export async function run(args: readonly string[], around: Surroundings): Promise<Exit> {
  const old = args[0]?.startsWith('--') === true && args.some(isAction);
  const line = old ? readFlags(actionFlags, args) : readCommandLine(args, COMMANDS);
  switch (line.kind) {
    case 'fault':
      return usage(line.message, line.command);
    case 'help':
      return printed(0, line.command === undefined ? overview(COMMANDS) : helpOf(line.command));
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

async function carryOut(command: Command, given: Given, around: Surroundings): Promise<Exit> {
  const found = await findVault(around.cwd, given.text('vault'));
  if (!found.ok) return usage(found.message);
  const wait = given.text('wait');
  try {
    const vault = await openVault(
      found.vault,
      wait === undefined ? undefined : Number(wait) * 1000,
    );
    const exit = await command.run(given, vault, around);
    const { problem } = vault;
    return problem === undefined ? exit : { ...exit, err: `agent-boards: ${problem}\n${exit.err}` };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const code = error.code === 'busy' ? 4 : 1;
    return { code, out: '', err: `agent-boards: ${error.message}\n` };
  }
}

import { runProgram } from './program';
import { READ_COMMANDS } from './read-boards';

/** Starts the program of the commands that only read boards. */
export function startReadProgram(): Promise<void> {
  const byName = new Map(
    READ_COMMANDS.map((command) => [command.name, () => Promise.resolve(command)] as const),
  );
  return runProgram({ byName });
}

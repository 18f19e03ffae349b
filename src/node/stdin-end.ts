import { Socket } from 'node:net';
import process from 'node:process';
import { EXIT_WITH_STDIN } from './processes';

/**
 * Calls `end` when the standard input ends, if this process was started to run only as long as
 * that. The input is a pipe from the program that started it, which the system closes however that
 * program ends. Removes the setting from the environment, so that child processes don't inherit it.
 */
export function onStdinEnd(end: () => void): void {
  if (process.env[EXIT_WITH_STDIN] === undefined) return;
  delete process.env[EXIT_WITH_STDIN];
  const { stdin } = process;
  for (const event of ['end', 'error', 'close']) stdin.once(event, end);
  stdin.resume();
  // The open input must not keep the process running.
  if (stdin instanceof Socket) stdin.unref();
}

import { Socket } from 'node:net';
import process from 'node:process';
import { INPUT_HOLDS } from './processes';

/**
 * Calls `end` when the standard input ends, in a process that is told to end with it: that is a pipe of the
 * program that started it, which the system closes however that program ends. Says so to no child of this one.
 */
export function onHeldInputEnd(end: () => void): void {
  if (process.env[INPUT_HOLDS] === undefined) return;
  delete process.env[INPUT_HOLDS];
  const { stdin } = process;
  for (const event of ['end', 'error', 'close']) stdin.once(event, end);
  stdin.resume();
  // Waiting for that keeps nothing running.
  if (stdin instanceof Socket) stdin.unref();
}

import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** What a contender's child process reports when it is ready. */
export type Ready = { readonly port: number } | 'attached';

/**
 * Starts the other end of a contender in a separate process, as OpenCode and Obsidian are.
 * @param name name of the program; it exits when it is disconnected
 * @throws Error if it exits before it reports that it is ready
 */
export async function startChild(
  name: 'echo' | 'mcp-http' | 'plugin',
  ...args: readonly string[]
): Promise<{ readonly child: ChildProcess; readonly ready: Ready }> {
  const child = fork(join(import.meta.dirname, `${name}-child.mjs`), args);
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`The other end, ${name}, ended with code ${code} before it was ready.`);
  });
  failed.catch(() => undefined);
  const [ready] = (await Promise.race([once(child, 'message'), failed])) as [Ready];
  return { child, ready };
}

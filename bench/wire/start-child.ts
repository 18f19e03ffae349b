import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** What a contender's other end says when it is ready. */
export type Ready = { readonly port: number } | 'attached';

/**
 * Starts the other end of a contender in a process of its own, as OpenCode and Obsidian are two.
 * @param name of the program; it ends by itself when it is disconnected
 * @throws Error where it ends before it says that it is ready
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

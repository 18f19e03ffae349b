import { spawn, type ChildProcess } from 'node:child_process';

/** Ends when its standard input does, so that it outlives neither its page nor this server. */
const WAIT: readonly [string, readonly string[]] =
  process.platform === 'win32'
    ? [process.execPath, ['-e', 'process.stdin.resume().once("end", () => process.exit())']]
    : ['cat', []];

/**
 * In the app the window is a process, whose number stands in the locks it takes. A page has none
 * that it could tell, so one is started for it: alive as long as the page is.
 */
export class PageProcesses {
  readonly #children = new Map<string, ChildProcess>();

  pidOf(page: string): number {
    const child = this.#children.get(page) ?? this.#start(page);
    if (child.pid === undefined) throw new Error('No process could be started for the page');
    return child.pid;
  }

  /** The page is gone. */
  end(page: string): void {
    this.#children.get(page)?.kill('SIGKILL');
    this.#children.delete(page);
  }

  close(): void {
    for (const page of [...this.#children.keys()]) this.end(page);
  }

  #start(page: string): ChildProcess {
    const child = spawn(...WAIT, { stdio: ['pipe', 'ignore', 'ignore'] });
    child.on('error', () => this.#children.delete(page));
    this.#children.set(page, child);
    return child;
  }
}
